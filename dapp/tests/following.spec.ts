// The board stays up to date through reorgs, nodes that stop, restart or lie, slow blocks, hidden tabs and two tabs, with few
// requests.
import { en } from "../src/text/en.ts";
import { freePort } from "./support/anvil.ts";
import { allow, Anvil, board, expect, expectBoard, linkTo, noticeOf, sit, sitAsX, cellAt, test, title } from "./support/fixtures.ts";
import { Proxy } from "./support/proxy.ts";
import type { Page } from "@playwright/test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mkdtempSync, rmSync } from "node:fs";

/** The methods that the page calls on the node. */
function requestsTo(page: Page, anvil: Anvil): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().startsWith(anvil.url) && request.method() === "POST") {
      asked.push((JSON.parse(request.postData() ?? "{}") as { method: string }).method);
    }
  });
  return asked;
}

const count = (asked: string[], method: string): number => asked.filter((name) => name === method).length;

async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => (value ? "hidden" : "visible") });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}

test("a reorg at the same height replaces a move", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await allow(page, anvil);
  await anvil.newGame(table, x, o);
  const before = await anvil.rpc("evm_snapshot");
  const height = Number(await anvil.rpc("eth_blockNumber"));
  await anvil.move(table, x, 0);
  await page.goto(link);
  await expectBoard(page, "x........");
  // While hidden, the page misses the state in between: it sees two different blocks of the same height.
  await setHidden(page, true);
  await anvil.rpc("evm_revert", before);
  await anvil.rpc("evm_increaseTime", 60);
  await anvil.move(table, x, 8);
  expect(Number(await anvil.rpc("eth_blockNumber"))).toBe(height + 1);
  await setHidden(page, false);
  await expectBoard(page, "........x");
  await expect(noticeOf(page)).toHaveText("The chain replaced its latest blocks, which took back 1 move. This is the board now.");
});

test("a reorg to a greater height replaces moves, and one to a lower height removes them", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await allow(page, anvil);
  await anvil.newGame(table, x, o);
  const before = await anvil.rpc("evm_snapshot");
  await anvil.move(table, x, 0);
  await anvil.move(table, o, 1);
  await page.goto(link);
  await expectBoard(page, "xo.......");
  await anvil.rpc("evm_revert", before);
  const again = await anvil.rpc("evm_snapshot");
  await expectBoard(page, ".........");
  await expect(noticeOf(page)).toContainText("which took back 2 moves");
  for (let block = 0; block < 4; block += 1) await anvil.mine();
  await anvil.move(table, x, 8);
  await expectBoard(page, "........x");
  await anvil.rpc("evm_revert", again);
  await expectBoard(page, ".........");
});

test("a reorg can undo the end of a game", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await sit(page, anvil, x);
  await anvil.play(table, x, o, [0, 3, 1, 4]);
  const before = await anvil.rpc("evm_snapshot");
  await anvil.move(table, x, 2);
  await page.goto(link);
  await expect(title(page)).toHaveText("You win");
  await anvil.rpc("evm_revert", before);
  await expect(title(page)).toHaveText("Your turn");
  await expect(page.locator(".board-wins path")).toHaveCount(0);
  await cellAt(page, 8).click();
  await expectBoard(page, "xx.oo...x");
});

test("an outage is reported, and the board is up to date when the node is back", async ({ page, host }) => {
  const folder = mkdtempSync(join(tmpdir(), "anvil-"));
  const state = join(folder, "state.json");
  const node = new Anvil(await freePort());
  await node.up("--state", state);
  const table = await node.deploy();
  await node.play(table, node.account(0), node.account(1), [4]);
  await allow(page, node);
  const asked = requestsTo(page, node);
  await page.goto(linkTo(host, node, table));
  await expectBoard(page, "....x....");
  await node.down();
  await expect(noticeOf(page)).toHaveText(en.game.nodeLost);
  await expect(page.locator("#where-source")).toHaveText(en.game.nodeLostShort);
  await expect(page.locator("#alert")).toContainText("No connection to the chain");
  expect(await board(page)).toBe("....x....");
  // The page waits longer after each failure.
  asked.length = 0;
  await page.waitForTimeout(2000);
  expect(asked.length).toBeLessThanOrEqual(5);
  await node.up("--state", state);
  await node.move(table, node.account(1), 0);
  await page.getByRole("button", { name: "Try now" }).click();
  await expectBoard(page, "o...x....");
  await expect(noticeOf(page)).toHaveText(en.game.connectToPlay);
  await expect(page.locator("#say")).toContainText("Connected to the chain again");
  await node.down();
  rmSync(folder, { recursive: true });
});

