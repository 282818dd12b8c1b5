// The links to transactions and the score come from the table's events. Endpoints differ in how many blocks of events they
// return at once, and how far back. The page shows what it gets, reports what is missing, and limits its requests.
import { en } from "../src/text/en.ts";
import { allow, Anvil, expect, expectBoard, sit, cellAt, test, title, walletButton, draws, source, movesIn, score } from "./support/fixtures.ts";
import { Proxy } from "./support/proxy.ts";
import type { Page } from "@playwright/test";

interface Range {
  fromBlock: string;
  toBlock: string;
}

/** A chain with an explorer and more blocks than any limit covers; its node, and a proxy as its endpoint. */
async function sepolia(page: Page, host: string): Promise<{ node: Anvil; proxy: Proxy; table: `0x${string}`; link: string; end: () => Promise<void> }> {
  const node = await Anvil.start(11_155_111, "--number", "1000000");
  const proxy = await Proxy.start(node);
  const table = await node.deploy();
  await allow(page, proxy);
  const link = `${host}?chain=${node.chainId}&table=${table}&rpc=${encodeURIComponent(proxy.url)}`;
  const end = async (): Promise<void> => {
    await proxy.stop();
    await node.down();
  };
  return { node, proxy, table, link, end };
}

/** Limits the blocks that the proxy answers for at once, and their age. */
function limit(node: Anvil, proxy: Proxy, most: number, oldest = Infinity): void {
  proxy.overrides["eth_getLogs"] = async ([filter]) => {
    const head = Number(await node.rpc("eth_blockNumber"));
    const { fromBlock, toBlock } = filter as Range;
    const [from, to] = [Number(fromBlock), toBlock === "latest" ? head : Number(toBlock)];
    if (to - from + 1 > most) throw { code: -32602, message: `block range is limited to ${most}` };
    if (from < head - oldest) throw { code: 4444, message: "pruned history unavailable" };
    return node.rpc("eth_getLogs", filter);
  };
}

const mine = (node: Anvil, blocks: number): Promise<unknown> => node.rpc("anvil_mine", `0x${blocks.toString(16)}`);
const links = (page: Page) => movesIn(page).getByRole("link");
/** Whether the page says that it lacks links. */
const missing = async (page: Page, visible = true): Promise<void> => expect(source(page).getByText(en.game.linksUnknown)).toBeVisible({ visible });

test("an endpoint without limits gets one request for the links and two for the score", async ({ page, host }) => {
  const { node, proxy, table, link, end } = await sepolia(page, host);
  const [x, o] = [node.account(0), node.account(1)];
  await node.play(table, x, o, [0, 3, 1, 4, 2]);
  await node.play(table, x, o, [4, 0]);
  await page.goto(link);
  await expect(links(page)).toHaveCount(2);
  await expect(score(page)).toHaveText(["1", "0"]);
  await missing(page, false);
  expect(proxy.count("eth_getLogs")).toBe(3);
  // A move costs one more request, and none for the score.
  await node.move(table, x, 8);
  await expect(links(page)).toHaveCount(3);
  expect(proxy.count("eth_getLogs")).toBe(4);
  // The end of a game changes the score: two requests.
  await node.forfeit(table, o);
  await expect(score(page)).toHaveText(["2", "0"]);
  expect(proxy.count("eth_getLogs")).toBe(6);
  await end();
});

test("an endpoint with a limit gets small requests, from the newest block back", async ({ page, host }) => {
  const { node, proxy, table, link, end } = await sepolia(page, host);
  const [x, o] = [node.account(0), node.account(1)];
  await node.play(table, x, o, [0, 3, 1, 4, 2]);
  await node.newGame(table, x, o);
  const hashes = [];
  for (const [at, cell] of [4, 0, 8].entries()) {
    hashes.push(await node.move(table, at % 2 === 0 ? x : o, cell));
    await mine(node, 90);
  }
  limit(node, proxy, 100);
  await page.goto(link);
  await expect(links(page)).toHaveCount(3);
  for (const [at, hash] of hashes.entries()) await expect(links(page).nth(at)).toHaveAttribute("href", new RegExp(`${hash}$`));
  await missing(page, false);
  // The search reaches the table's first game, so there is a score.
  await expect(score(page)).toHaveText(["1", "0"]);
  expect(proxy.count("eth_getLogs")).toBeLessThanOrEqual(2 * 12);
  // The page does not ask again for what it knows, and remembers the width that the endpoint accepts.
  proxy.asked.length = 0;
  await node.move(table, o, 1);
  await expect(links(page)).toHaveCount(4);
  expect(proxy.count("eth_getLogs")).toBe(1);
  await end();
});

