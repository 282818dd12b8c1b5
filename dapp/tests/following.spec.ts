// Live and true: reorganisations, nodes that stop, begin anew or lie, slow blocks, hidden tabs, two tabs; and how little is
// asked for all that.
import { en } from "../src/text/en.ts";
import { freePort } from "./support/anvil.ts";
import { allow, Anvil, board, expect, expectBoard, linkTo, noticeOf, sit, sitAsX, square, test, title } from "./support/fixtures.ts";
import { Proxy } from "./support/proxy.ts";
import type { Page } from "@playwright/test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mkdtempSync, rmSync } from "node:fs";

/** What the page asks of the node itself, by method. */
function questions(page: Page, anvil: Anvil): string[] {
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

test("a reorganisation at equal height takes a settled move back and shows the other one", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await allow(page, anvil);
  await anvil.newGame(table, x, o);
  const before = await anvil.rpc("evm_snapshot");
  const height = Number(await anvil.rpc("eth_blockNumber"));
  await anvil.move(table, x, 0);
  await page.goto(link);
  await expectBoard(page, "x........");
  // Hidden meanwhile, so that the page sees one block after the other at the same height and nothing between.
  await setHidden(page, true);
  await anvil.rpc("evm_revert", before);
  await anvil.rpc("evm_increaseTime", 60);
  await anvil.move(table, x, 8);
  expect(Number(await anvil.rpc("eth_blockNumber"))).toBe(height + 1);
  await setHidden(page, false);
  await expectBoard(page, "........x");
  await expect(noticeOf(page)).toHaveText("The chain took back its latest blocks, and 1 move with them. This is the board now.");
});

test("a reorganisation at greater height, too; and one that takes everything back", async ({ page, anvil, table, link }) => {
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
  await expect(noticeOf(page)).toContainText("and 2 moves with them");
  for (let block = 0; block < 4; block += 1) await anvil.mine();
  await anvil.move(table, x, 8);
  await expectBoard(page, "........x");
  await anvil.rpc("evm_revert", again);
  await expectBoard(page, ".........");
});

test("a finished game that is reorganised away is no longer finished", async ({ page, anvil, table, link }) => {
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
  await square(page, 8).click();
  await expectBoard(page, "xx.oo...x");
});

test("a node that goes down is missed aloud, and the board is right when it is back", async ({ page, host }) => {
  const folder = mkdtempSync(join(tmpdir(), "anvil-"));
  const state = join(folder, "state.json");
  const node = new Anvil(await freePort());
  await node.up("--state", state);
  const table = await node.deploy();
  await node.play(table, node.account(0), node.account(1), [4]);
  await allow(page, node);
  const asked = questions(page, node);
  await page.goto(linkTo(host, node, table));
  await expectBoard(page, "....x....");
  await node.down();
  await expect(noticeOf(page)).toHaveText(en.game.noTouch);
  await expect(page.locator("#where-reading")).toHaveText(en.game.touchLost);
  await expect(page.locator("#alert")).toContainText("Out of touch");
  expect(await board(page)).toBe("....x....");
  // It backs off: a node that is down is not hammered.
  asked.length = 0;
  await page.waitForTimeout(2000);
  expect(asked.length).toBeLessThanOrEqual(5);
  await node.up("--state", state);
  await node.move(table, node.account(1), 0);
  await page.getByRole("button", { name: "Try now" }).click();
  await expectBoard(page, "o...x....");
  await expect(noticeOf(page)).toHaveText(en.game.connectToPlay);
  await expect(page.locator("#say")).toContainText("In touch with the chain again");
  await node.down();
  rmSync(folder, { recursive: true });
});

