// The open table: where it is read, how often, which answers are shown, and what the page says about reorgs and outages.
import { afterEach, beforeEach, expect, test } from "vitest";
import { LOCAL_CHAIN } from "../../src/chains.ts";
import { ALICE, BEN, CARLA, encodeState, FakeNode, GAME, SEPOLIA, TABLE } from "../support/node.ts";
import { closeVisit, connect, linkTo, moves, notice, openPage, openTable, serve } from "./support/page.ts";
import type { Visit } from "./support/page.ts";

const UNKNOWN = 424_242;
/** How often the page looks at the table of these tests. */
const INTERVAL = 3000;
let node: FakeNode;

beforeEach(() => (node = new FakeNode(SEPOLIA)));
afterEach(closeVisit);

const status = ({ state }: Visit): unknown => state.nodeStatus.value;
const source = ({ state }: Visit): unknown => state.source.value;

// -- what is asked ----------------------------------------------------------------------

test("the chain and the code are asked for once, the head at every look, the game once per block", async () => {
  const visit = await openTable(node, { ...GAME, moves: [4] });
  await visit.pass(10 * INTERVAL);
  const counts = () => ["eth_chainId", "eth_getCode", "eth_call", "eth_getBlockByNumber"].map(node.count);
  expect(counts()).toEqual([1, 1, 1, 11]);
  node.mine({ moves: [4, 0] });
  await visit.pass(INTERVAL);
  expect([moves(visit), ...counts()]).toEqual([[4, 0], 1, 1, 2, 12]);
  // Not more often if a look is asked for while one is under way.
  const answer = node.hold("eth_getBlockByNumber");
  await visit.pass(INTERVAL);
  visit.table.lookNow();
  node.overrides = {};
  answer();
  await visit.pass(10 * INTERVAL);
  expect(node.count("eth_getBlockByNumber")).toBe(23);
});

test.each<[number, "visible" | "hidden", "player" | "opponent" | "others", object]>([
  [LOCAL_CHAIN, "visible", "player", { eth_getBlockByNumber: 240 }],
  [LOCAL_CHAIN, "hidden", "opponent", { eth_getBlockByNumber: 4 }],
  [SEPOLIA, "visible", "others", { eth_getBlockByNumber: 20, eth_call: 5 }],
  [SEPOLIA, "hidden", "opponent", { eth_getBlockByNumber: 4, eth_call: 4 }],
  [SEPOLIA, "hidden", "others", {}],
])("a minute on chain %i, %s, at the turn of the %s", async (chain, visibility, turn, expected) => {
  node.chainId = chain;
  node.accounts = [turn === "others" ? CARLA : ALICE];
  const { browser, pass } = await openTable(node, { ...GAME, moves: turn === "player" ? [] : [4] });
  browser.setHidden(visibility === "hidden");
  await pass(15_000);
  node.asked.length = 0;
  // With a block every 12 seconds on the public chain.
  for (let blocks = 0; blocks < 5; blocks += 1) {
    await pass(11_999);
    if (chain === SEPOLIA) node.mine();
    await pass(1);
  }
  expect(Object.fromEntries(node.asked.map((method) => [method, node.count(method)]))).toEqual(expected);
});

// -- what is shown ------------------------------------------------------------------------

test.each([
  ["nothing", "0x"],
  ["a game that cannot be", encodeState({ ...GAME, moves: [0, 3, 1, 4, 2, 5], forfeited: false })],
])("an answer of %s is an outage, and is not shown", async (_, lie) => {
  const visit = await openTable(node, { ...GAME, moves: [4] });
  node.overrides["eth_call"] = () => lie;
  node.mine({ moves: [4, 0] });
  await visit.pass(4 * INTERVAL);
  expect([status(visit), moves(visit)]).toEqual(["lost", [4]]);
  node.overrides = {};
  await visit.pass(10 * INTERVAL);
  expect([status(visit), moves(visit)]).toEqual(["connected", [4, 0]]);
});

test("one error is no outage, two in a row are, and the pauses double up to half a minute", async () => {
  const visit = await openTable(node, GAME);
  const times: number[] = [];
  node.overrides["eth_getBlockByNumber"] = () => {
    times.push(performance.now());
    throw { code: -32_000, message: "header not found" };
  };
  await visit.pass(INTERVAL);
  expect(status(visit)).toBe("connected");
  await visit.pass(120_000);
  expect(status(visit)).toBe("lost");
  expect(times.slice(1, 6).map((time, at) => time - (times[at] ?? 0))).toEqual([3000, 6000, 12_000, 24_000, 30_000]);
  // The player does not wait for the end of the pause, nor does a browser that is online again or wakes up.
  const comes = (event: string) => () => window.dispatchEvent(new Event(event));
  for (const poke of [visit.table.lookNow, comes("online"), comes("pageshow")]) {
    const before = times.length;
    poke();
    await visit.pass(0);
    expect(times).toHaveLength(before + 1);
  }
});