test("an endpoint without old blocks gives only the newest links", async ({ page, host }) => {
  const { node, proxy, table, link, end } = await sepolia(page, host);
  const [x, o] = [node.account(0), node.account(1)];
  await node.play(table, x, o, [4]);
  await mine(node, 500);
  await node.move(table, o, 0);
  limit(node, proxy, 100, 300);
  await page.goto(link);
  await expect(movesIn(page).nth(1).getByRole("link")).toBeVisible();
  await expect(links(page)).toHaveCount(1);
  await missing(page);
  await expect(draws(page)).toHaveText(en.game.scoreUnknown);
  expect(proxy.count("eth_getLogs")).toBeLessThanOrEqual(2 + 2 * 12);
  // While nothing happens, the page asks only for the head.
  proxy.asked.length = 0;
  await page.waitForTimeout(500);
  expect(new Set(proxy.asked.map(({ method }) => method))).toEqual(new Set(["eth_getBlockByNumber"]));
  await end();
});

test("an endpoint with a very small limit gets at most twelve requests for each search", async ({ page, host }) => {
  const { node, proxy, table, link, end } = await sepolia(page, host);
  await node.play(table, node.account(0), node.account(1), [4]);
  await mine(node, 300);
  await node.move(table, node.account(1), 0);
  limit(node, proxy, 10);
  await page.goto(link);
  await missing(page);
  await expect(links(page)).toHaveCount(1);
  await expect(draws(page)).toHaveText(en.game.scoreUnknown);
  expect(proxy.count("eth_getLogs")).toBeGreaterThan(12);
  expect(proxy.count("eth_getLogs")).toBeLessThanOrEqual(2 * 12);
  await end();
});

test("an endpoint without valid logs costs the links and the score, and the page says so", async ({ page, host }) => {
  const { node, proxy, table, link, end } = await sepolia(page, host);
  await node.play(table, node.account(0), node.account(1), [4, 0]);
  for (const answer of [
    () => {
      throw { code: -32601, message: "the method eth_getLogs is not available" };
    },
    () => "<b>logs</b>",
    () => [null],
    () => [{ address: table, topics: ["0x12"], data: "0x", transactionHash: "javascript:alert(1)" }],
    () => [{ address: node.account(5), topics: [`0x${"12".repeat(32)}`], data: "0x", transactionHash: `0x${"12".repeat(32)}` }],
  ]) {
    proxy.overrides["eth_getLogs"] = answer;
    proxy.asked.length = 0;
    await page.goto(link);
    await expectBoard(page, "o...x....");
    await missing(page);
    await expect(draws(page)).toHaveText(en.game.scoreUnknown);
    await expect(score(page)).toHaveText(["–", "–"]);
    await expect(links(page)).toHaveCount(0);
    expect(proxy.count("eth_getLogs")).toBeLessThanOrEqual(2 + 2 * 12);
  }
  // Events of impossible moves change nothing.
  const word = (value: number): string => value.toString(16).padStart(64, "0");
  const logs = (await node.rpc("eth_getLogs", { address: table, fromBlock: "0x0" })) as { topics: string[]; data: string }[];
  // MoveMade is the only event with three topics.
  const log = logs.find(({ topics }) => topics.length === 3);
  expect(log).toBeDefined();
  proxy.overrides["eth_getLogs"] = () => [0, 3, 10, 200].map((sequence) => ({ ...log, data: `0x${word(sequence)}${word(1)}${word(1)}` }));
  await page.goto(link);
  await missing(page);
  await expect(links(page)).toHaveCount(0);
  await end();
});

test("missing events are read again after an outage, and through a wallet that connects", async ({ page, host }) => {
  const { node, proxy, table, link, end } = await sepolia(page, host);
  const [x, o] = [node.account(0), node.account(1)];
  await node.play(table, x, o, [4, 0]);
  const wallet = await sit(page, node, x, { trusted: false, name: "Historian" });
  const silent: Proxy["raw"] = ({ method }, response) => {
    if (method !== "eth_getLogs") return false;
    response.destroy();
    return true;
  };
  proxy.raw = silent;
  await page.goto(link);
  await missing(page);
  proxy.raw = (_, response) => {
    response.destroy();
    return true;
  };
  await expect(source(page)).toContainText(en.game.nodeLostShort);
  proxy.raw = null;
  await expect(links(page)).toHaveCount(2);
  await missing(page, false);
  await expect(score(page)).toHaveText(["0", "0"]);

  proxy.raw = silent;
  await page.reload();
  await expect(draws(page)).toHaveText(en.game.scoreUnknown);
  await walletButton(page).click();
  await page.getByRole("button", { name: "Historian" }).click();
  await expect(title(page)).toHaveText("Your turn");
  await expect(links(page)).toHaveCount(2);
  await expect(score(page)).toHaveText(["0", "0"]);
  await cellAt(page, 8).click();
  await expect(links(page)).toHaveCount(3);
  expect(wallet.count("eth_getLogs")).toBeGreaterThan(0);
  await end();
});
