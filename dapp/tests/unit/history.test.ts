// The links to transactions and the score, from endpoints that differ in what they return. world.test.ts proves the links through
// reorgs, outages and late nodes.
import { afterEach, expect, test } from "vitest";
import type { Hex } from "../../src/rules.ts";
import { ALICE, BEN, CARLA, CODE, type FakeGame, FakeNode, type Log } from "../support/node.ts";
import { rpcError, SEPOLIA, TABLE } from "../support/node.ts";
import { closeVisit, connect, linkTo, openPage, type Visit } from "./support/page.ts";

afterEach(closeVisit);

type Played = Omit<FakeGame, "number">;

const WON: Played = { x: ALICE, o: BEN, moves: [0, 3, 1, 4, 2], forfeited: false };
const OPEN: Played = { x: ALICE, o: BEN, moves: [4, 0], forfeited: false };
const ONE_WIN = { wins: [1, 0], draws: 0 };

interface Options {
  /** The most blocks in one request, and the oldest block that the endpoint has. */
  limit?: number;
  oldest?: number;
  /** How many blocks a transaction takes. */
  pause?: number;
}

/** A page at a table where these games were played, and an endpoint that limits requests for events. */
async function openWith(played: readonly Played[], { limit = Infinity, oldest = 0, pause = 1 }: Options = {}) {
  const node = new FakeNode(SEPOLIA);
  for (const [at, { moves, ...game }] of played.entries()) {
    for (let count = 0; count <= moves.length; count += 1) {
      for (let blocks = 1; blocks < pause; blocks += 1) node.mine();
      node.mine({ number: BigInt(at + 1), ...game, forfeited: false, moves: moves.slice(0, count) });
    }
    if (game.forfeited) node.mine({ forfeited: true });
  }
  /** The first and the last block of every request for events. */
  const asked: [number, number | "latest"][] = [];
  const answer = (params: readonly unknown[]): Log[] => {
    const { fromBlock, toBlock } = params[0] as { fromBlock: Hex; toBlock: Hex | "latest" };
    const [from, to] = [Number(fromBlock), toBlock === "latest" ? node.blocks.length - 1 : Number(toBlock)];
    asked.push([from, toBlock === "latest" ? toBlock : to]);
    if (to - from + 1 > limit) throw rpcError(-32_602, `block range is limited to ${limit}`);
    if (from < oldest) throw rpcError(4444, "pruned history unavailable");
    return node.answer("eth_getLogs", params) as Log[];
  };
  node.overrides["eth_getLogs"] = answer;
  const visit = await openPage(linkTo(SEPOLIA));
  await connect(visit, node);
  return { ...visit, node, asked, answer };
}

/** What the page shows: the links of the game on the board, and the score. */
const shown = ({ state }: Visit): unknown[] => [state.links.value, state.score.value];

// Everything that two players and a stranger did at one table.
const HISTORY: readonly Played[] = [
  WON,
  { ...WON, x: BEN, o: ALICE },
  { x: BEN, o: ALICE, moves: [0, 3, 1, 4, 8, 5], forfeited: false },
  { x: ALICE, o: BEN, moves: [0, 1, 2, 4, 3, 5, 7, 6, 8], forfeited: false },
  { x: ALICE, o: BEN, moves: [0], forfeited: true },
  { x: BEN, o: ALICE, moves: [0], forfeited: true },
  { x: BEN, o: ALICE, moves: [0, 1], forfeited: true },
  { x: ALICE, o: CARLA, moves: [], forfeited: true },
  { x: CARLA, o: BEN, moves: [0], forfeited: true },
  { x: CARLA, o: CARLA, moves: [0], forfeited: true },
  { x: CARLA, o: CARLA, moves: [0, 1], forfeited: true },
  { x: CARLA, o: CARLA, moves: [], forfeited: true },
];

test.each([
  ["Alice's marks", ALICE, BEN, { wins: [4, 2], draws: 1 }],
  ["Ben's marks", BEN, ALICE, { wins: [2, 4], draws: 1 }],
  ["one person on both sides, by the mark", CARLA, CARLA, { wins: [1, 2], draws: 0 }],
  ["two who never played", TABLE, CARLA, { wins: [0, 0], draws: 0 }],
])("the score from %s, also if every event is there twice", async (_, x, o, expected) => {
  const { state, node, answer, browser, pass } = await openWith([...HISTORY, { ...OPEN, x, o }]);
  expect(state.score.value).toEqual(expected);
  node.overrides["eth_getLogs"] = (params) => [...answer(params), ...answer(params)];
  browser.visit(linkTo(SEPOLIA));
  await pass(1000);
  expect(state.score.value).toEqual(expected);
});

test("whatever an endpoint allows, it gets twelve requests at most, and what the page shows is true", async () => {
  const counts = { whole: 0, partial: 0 };
  for (const limit of [1, 9, 10, 99, 100, 101, 500, 2000, 9999, Infinity]) {
    for (const pause of [1, 20, 90]) {
      for (const oldest of [0, 300]) {
        const place = await openWith([WON, OPEN], { limit, oldest, pause });
        for (const moves of [OPEN.moves, [...OPEN.moves, 8]]) {
          place.node.mine({ moves });
          await place.pass(4000);
          const [links, score] = shown(place) as [(string | null)[], unknown];
          for (const [at, hash] of place.node.hashes.entries()) expect([hash, null]).toContain(links[at]);
          expect(["unknown", ONE_WIN]).toContainEqual(score);
          expect(place.asked.splice(0).length).toBeLessThanOrEqual(12);
          counts[score === "unknown" ? "partial" : "whole"] += 1;
        }
        closeVisit();
      }
    }
  }
  expect([counts.whole > 30, counts.partial > 30]).toEqual([true, true]);
});