test("no answer is an outage at once; after it the chain and the code are checked again, and code with one more byte is not a table's", async () => {
  const visit = await openTable(node, GAME);
  const longer: FakeNode["overrides"][string] = (params) => `${String(node.answer("eth_getCode", params))}00`;
  for (const [lies, ...expected] of [
    [{ eth_getCode: () => "0x" }, "connected", "none"],
    [{ eth_getCode: longer }, "connected", "other"],
    [{ eth_chainId: () => "0x1" }, "lost", "other"],
    [{}, "connected", "table"],
  ] as const) {
    node.hold("eth_getBlockByNumber");
    await visit.pass(INTERVAL + 8000);
    expect(status(visit)).toBe("lost");
    node.overrides = lies;
    await visit.pass(60_000);
    expect([status(visit), visit.state.snapshot.value?.code]).toEqual(expected);
  }
});

test("a node that is behind does not bring an old board back, and a chain that is lower for long does", async () => {
  const visit = await openTable(node, { ...GAME, moves: [4] });
  const old = node.answer("eth_getBlockByNumber", []);
  node.mine({ moves: [4, 0] });
  await visit.pass(INTERVAL);
  // Nor does another source.
  await connect(visit, Object.assign(new FakeNode(SEPOLIA), { blocks: node.blocks.slice(0, -1) }));
  expect(moves(visit)).toEqual([4, 0]);
  await connect(visit, node);
  const boards: unknown[] = [];
  visit.state.snapshot.subscribe(() => void boards.push(moves(visit)));
  let turn = 0;
  node.overrides["eth_getBlockByNumber"] = (params) =>
    (turn += 1) % 2 ? old : node.answer("eth_getBlockByNumber", params);
  await visit.pass(15 * INTERVAL);
  node.overrides["eth_getBlockByNumber"] = () => old;
  await visit.pass(4 * INTERVAL);
  expect(boards).toEqual([[4, 0], [4]]);
});

test.each<[string, object, object, number | null]>([
  ["a move at the same height", { moves: [0] }, { moves: [8] }, 1],
  ["the second move of two", { moves: [0, 1] }, { moves: [0] }, 1],
  ["nothing, and adds a move", { moves: [0] }, { moves: [0, 1] }, null],
  ["nothing, and starts the next game", { moves: [0] }, { number: 2n, moves: [] }, null],
  ["a forfeit", { moves: [4], forfeited: true }, { moves: [4] }, 0],
  ["a whole game", { number: 2n, moves: [4, 0] }, { moves: [4] }, 2],
])("a reorg that takes back %s is reported so, until the game goes on", async (_, before, after, expected) => {
  const visit = await openTable(node, { ...GAME, ...before });
  node.blocks.splice(-1);
  node.mine({ ...GAME, ...after });
  await visit.pass(60_000);
  expect(visit.state.notice.value).toEqual(expected === null ? null : { kind: "reorg", moves: expected });
  node.mine(expected === 1 ? { forfeited: true } : { moves: [...node.game.moves, 7] });
  await visit.pass(INTERVAL);
  expect(notice(visit)).toBe("");
});

test("a table is listed once the player has a seat, with the opponent and the turn as last seen", async () => {
  const visit = await openTable(node, { ...GAME, x: CARLA });
  const { recall } = visit.memory;
  expect(recall.tables()).toEqual([]);
  for (const [game, opponent, turn] of [
    [GAME, BEN, "yours"],
    [{ moves: [4] }, BEN, "theirs"],
    [{ moves: [4, 0, 1, 2, 7] }, BEN, "over"],
    [{ number: 2n, x: ALICE, o: ALICE, moves: [] }, ALICE, "yours"],
  ] as const) {
    node.mine(game);
    await visit.pass(INTERVAL);
    expect(recall.tables()).toEqual([{ chain: SEPOLIA, address: TABLE, opponent, turn }]);
  }
  // Others have taken the table.
  node.mine({ number: 3n, x: CARLA, o: BEN, moves: [] });
  await visit.pass(INTERVAL);
  expect(recall.tables()).toMatchObject([{ opponent: ALICE }]);
});

// -- where it is read -----------------------------------------------------------------------

test.each([
  [SEPOLIA, "endpoint"],
  [UNKNOWN, "none"],
])("a table on chain %i has the source %s, unless a wallet on its chain is connected", async (chain, otherwise) => {
  node.chainId = chain;
  node.mine({ ...GAME, moves: [4] });
  serve(node);
  const visit = await openPage(linkTo(chain));
  for (const [wallet, expected] of [
    [null, otherwise],
    [node.wallet(ALICE), "wallet"],
    [new FakeNode(1), otherwise],
  ] as const) {
    if (wallet !== null) await connect(visit, wallet);
    node.asked.length = 0;
    await visit.pass(30_000);
    expect([source(visit), node.asked.length > 0]).toEqual([expected, expected === "endpoint"]);
  }
  expect(moves(visit)).toEqual([4]);
});

test("what a table that was left answers is not shown", async () => {
  const visit = await openTable(node, { ...GAME, moves: [4] });
  node.mine({ moves: [4, 0] });
  const answer = node.hold("eth_call");
  await visit.pass(INTERVAL);
  visit.state.notice.value = { kind: "reorg", moves: 1 };
  visit.browser.visit("");
  answer();
  node.asked.length = 0;
  await visit.pass(60_000);
  expect([visit.state.snapshot.value, notice(visit), node.asked, status(visit)]).toEqual([null, "", [], null]);
});
