// The links to transactions and the score, from endpoints that differ in what they return. world.test.ts proves the links through
// reorgs, outages and late nodes.
import { afterEach, expect, test } from "vitest";
import { RUNTIME } from "../../src/generated/bytecode.ts";
import type { Hex } from "../../src/rules.ts";
import { ALICE, BEN, CARLA, type FakeGame, FakeNode, type Log } from "../support/node.ts";
import { rpcError, SEPOLIA } from "../support/node.ts";
import { closeVisit, connect, linkTo, openPage, type Visit } from "./support/page.ts";

afterEach(closeVisit);

type Played = Omit<FakeGame, "number">;

const WON: Played = { x: ALICE, o: BEN, moves: [0, 3, 1, 4, 2], forfeited: false };
const OPEN: Played = { x: ALICE, o: BEN, moves: [4, 0], forfeited: false };
const ONE_WIN = { x: 1, o: 0, draws: 0 };

/**
 * A page at a table where these games were played, with a pause before each block. Its endpoint returns the events of so many blocks
 * at once, and none before the oldest.
 */
async function openWith(played: readonly Played[], { limit = Infinity, oldest = 0, pause = 1 } = {}) {
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
];

test.each([
  ["Alice's marks", ALICE, BEN, { x: 4, o: 2, draws: 1 }],
  ["Ben's marks", BEN, ALICE, { x: 2, o: 4, draws: 1 }],
  ["one person on both sides, by the mark", CARLA, CARLA, { x: 1, o: 0, draws: 0 }],
])("the score from %s, also if every event is there twice", async (_, x, o, expected) => {
  const { state, node, answer, browser, pass } = await openWith([...HISTORY, { ...OPEN, x, o }]);
  expect(state.score.value).toEqual(expected);
  node.overrides["eth_getLogs"] = (params) => [...answer(params), ...answer(params)];
  browser.visit(linkTo(SEPOLIA));
  await pass(1000);
  expect(state.score.value).toEqual(expected);
});

test("only new blocks are read, only when the game has changed, and again if a move's event was missing", async () => {
  const place = await openWith([WON, OPEN], { limit: 100, pause: 30 });
  const { node, asked, answer, pass } = place;
  const head = node.blocks.length - 1;
  expect(shown(place)).toEqual([node.hashes, ONE_WIN]);
  // One request too wide for the endpoint at each width, then back to the first game.
  const widths = asked.splice(0).map(([from, to]) => (to === "latest" ? head : to) - from + 1);
  expect(widths).toEqual([271, 100, 100, 71]);
  node.mine();
  await pass(4000);
  expect(asked).toEqual([]);
  node.overrides["eth_getLogs"] = (params) => answer(params).slice(0, -1);
  node.mine({ moves: [4, 0, 8] });
  await pass(4000);
  expect(shown(place)).toEqual([[...node.hashes.slice(0, 2), null], ONE_WIN]);
  node.overrides["eth_getLogs"] = answer;
  node.mine({ forfeited: true });
  await pass(4000);
  const again = [head + 1, "latest"];
  expect([shown(place)[0], asked]).toEqual([node.hashes, [again, again]]);
});

test.each([
  ["refuses", { limit: 0 }, 0],
  ["allows ten blocks", { limit: 10 }, 1],
  ["keeps no old blocks", { oldest: 300 }, 2],
])("an endpoint that %s is asked twelve times at most, and again after an outage", async (_, limits, links) => {
  const place = await openWith([WON, OPEN], { ...limits, pause: 90 });
  const { node, asked, pass } = place;
  expect(shown(place)).toEqual([node.hashes.map((hash, at) => (at < 2 - links ? null : hash)), "unknown"]);
  expect(asked.length).toBeLessThanOrEqual(12);
  Object.assign(node, { down: true, overrides: {} });
  await pass(5000);
  node.mine();
  node.down = false;
  await pass(60_000);
  expect(shown(place)).toEqual([node.hashes, ONE_WIN]);
});

test("the links and the score of a board are not shown for another one", async () => {
  const place = await openWith([WON, OPEN]);
  const { node, browser, pass, state } = place;
  const release = node.hold("eth_getLogs");
  // A reorg has removed the transaction of a move.
  node.blocks.splice(-1);
  node.mine({ moves: [4, 2] });
  await pass(4000);
  expect([state.snapshot.value?.game?.moves, state.links.value]).toEqual([[4, 2], null]);
  // Another game, of other players.
  node.mine({ number: 3n, o: CARLA, moves: [] });
  await pass(4000);
  expect([state.snapshot.value?.game?.number, ...shown(place)]).toEqual([3n, null, null]);
  // An answer for the table before.
  node.head.code = new Map([...node.head.code, [CARLA, RUNTIME]]);
  browser.visit(linkTo(SEPOLIA, CARLA));
  node.overrides["eth_getLogs"] = () => new Promise(() => undefined);
  await pass(1000);
  release();
  await pass(1000);
  expect([state.snapshot.value?.game?.number, ...shown(place)]).toEqual([3n, null, null]);
});
