// The links to transactions and the score come from the table's events, and endpoints differ in how many blocks of events
// they tell at once and how far back. What is told is shown; what is not is said; and nobody is dug through for it.
import { en } from "../src/text/en.ts";
import { allow, Anvil, expect, expectBoard, sit, square, test, title } from "./support/fixtures.ts";
import { Proxy } from "./support/proxy.ts";
import type { Page } from "@playwright/test";

interface Range {
  fromBlock: string;
  toBlock: string;
}

/** A chain with an explorer, and with a long past, so that no limit covers all of it; its node, and an endpoint before it. */
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

/** Answers for at most so many blocks at once, and for none older than so many. */
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
const links = (page: Page) => page.locator("#history a");
const linksHint = (page: Page) => page.locator("#history-hint");
const score = (page: Page) => page.locator(".seat-wins");

test("an endpoint that tells everything is asked once for the links and twice for the score", async ({ page, host }) => {
  const { node, proxy, table, link, end } = await sepolia(page, host);
  const [x, o] = [node.account(0), node.account(1)];
  await node.play(table, x, o, [0, 3, 1, 4, 2]);
  await node.play(table, x, o, [4, 0]);
  await page.goto(link);
  await expect(links(page)).toHaveCount(2);
  await expect(score(page)).toHaveText(["1", "0"]);
  await expect(linksHint(page)).toHaveText("");
  expect(proxy.count("eth_getLogs")).toBe(3);
  // A move costs one question more, and none about the score.
  await node.move(table, x, 8);
  await expect(links(page)).toHaveCount(3);
  expect(proxy.count("eth_getLogs")).toBe(4);
  // And so it does when the round ends: then there is a new score.
  await node.forfeit(table, o);
  await expect(score(page)).toHaveText(["2", "0"]);
  expect(proxy.count("eth_getLogs")).toBe(6);
  await end();
});

test("one that tells few blocks at once is asked for few, from the newest back", async ({ page, host }) => {
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
  await expect(linksHint(page)).toHaveText("");
  // Back to the table's first game, there is a score as well.
  await expect(score(page)).toHaveText(["1", "0"]);
  expect(proxy.count("eth_getLogs")).toBeLessThanOrEqual(2 * 12);
  // What is known already is not looked for again, and the width that was answered is remembered.
  proxy.asked.length = 0;
  await node.move(table, o, 1);
  await expect(links(page)).toHaveCount(4);
  expect(proxy.count("eth_getLogs")).toBe(1);
  await end();
});

test("one that keeps only new blocks tells the newest links; what is missing is said", async ({ page, host }) => {
  const { node, proxy, table, link, end } = await sepolia(page, host);
  const [x, o] = [node.account(0), node.account(1)];
  await node.play(table, x, o, [4]);
  await mine(node, 500);
  await node.move(table, o, 0);
  limit(node, proxy, 100, 300);
  await page.goto(link);
  await expect(page.locator("#history li").nth(1).getByRole("link")).toBeVisible();
  await expect(links(page)).toHaveCount(1);
  await expect(linksHint(page)).toHaveText(en.game.linksUnknown);
  await expect(page.locator("#draws")).toHaveText(en.game.scoreUnknown);
  expect(proxy.count("eth_getLogs")).toBeLessThanOrEqual(2 + 2 * 12);
  // Nothing happens: nothing more is asked, of that or of the game.
  proxy.asked.length = 0;
  await page.waitForTimeout(500);
  expect(new Set(proxy.asked.map(({ method }) => method))).toEqual(new Set(["eth_getBlockByNumber"]));
  await end();
});

test("one that tells very few blocks at once is not dug through: a dozen questions each, and then it is said", async ({ page, host }) => {
  const { node, proxy, table, link, end } = await sepolia(page, host);
  await node.play(table, node.account(0), node.account(1), [4]);
  await mine(node, 300);
  await node.move(table, node.account(1), 0);
  limit(node, proxy, 10);
  await page.goto(link);
  await expect(linksHint(page)).toHaveText(en.game.linksUnknown);
  await expect(links(page)).toHaveCount(1);
  await expect(page.locator("#draws")).toHaveText(en.game.scoreUnknown);
  expect(proxy.count("eth_getLogs")).toBeGreaterThan(12);
  expect(proxy.count("eth_getLogs")).toBeLessThanOrEqual(2 * 12);
  await end();
});

test("one that tells nothing, or lies, costs the links and the score, and both are said", async ({ page, host }) => {
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
    await expect(linksHint(page)).toHaveText(en.game.linksUnknown);
    await expect(page.locator("#draws")).toHaveText(en.game.scoreUnknown);
    await expect(score(page)).toHaveText(["–", "–"]);
    await expect(links(page)).toHaveCount(0);
    expect(proxy.count("eth_getLogs")).toBeLessThanOrEqual(2 + 2 * 12);
  }
  // Events of moves that there never were, and of other games, change nothing.
  const word = (value: number): string => value.toString(16).padStart(64, "0");
  const logs = (await node.rpc("eth_getLogs", { address: table, fromBlock: "0x0" })) as { topics: string[]; data: string }[];
  // Of the three events a move's is the one with two topics and a name.
  const log = logs.find(({ topics }) => topics.length === 3);
  expect(log).toBeDefined();
  proxy.overrides["eth_getLogs"] = () => [0, 3, 10, 200].map((sequence) => ({ ...log, data: `0x${word(sequence)}${word(1)}${word(1)}` }));
  await page.goto(link);
  await expect(linksHint(page)).toHaveText(en.game.linksUnknown);
  await expect(links(page)).toHaveCount(0);
  await end();
});

test("what nobody told is asked for again when the chain is back in touch, and of a wallet that comes", async ({ page, host }) => {
  const { node, proxy, table, link, end } = await sepolia(page, host);
  const [x, o] = [node.account(0), node.account(1)];
  await node.play(table, x, o, [4, 0]);
  const wallet = await sit(page, node, x, { trusted: false, name: "Teller" });
  const silent: Proxy["raw"] = ({ method }, response) => {
    if (method !== "eth_getLogs") return false;
    response.destroy();
    return true;
  };
  proxy.raw = silent;
  await page.goto(link);
  await expect(linksHint(page)).toHaveText(en.game.linksUnknown);
  proxy.raw = (_, response) => {
    response.destroy();
    return true;
  };
  await expect(page.locator("#table")).toHaveAttribute("data-touch", "no");
  proxy.raw = null;
  await expect(links(page)).toHaveCount(2);
  await expect(linksHint(page)).toHaveText("");
  await expect(score(page)).toHaveText(["0", "0"]);

  proxy.raw = silent;
  await page.reload();
  await expect(page.locator("#draws")).toHaveText(en.game.scoreUnknown);
  await page.locator("#wallet").click();
  await page.getByRole("button", { name: "Teller" }).click();
  await expect(title(page)).toHaveText("Your turn");
  await expect(links(page)).toHaveCount(2);
  await expect(score(page)).toHaveText(["0", "0"]);
  await square(page, 8).click();
  await expect(links(page)).toHaveCount(3);
  expect(wallet.count("eth_getLogs")).toBeGreaterThan(0);
  await end();
});