test("after a node restarts without the table, the page says so until the table is back", async ({ page, host }) => {
  const node = await Anvil.start();
  const table = await node.deploy();
  await node.play(table, node.account(0), node.account(1), [4]);
  await allow(page, node);
  await page.goto(linkTo(host, node, table));
  await expectBoard(page, "....x....");
  await node.down("SIGKILL");
  await node.up();
  await expect(page.locator("#trouble")).toContainText(en.trouble.noneTitle);
  expect(await node.deploy()).toBe(table);
  await expect(title(page)).toHaveText("A free table");
  await node.down();
});

test("a node that hangs does not block the page", async ({ page, host }) => {
  const node = await Anvil.start();
  const table = await node.deploy();
  await node.play(table, node.account(0), node.account(1), [4]);
  await allow(page, node);
  await page.goto(linkTo(host, node, table));
  await expectBoard(page, "....x....");
  node.process?.kill("SIGSTOP");
  await expect(noticeOf(page)).toHaveText(en.game.nodeLost, { timeout: 12_000 });
  node.process?.kill("SIGCONT");
  await node.move(table, node.account(1), 0);
  // The page recovers without a click.
  await expectBoard(page, "o...x....");
  await node.down();
});

test("the page reads the state at most once per new head, and never for the same head", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await allow(page, anvil);
  await anvil.newGame(table, x, o);
  const asked = requestsTo(page, anvil);
  await page.goto(link);
  await expect(page.locator("#draws")).toHaveText("Draws: 0");
  asked.length = 0;
  // While nothing happens, the page asks only for the head.
  await page.waitForTimeout(800);
  expect(new Set(asked)).toEqual(new Set(["eth_getBlockByNumber"]));
  asked.length = 0;
  for (let block = 0; block < 6; block += 1) {
    await anvil.mine();
    await page.waitForTimeout(60);
  }
  await anvil.move(table, x, 4);
  await expectBoard(page, "....x....");
  expect(count(asked, "eth_call")).toBeGreaterThanOrEqual(1);
  expect(count(asked, "eth_call")).toBeLessThanOrEqual(7);
  expect(count(asked, "eth_getCode")).toBe(0);
});

test("a hidden tab asks nothing, and is up to date when it is visible again", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await allow(page, anvil);
  await anvil.newGame(table, x, o);
  const asked = requestsTo(page, anvil);
  await page.goto(link);
  await expect(title(page)).toHaveText("X to move");
  await setHidden(page, true);
  await page.waitForTimeout(150);
  asked.length = 0;
  await anvil.move(table, x, 4);
  await anvil.move(table, o, 0);
  await page.waitForTimeout(700);
  expect(asked).toEqual([]);
  await setHidden(page, false);
  await expectBoard(page, "o...x....");
  expect(count(asked, "eth_call")).toBe(1);
});