test("what was read is not read again: only the new blocks, and only when the game has changed", async () => {
  const place = await openWith([WON, OPEN], { limit: 100, pause: 30 });
  const { node, asked, pass } = place;
  const head = node.blocks.length - 1;
  expect(shown(place)).toEqual([node.hashes, ONE_WIN]);
  // One request too wide for the endpoint at each width, then back to the first game.
  const widths = asked.splice(0).map(([from, to]) => (to === "latest" ? head : to) - from + 1);
  expect(widths).toEqual([271, 100, 100, 71]);
  node.mine();
  await pass(4000);
  expect(asked).toEqual([]);
  node.mine({ moves: [4, 0, 8] });
  await pass(4000);
  expect([...shown(place), asked]).toEqual([node.hashes, ONE_WIN, [[head + 1, "latest"]]]);
});

test.each<[string, (logs: Log[]) => unknown]>([
  ["refuses", () => Promise.reject(new Error("the method eth_getLogs is not available"))],
  ["answers with a log of another contract", (logs) => logs.map((log) => ({ ...log, address: CARLA }))],
  ["answers with logs that do not fit their events", (logs) => logs.map((log) => ({ ...log, data: "0x12" }))],
])("an endpoint that %s costs links and score, until an outage or another source", async (_, lie) => {
  const place = await openWith([WON, OPEN]);
  const { node, browser, pass } = place;
  node.overrides["eth_getLogs"] = () => lie(node.logs);
  browser.visit(linkTo(SEPOLIA));
  await pass(4000);
  expect(shown(place)).toEqual([[null, null], "unknown"]);
  // While nothing happens, the page asks only for the head.
  node.asked.length = 0;
  await pass(10_000);
  expect(new Set(node.asked)).toEqual(new Set(["eth_getBlockByNumber"]));
  Object.assign(node, { down: true, overrides: {} });
  await pass(5000);
  node.down = false;
  await pass(60_000);
  expect([...shown(place), node.count("eth_getLogs")]).toEqual([node.hashes, ONE_WIN, 1]);
  const wallet = Object.assign(new FakeNode(SEPOLIA), { blocks: node.blocks });
  await connect(place, wallet);
  expect(wallet.count("eth_getLogs")).toBe(1);
});

test("a link that the endpoint does not have yet comes with the next change of the game", async () => {
  const place = await openWith([{ ...OPEN, moves: [4] }]);
  const { node, answer, pass } = place;
  node.overrides["eth_getLogs"] = (params) => answer(params).slice(0, -1);
  node.mine({ moves: [4, 0] });
  await pass(4000);
  expect(shown(place)).toEqual([[node.hashes[0], null], { wins: [0, 0], draws: 0 }]);
  node.overrides = {};
  node.mine({ forfeited: true });
  await pass(4000);
  expect(shown(place)[0]).toEqual(node.hashes);
});

test("the links and the score of a table, a game and two players are not shown for others", async () => {
  const place = await openWith([WON, OPEN]);
  const { node, browser, pass, state } = place;
  const release = node.hold("eth_getLogs");
  node.mine({ number: 3n, o: CARLA, moves: [] });
  await pass(4000);
  expect([state.snapshot.value?.game?.number, ...shown(place)]).toEqual([3n, null, null]);
  // An answer for the table before.
  node.head.code = new Map([...node.head.code, [CARLA, CODE]]);
  browser.visit(linkTo(SEPOLIA, CARLA));
  expect(shown(place)).toEqual([null, null]);
  node.overrides["eth_getLogs"] = () => new Promise(() => undefined);
  await pass(1000);
  release();
  await pass(1000);
  expect([state.snapshot.value?.game?.number, ...shown(place)]).toEqual([3n, null, null]);
});

test.each([0, 1, 3])(
  "a move that a reorg brings back in another transaction gets its link (%s blocks later)",
  async (later) => {
    const place = await openWith([OPEN]);
    const { node, pass } = place;
    const { game } = node;
    node.blocks.splice(-1);
    node.mine(game);
    for (let blocks = 0; blocks < later; blocks += 1) node.mine();
    await pass(4000);
    expect(shown(place)[0]).toEqual(node.hashes);
  },
);

test("links and score come back with a table that a node has lost for a moment", async () => {
  const place = await openWith([WON, OPEN]);
  const { node, pass, state } = place;
  // One answer that cannot be is no outage, but the code is read again.
  for (const lie of [{ eth_call: () => "0x" }, { eth_getCode: () => "0x" }, {}]) {
    node.overrides = lie;
    node.mine();
    await pass(3000);
  }
  expect([state.snapshot.value?.code, ...shown(place)]).toEqual(["table", node.hashes, ONE_WIN]);
});

test("after a reorg no link leads to a transaction that it removed", async () => {
  const place = await openWith([OPEN]);
  const { node, pass, state } = place;
  node.blocks.splice(-1);
  node.mine({ moves: [4, 2] });
  const release = node.hold("eth_getLogs");
  await pass(4000);
  expect([state.snapshot.value?.game?.moves, state.links.value]).toEqual([[4, 2], null]);
  release();
  await pass(100);
  expect(shown(place)[0]).toEqual(node.hashes);
});
