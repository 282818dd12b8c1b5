// The board stays up to date with a real node: through a reorg, an outage, a restart, a suspended page and two tabs. What is asked,
// and how often, is tested in Vitest.
import { text } from "../src/text.ts";
import { freePort } from "./support/anvil.ts";
import {
  readFrom,
  Anvil,
  board,
  expect,
  expectBoard,
  linkTo,
  LOCAL_ENDPOINT,
  noticeOf,
  sit,
  cellAt,
  test,
  title,
  source,
  trouble,
} from "./support/fixtures.ts";
import { Proxy } from "./support/proxy.ts";
import type { Page } from "@playwright/test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mkdtempSync, rmSync } from "node:fs";

/** The methods that the page calls on the node. */
function requests(page: Page): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().startsWith(LOCAL_ENDPOINT) && request.method() === "POST") {
      asked.push((JSON.parse(request.postData() ?? "{}") as { method: string }).method);
    }
  });
  return asked;
}

const count = (asked: string[], method: string): number => asked.filter((name) => name === method).length;

async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, "visibilityState", {
      configurable: true,
      get: () => (value ? "hidden" : "visible"),
    });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}

test("a reorg at the same height replaces a move", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
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
  await expect(noticeOf(page)).toHaveText(
    "The network replaced its latest blocks, which took back 1 move. This is the board now.",
  );
});

test("an outage is reported, and the board is up to date when the node is back", async ({ page, host }) => {
  const folder = mkdtempSync(join(tmpdir(), "anvil-"));
  const state = join(folder, "state.json");
  const node = new Anvil(await freePort());
  await node.up("--state", state);
  const table = await node.deploy();
  await node.play(table, node.account(0), node.account(1), [4]);
  await readFrom(page, node);
  await page.clock.install();
  await page.goto(linkTo(host, node, table));
  await expectBoard(page, "....x....");
  await node.down();
  await expect(noticeOf(page)).toHaveText(text.game.nodeLost);
  await expect(source(page)).toContainText(text.game.nodeLostShort);
  await expect(page.getByRole("alert")).toContainText("No connection to the network");
  expect(await board(page)).toBe("....x....");
  // Time stands still, so the page does not connect by itself before the click.
  await page.clock.pauseAt(Date.now() + 60_000);
  await node.up("--state", state);
  await node.move(table, node.account(1), 0);
  await page.getByRole("button", { name: text.game.tryNow }).click();
  await expectBoard(page, "o...x....");
  await page.clock.resume();
  await expect(noticeOf(page)).toHaveText(text.game.connectToPlay);
  await expect(page.locator('p[role="status"]')).toContainText("Connected to the network again");
  await node.down();
  rmSync(folder, { recursive: true });
});

test("after a node restarts without the table, the page says so until the table is back", async ({ page, host }) => {
  const node = await Anvil.start();
  const table = await node.deploy();
  await node.play(table, node.account(0), node.account(1), [4]);
  await readFrom(page, node);
  await page.goto(linkTo(host, node, table));
  await expectBoard(page, "....x....");
  await node.down("SIGKILL");
  await node.up();
  await expect(trouble(page)).toContainText(text.trouble.noneTitle);
  expect(await node.deploy()).toBe(table);
  await expect(title(page)).toHaveText("A free table");
  await node.down();
});

test("a page that was suspended is up to date when it wakes", async ({ page, context, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await anvil.newGame(table, x, o);
  const asked = requests(page);
  await page.goto(link);
  await expect(title(page)).toHaveText("X to move");
  // The debugger stops the page at an arbitrary point, and no event reports that time has passed.
  const debug = await context.newCDPSession(page);
  await debug.send("Debugger.enable");
  await Promise.all([new Promise((resolve) => debug.once("Debugger.paused", resolve)), debug.send("Debugger.pause")]);
  await anvil.move(table, x, 4);
  await anvil.move(table, o, 0);
  asked.length = 0;
  await debug.send("Debugger.disable");
  await expectBoard(page, "o...x....");
  expect(count(asked, "eth_call")).toBe(1);
});

test("while the page reads a table it shows nothing about its game", async ({ page, anvil, table, host }) => {
  await anvil.play(table, anvil.account(0), anvil.account(1), [4]);
  const proxy = await Proxy.start(anvil);
  await readFrom(page, proxy);
  proxy.raw = () => true;
  await page.goto(linkTo(host, proxy, table));
  await expect(title(page)).toHaveText(text.status.reading);
  await expect.poll(() => proxy.asked.length).toBeGreaterThan(0);
  await expect(page.locator(".board-wins path")).toHaveCount(0);
  await expect(page.locator("[data-mark], [data-win]")).toHaveCount(0);
  await expect(page.locator(".seat, .moves")).toHaveCount(0);
  await proxy.stop();
  await page.getByRole("button", { name: text.game.tryNow }).click();
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