test("a page that was suspended is up to date when it wakes", async ({ page, context, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await allow(page, anvil);
  await anvil.newGame(table, x, o);
  const asked = requestsTo(page, anvil);
  await page.goto(link);
  await expect(title(page)).toHaveText("X to move");
  // The debugger stops the page at an arbitrary point, and no event reports that time has passed.
  const debug = await context.newCDPSession(page);
  await debug.send("Debugger.enable");
  await Promise.all([new Promise((resolve) => debug.once("Debugger.paused", resolve)), debug.send("Debugger.pause")]);
  await new Promise((resolve) => setTimeout(resolve, 150));
  asked.length = 0;
  await anvil.move(table, x, 4);
  await anvil.move(table, o, 0);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(asked).toEqual([]);
  await debug.send("Debugger.disable");
  await expectBoard(page, "o...x....");
  expect(count(asked, "eth_call")).toBe(1);
});

test("while the page reads a table it shows nothing about its game", async ({ page, anvil, table, host }) => {
  await anvil.play(table, anvil.account(0), anvil.account(1), [4]);
  const proxy = await Proxy.start(anvil);
  await allow(page, proxy);
  proxy.raw = () => true;
  await page.goto(`${host}?chain=31337&table=${table}&rpc=${encodeURIComponent(proxy.url)}`);
  await expect(title(page)).toHaveText(en.status.reading);
  await expect.poll(() => proxy.asked.length).toBeGreaterThan(0);
  await expect(page.locator(".board-wins path")).toHaveCount(0);
  await expect(page.locator("[data-mark], [data-win]")).toHaveCount(0);
  await expect(page.locator(".seat-who")).toHaveText(["…", "…"]);
  await expect(page.locator("#history")).toHaveText("…");
  await proxy.stop();
  await page.getByRole("button", { name: en.game.tryNow }).click();
});

test("with slow blocks the move stays pending, and the page stays connected", async ({ page, anvil, table, link }) => {
  await sitAsX(page, anvil, table, link);
  await anvil.automine(false);
  await cellAt(page, 4).click();
  await page.waitForTimeout(3500);
  await expect(title(page)).toHaveText("On its way…");
  await expect(page.locator("#table")).toHaveAttribute("data-node", "connected");
  await anvil.mine();
  await expectBoard(page, "....x....");
});

test("a move in one tab appears in another tab of the same player", async ({ page, context, anvil, table, link }) => {
  const second = await context.newPage();
  await sit(page, anvil, anvil.account(0));
  await sit(second, anvil, anvil.account(0));
  await anvil.newGame(table, anvil.account(0), anvil.account(1));
  await Promise.all([page.goto(link), second.goto(link)]);
  await expect(title(second)).toHaveText("Your turn");
  await cellAt(page, 4).click();
  await expectBoard(page, "....x....");
  await expectBoard(second, "....x....");
  await expect(title(second)).toHaveText("O to move");
});

test("an endpoint with a node that is behind does not make the board flicker", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  const wallet = await sit(page, anvil, x);
  await anvil.newGame(table, x, o);
  const old = await anvil.rpc("eth_getBlockByNumber", "latest", false);
  await page.goto(link);
  await expect(title(page)).toHaveText("Your turn");
  let turn = 0;
  wallet.overrides["eth_getBlockByNumber"] = async () => ((turn += 1) % 2 === 0 ? old : anvil.rpc("eth_getBlockByNumber", "latest", false));
  await anvil.move(table, x, 4);
  await expectBoard(page, "....x....");
  for (let look = 0; look < 15; look += 1) {
    expect(await board(page)).toBe("....x....");
    await page.waitForTimeout(30);
  }
});

test("a single error is no outage, two in a row are, and neither repeats the requests for logs", async ({ page, anvil, table, host }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await anvil.newGame(table, x, o);
  const proxy = await Proxy.start(anvil);
  await allow(page, proxy);
  await page.goto(`${host}?chain=31337&table=${table}&rpc=${encodeURIComponent(proxy.url)}`);
  await expect(page.locator("#draws")).toHaveText("Draws: 0");
  const alerts: string[] = [];
  await page.exposeFunction("noteAlert", (words: string) => alerts.push(words));
  await page.evaluate(() => {
    const region = document.getElementById("alert");
    const { noteAlert } = window as unknown as { noteAlert(words: string | null): void };
    if (region) new MutationObserver(() => noteAlert(region.textContent)).observe(region, { childList: true });
  });
  const logs = proxy.count("eth_getLogs");
  let misses = 1;
  proxy.overrides["eth_call"] = (params) => {
    if (misses > 0) {
      misses -= 1;
      throw { code: -32000, message: "header not found" };
    }
    return anvil.rpc("eth_call", ...params);
  };
  await anvil.move(table, x, 4);
  await expectBoard(page, "....x....");
  expect([misses, alerts]).toEqual([0, []]);
  misses = 3;
  await anvil.move(table, o, 0);
  await expectBoard(page, "o...x....");
  expect([misses, alerts]).toEqual([0, [en.game.nodeLost]]);
  await expect(page.locator("#table")).toHaveAttribute("data-node", "connected");
  expect(proxy.count("eth_getLogs")).toBe(logs);
  await proxy.stop();
});

test("a chain that restarts at a lower height, with a new block at every look, is followed", async ({ page, anvil, table, host }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await anvil.newGame(table, x, o);
  const before = await anvil.rpc("evm_snapshot");
  await anvil.move(table, x, 0);
  await anvil.rpc("anvil_mine", "0x1f4");
  const proxy = await Proxy.start(anvil);
  await allow(page, proxy);
  await page.goto(`${host}?chain=31337&table=${table}&rpc=${encodeURIComponent(proxy.url)}`);
  await expectBoard(page, "x........");
  proxy.overrides["eth_getBlockByNumber"] = async (params) => {
    await anvil.mine();
    return anvil.rpc("eth_getBlockByNumber", ...params);
  };
  await anvil.rpc("evm_revert", before);
  await expectBoard(page, ".........");
  await expect(noticeOf(page)).toContainText("which took back 1 move");
  await proxy.stop();
});