test("a node that begins anew has no table; when the table is there again it is shown", async ({ page, host }) => {
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

test("a hanging node does not hang the page", async ({ page, host }) => {
  const node = await Anvil.start();
  const table = await node.deploy();
  await node.play(table, node.account(0), node.account(1), [4]);
  await allow(page, node);
  await page.goto(linkTo(host, node, table));
  await expectBoard(page, "....x....");
  node.process?.kill("SIGSTOP");
  await expect(noticeOf(page)).toHaveText(en.game.noTouch, { timeout: 12_000 });
  node.process?.kill("SIGCONT");
  await node.move(table, node.account(1), 0);
  // By itself: it has gone on asking.
  await expectBoard(page, "o...x....");
  await node.down();
});

test("at most one state read per new head, and heads that change nothing cost nothing more", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await allow(page, anvil);
  await anvil.newGame(table, x, o);
  const asked = questions(page, anvil);
  await page.goto(link);
  await expect(page.locator("#draws")).toHaveText("Draws: 0");
  asked.length = 0;
  // Nothing happens: heads are asked for, states are not.
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

test("nothing is asked while the tab is hidden, and a look brings it up to date", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await allow(page, anvil);
  await anvil.newGame(table, x, o);
  const asked = questions(page, anvil);
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

test("a laptop that sleeps asks nothing, and is up to date when it wakes", async ({ page, context, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await allow(page, anvil);
  await anvil.newGame(table, x, o);
  const asked = questions(page, anvil);
  await page.goto(link);
  await expect(title(page)).toHaveText("X to move");
  // The page stands still in the middle of whatever it does, and nobody tells it that time has passed.
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

test("while a table is being read nothing is said or drawn of its game", async ({ page, anvil, table, host }) => {
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

test("slow blocks: the page waits with the player, in touch, and the move stays on its way", async ({ page, anvil, table, link }) => {
  await sitAsX(page, anvil, table, link);
  await anvil.automine(false);
  await square(page, 4).click();
  await page.waitForTimeout(3500);
  await expect(title(page)).toHaveText("On its way…");
  await expect(page.locator("#table")).toHaveAttribute("data-touch", "yes");
  await anvil.mine();
  await expectBoard(page, "....x....");
});

test("two tabs of one player show the same, and a move in one arrives in the other", async ({ page, context, anvil, table, link }) => {
  const second = await context.newPage();
  await sit(page, anvil, anvil.account(0));
  await sit(second, anvil, anvil.account(0));
  await anvil.newGame(table, anvil.account(0), anvil.account(1));
  await Promise.all([page.goto(link), second.goto(link)]);
  await expect(title(second)).toHaveText("Your turn");
  await square(page, 4).click();
  await expectBoard(page, "....x....");
  await expectBoard(second, "....x....");
  await expect(title(second)).toHaveText("O to move");
});

test("an endpoint that is behind now and then does not make the board flicker", async ({ page, anvil, table, link }) => {
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

test("one answer that a node behind the others cannot give is no outage, two are; and what is known is not asked for again", async ({ page, anvil, table, host }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await anvil.newGame(table, x, o);
  const proxy = await Proxy.start(anvil);
  await allow(page, proxy);
  await page.goto(`${host}?chain=31337&table=${table}&rpc=${encodeURIComponent(proxy.url)}`);
  await expect(page.locator("#draws")).toHaveText("Draws: 0");
  const heard: string[] = [];
  await page.exposeFunction("hear", (words: string) => heard.push(words));
  await page.evaluate(() => {
    const region = document.getElementById("alert");
    const { hear } = window as unknown as { hear(words: string | null): void };
    if (region) new MutationObserver(() => hear(region.textContent)).observe(region, { childList: true });
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
  expect([misses, heard]).toEqual([0, []]);
  misses = 3;
  await anvil.move(table, o, 0);
  await expectBoard(page, "o...x....");
  expect([misses, heard]).toEqual([0, [en.game.noTouch]]);
  await expect(page.locator("#table")).toHaveAttribute("data-touch", "yes");
  expect(proxy.count("eth_getLogs")).toBe(logs);
  await proxy.stop();
});

test("a chain that has begun again lower, with blocks as quick as the looks, is followed", async ({ page, anvil, table, host }) => {
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
  await expect(noticeOf(page)).toContainText("and 1 move with them");
  await proxy.stop();
});

test("a wallet that is a block behind the endpoint takes over without a false alarm", async ({ page, anvil, table, link }) => {
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
  await expect(page.locator("#where-reading")).toContainText("Read through Test wallet");
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

test("what a lying node tells is checked before it is drawn", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  const wallet = await sit(page, anvil, x);
  await anvil.play(table, x, o, [4]);
  await page.goto(link);
  await expectBoard(page, "....x....");
  const word = (value: number): string => value.toString(16).padStart(64, "0");
  const state = (cells: number[], turn: number, status: number): string =>
    `0x${word(32)}${word(1)}${x.slice(2).padStart(64, "0")}${o.slice(2).padStart(64, "0")}${cells.map(word).join("")}${word(turn)}${word(status)}${word(15 * 32)}${word(0)}`;
  /** The page reads the game again, whatever pause it has come to. */
  const looksAgain = async (method: string): Promise<void> => {
    const before = wallet.count(method);
    await anvil.mine();
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
    await expect.poll(() => wallet.count(method)).toBeGreaterThan(before);
    await expect(page.locator("#table")).toHaveAttribute("data-touch", "no");
  };
  for (const lie of [
    "0x",
    "0x1234",
    "nonsense",
    42,
    null,
    // A board that no move made; a status that there is not; a mark that there is not; won, with no line.
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
  // The same words made a possible game: so it was the lies that were refused, not their spelling.
  wallet.overrides["eth_call"] = () => state([0, 0, 0, 0, 0, 0, 0, 0, 0], 1, 1);
  await page.getByRole("button", { name: "Try now" }).click();
  await expectBoard(page, ".........");
  delete wallet.overrides["eth_call"];
  await anvil.move(table, o, 0);
  await expectBoard(page, "o...x....");
});

test("logs that are refused, or lies, cost only the score and the links", async ({ page, anvil, table, link }) => {
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