test("a wallet that is a block behind the endpoint causes no false reorg", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await allow(page, anvil);
  await anvil.newGame(table, x, o);
  const old = await anvil.rpc("eth_getBlockByNumber", "latest", false);
  await anvil.move(table, x, 4);
  const wallet = await sit(page, anvil, o, { late: true });
  await page.goto(link);
  await expectBoard(page, "....x....");
  const boards = new Set<string>();
  let looks = 0;
  wallet.overrides["eth_getBlockByNumber"] = (params) => ((looks += 1) <= 2 ? old : anvil.rpc("eth_getBlockByNumber", ...params));
  await wallet.announce();
  await expect(page.locator("#where-source")).toContainText("Read through Test wallet");
  await expect
    .poll(async () => {
      boards.add(await board(page));
      return looks;
    }, { intervals: [1] })
    .toBeGreaterThan(3);
  await expect(title(page)).toHaveText("Your turn");
  expect([...boards]).toEqual(["....x...."]);
  await expect(page.locator("#notice")).toBeHidden();
});

test("an impossible answer from a node is not drawn", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  const wallet = await sit(page, anvil, x);
  await anvil.play(table, x, o, [4]);
  await page.goto(link);
  await expectBoard(page, "....x....");
  const word = (value: number): string => value.toString(16).padStart(64, "0");
  const state = (cells: number[], turn: number, status: number): string =>
    `0x${word(32)}${word(1)}${x.slice(2).padStart(64, "0")}${o.slice(2).padStart(64, "0")}${cells.map(word).join("")}${word(turn)}${word(status)}${word(15 * 32)}${word(0)}`;
  /** Makes the page read again now, and waits until it has rejected the answer. */
  const looksAgain = async (method: string): Promise<void> => {
    const before = wallet.count(method);
    await anvil.mine();
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await expect.poll(() => wallet.count(method)).toBeGreaterThan(before);
    await expect(page.locator("#table")).toHaveAttribute("data-node", "lost");
  };
  for (const lie of [
    "0x",
    "0x1234",
    "nonsense",
    42,
    null,
    // A board without moves, an unknown status, an unknown mark, a win without a line.
    state([1, 1, 1, 0, 0, 0, 0, 0, 0], 2, 2),
    state([0, 0, 0, 0, 0, 0, 0, 0, 0], 1, 9),
    state([9, 0, 0, 0, 0, 0, 0, 0, 0], 1, 1),
    state([0, 0, 0, 0, 0, 0, 0, 0, 0], 1, 3),
  ]) {
    wallet.overrides["eth_call"] = () => lie;
    await looksAgain("eth_call");
    expect(await board(page)).toBe("....x....");
  }
  for (const head of [null, {}, { hash: "0x12", number: "0x1" }, { hash: `0x${"ab".repeat(32)}`, number: "<b>" }, "x"]) {
    wallet.overrides["eth_getBlockByNumber"] = () => head;
    await looksAgain("eth_getBlockByNumber");
    expect(await board(page)).toBe("....x....");
  }
  delete wallet.overrides["eth_getBlockByNumber"];
  // The same encoding of a possible game is accepted, so the page rejected the content.
  wallet.overrides["eth_call"] = () => state([0, 0, 0, 0, 0, 0, 0, 0, 0], 1, 1);
  await page.getByRole("button", { name: "Try now" }).click();
  await expectBoard(page, ".........");
  delete wallet.overrides["eth_call"];
  await anvil.move(table, o, 0);
  await expectBoard(page, "o...x....");
});

test("without valid logs only the score and the links are missing", async ({ page, anvil, table, link }) => {
  const wallet = await sit(page, anvil, anvil.account(0));
  wallet.overrides["eth_getLogs"] = () => {
    throw { code: -32005, message: "query returned more than 10000 results" };
  };
  await anvil.play(table, anvil.account(0), anvil.account(1), [4]);
  await page.goto(link);
  await expectBoard(page, "....x....");
  await expect(page.locator("#draws")).toHaveText(en.game.scoreUnknown);
  wallet.overrides["eth_getLogs"] = () => [{ address: table, topics: ["0x12"], data: "0x", transactionHash: "javascript:alert(1)" }];
  await page.reload();
  await expectBoard(page, "....x....");
  await expect(page.locator("#draws")).toHaveText(en.game.scoreUnknown);
});
