// The links to transactions and the score, from endpoints that differ in what they return.
import { encodeEventTopics, pad } from "viem/utils";
import { afterEach, expect, test } from "vitest";
import { InvalidAnswer } from "../../src/answers.ts";
import { readMoveHashes, readScore, type Search } from "../../src/events.ts";
import { ABI } from "../../src/generated/contract.ts";
import { clientOf } from "../../src/provider.ts";
import { type Game, ZERO } from "../../src/rules.ts";
import { ALICE, BEN, CARLA, CODE, FakeNode, TABLE, type FakeGame } from "./support/node.ts";
import { LogServer, type Played } from "./support/logs.ts";
import { closeVisit, connect, linkTo, openPage } from "./support/table.ts";

afterEach(closeVisit);

const WON: Played = { x: ALICE, o: BEN, moves: [0, 3, 1, 4, 2], status: "x_won" };
const OPEN: Played = { x: ALICE, o: BEN, moves: [4, 0, 8], status: "in_progress" };

/** The game as the board shows it. */
const gameOf = (number: bigint, { x, o, moves, status }: Played): Game => ({
  number,
  playerX: x,
  playerO: o,
  moves,
  turn: null,
  status,
});

const [CREATED, ENDED] = (["GameCreated", "GameEnded"] as const).map(
  (eventName) => encodeEventTopics({ abi: ABI, eventName })[0],
);

const searchOf = (server: LogServer): Search => ({
  client: clientOf(server),
  table: TABLE,
  head: server.head,
  wanted: () => true,
});

test("an endpoint without limits gets one request for the links and two for the score", async () => {
  const server = new LogServer();
  server.play(WON);
  const hashes = server.play(OPEN);
  expect(await readMoveHashes(searchOf(server), gameOf(2n, OPEN), [])).toEqual(hashes);
  expect(server.asked).toEqual([[0, "latest"]]);
  expect(await readScore(searchOf(server), gameOf(2n, OPEN))).toEqual({ wins: [1, 0], draws: 0 });
  expect(server.asked.slice(1)).toEqual([
    [0, "latest"],
    [0, "latest"],
  ]);
  // Only games between the two, and only results that name one of them or nobody.
  const [x, o, nobody] = [pad(ALICE).toLowerCase(), pad(BEN).toLowerCase(), pad(ZERO)];
  expect(server.topics.slice(1)).toEqual([
    [CREATED, null, [x, o], [x, o]],
    [ENDED, null, [x, o, nobody]],
  ]);
});

// Everything that two players and a stranger did at one table.
const HISTORY: readonly Played[] = [
  WON,
  { x: BEN, o: ALICE, moves: [0, 3, 1, 4, 2], status: "x_won" },
  { x: BEN, o: ALICE, moves: [0, 3, 1, 4, 8, 5], status: "o_won" },
  { x: ALICE, o: BEN, moves: [0, 1, 2, 4, 3, 5, 7, 6, 8], status: "draw" },
  { x: ALICE, o: BEN, moves: [0], status: "o_forfeits" },
  { x: BEN, o: ALICE, moves: [0], status: "o_forfeits" },
  { x: BEN, o: ALICE, moves: [0, 1], status: "x_forfeits" },
  { x: ALICE, o: CARLA, moves: [], status: "x_forfeits" },
  { x: CARLA, o: BEN, moves: [0], status: "o_forfeits" },
  { x: CARLA, o: CARLA, moves: [0], status: "o_forfeits" },
  { x: CARLA, o: CARLA, moves: [0, 1], status: "x_forfeits" },
  { x: CARLA, o: CARLA, moves: [], status: "x_forfeits" },
  OPEN,
];

test.each([
  ["Alice's marks", ALICE, BEN, { wins: [4, 2], draws: 1 }],
  ["Ben's marks", BEN, ALICE, { wins: [2, 4], draws: 1 }],
  ["one person on both sides, by the mark", CARLA, CARLA, { wins: [1, 2], draws: 0 }],
  ["a single game", ALICE, CARLA, { wins: [0, 1], draws: 0 }],
  ["the other way round", CARLA, ALICE, { wins: [1, 0], draws: 0 }],
  ["two who never played", TABLE, CARLA, { wins: [0, 0], draws: 0 }],
])("the score from %s", async (_, x, o, expected) => {
  for (const limit of [Infinity, 20]) {
    const server = new LogServer();
    for (const played of HISTORY) server.play(played);
    server.limit = limit;
    expect(await readScore(searchOf(server), gameOf(13n, { ...OPEN, x, o }))).toEqual(expected);
    expect(server.asked.length).toBe(limit === Infinity ? 2 : 2 + 1 + Math.ceil((server.head + 1) / 10));
  }
});

test("a result that is there twice counts once", async () => {
  const server = new LogServer();
  server.play(WON);
  server.logs.push(...server.logs);
  expect(await readScore(searchOf(server), gameOf(1n, WON))).toEqual({ wins: [1, 0], draws: 0 });
});

test("a result that no contract reports is not a draw", async () => {
  const server = new LogServer();
  server.play(WON);
  server.play({ ...WON, status: "draw" });
  for (const log of server.logs)
    if (log.topics[0] === ENDED && log.topics[2] === pad(ZERO)) log.data = `0x${"63".padStart(64, "0")}`;
  expect(await readScore(searchOf(server), gameOf(2n, WON))).toEqual({ wins: [1, 0], draws: 0 });
});

test("with a limit the search for the score ends at the first game, however long ago its end was, else at block 0", async () => {
  const server = new LogServer();
  server.head = 5000;
  server.play(WON, 90);
  server.play(OPEN);
  server.limit = 100;
  expect(await readScore(searchOf(server), gameOf(2n, OPEN))).toEqual({ wins: [1, 0], draws: 0 });
  expect(server.topics.at(-1)).toEqual([[CREATED, ENDED]]);
  expect(server.asked.at(-1)?.[0]).toBeGreaterThan(4900);
  // Its creation is missing, so the search goes back to block 0.
  const young = new LogServer();
  young.play(WON, 30);
  young.play({ ...OPEN, moves: [0, 3, 1, 4, 2], status: "x_won" }, 30);
  young.logs.shift();
  young.limit = 100;
  expect(await readScore(searchOf(young), gameOf(2n, WON))).toEqual({ wins: [1, 0], draws: 0 });
  expect(young.asked.at(-1)?.[0]).toBe(0);
});

test("one block more than the endpoint allows costs one refusal", async () => {
  const server = new LogServer();
  server.play(OPEN, 25);
  expect(server.head).toBe(100);
  server.limit = 100;
  server.logs.splice(0, 2);
  await readMoveHashes(searchOf(server), gameOf(1n, OPEN), []);
  expect(server.asked).toEqual([
    [0, "latest"],
    [1, "latest"],
    [0, 0],
  ]);
});

test("an endpoint with a limit gets small requests, from the newest block back, and keeps the width", async () => {
  const server = new LogServer();
  server.play(WON);
  const hashes = server.play(OPEN, 90);
  server.limit = 100;
  const search = searchOf(server);
  expect(await readMoveHashes(search, gameOf(2n, OPEN), [])).toEqual(hashes);
  const { head } = server;
  // 366 blocks: too many at once, and the next narrower widths fail, too, where they cover more than 100.
  expect(server.asked).toEqual([
    [0, "latest"],
    [head - 99, "latest"],
    [head - 199, head - 100],
  ]);
  server.asked.length = 0;
  expect(await readScore(search, gameOf(2n, OPEN))).toEqual({ wins: [1, 0], draws: 0 });
  expect(server.asked.map(([from, to]) => (to === "latest" ? head : to) - from + 1)).toEqual([100, 100, 100, 66 + 1]);
});

test("what is known is not asked again", async () => {
  const server = new LogServer();
  const hashes = server.play({ ...OPEN, moves: [4, 0, 8, 2] }, 90);
  server.limit = 100;
  const game = gameOf(1n, { ...OPEN, moves: [4, 0, 8, 2] });
  expect(await readMoveHashes(searchOf(server), game, hashes.slice(0, 3))).toEqual(hashes);
  expect(server.asked).toEqual([
    [0, "latest"],
    [server.head - 99, "latest"],
  ]);
  server.asked.length = 0;
  expect(await readMoveHashes(searchOf(server), { ...game, moves: [] }, [])).toEqual([]);
  expect(server.asked).toEqual([]);
});

test("an endpoint without old blocks gives only the newest links, and no score", async () => {
  const server = new LogServer();
  const hashes = server.play({ ...OPEN, moves: [4, 0] }, 500);
  server.limit = 100;
  server.oldest = server.head - 300;
  const game = gameOf(1n, { ...OPEN, moves: [4, 0] });
  expect(await readMoveHashes(searchOf(server), game, [])).toEqual([null, hashes[1]]);
  expect(await readScore(searchOf(server), game)).toBeNull();
  expect(server.asked.length).toBeLessThanOrEqual(2 * 12);
});

test("an endpoint with a very small limit gets twelve requests for each search", async () => {
  const server = new LogServer();
  const hashes = server.play({ ...OPEN, moves: [4, 0] }, 300);
  server.limit = 10;
  const game = gameOf(1n, { ...OPEN, moves: [4, 0] });
  expect(await readMoveHashes(searchOf(server), game, [])).toEqual([null, hashes[1]]);
  expect(server.asked).toHaveLength(12);
  expect(await readScore(searchOf(server), game)).toBeNull();
  expect(server.asked).toHaveLength(24);
});

test("a search that is no longer wanted ends", async () => {
  const server = new LogServer();
  server.play(OPEN, 90);
  server.limit = 10;
  await readMoveHashes({ ...searchOf(server), wanted: () => server.asked.length < 3 }, gameOf(1n, OPEN), []);
  expect(server.asked).toHaveLength(3);
});

test("moves of other games and impossible numbers of moves change nothing", async () => {
  const server = new LogServer();
  const hashes = server.play({ ...OPEN, moves: [4] });
  const [log] = server.logs.slice(-1);
  if (log === undefined) throw new Error("no log");
  for (const sequence of [0, 3, 10, 200]) {
    server.logs.push({
      ...log,
      transactionHash: `0x${"ee".repeat(32)}`,
      data: `0x${sequence.toString(16).padStart(64, "0")}${"0".repeat(128)}`,
    });
  }
  server.request = async () => server.logs.slice(1);
  expect(await readMoveHashes(searchOf(server), gameOf(1n, { ...OPEN, moves: [4, 0] }), [])).toEqual([...hashes, null]);
  // The endpoint ignores the filter, so it returns what was not asked for.
  await expect(readMoveHashes(searchOf(server), gameOf(2n, OPEN), [])).rejects.toBeInstanceOf(InvalidAnswer);
});

test("a log that does not fit its event is not used", async () => {
  const server = new LogServer();
  server.play(WON);
  for (const log of server.logs) log.data = "0x12";
  await expect(readMoveHashes(searchOf(server), gameOf(1n, WON), [])).rejects.toBeInstanceOf(InvalidAnswer);
  await expect(readScore(searchOf(server), gameOf(1n, WON))).rejects.toBeInstanceOf(InvalidAnswer);
  // An honest refusal is tried again with less; a lie is not.
  expect(server.asked).toHaveLength(3);
});

// -- on the page ----------------------------------------------------------------

const SEPOLIA = 11_155_111;

/** A node on a chain with an explorer, with the events of a log server. */
async function openWithEvents(played: readonly Played[]) {
  const server = new LogServer();
  const hashes = played.map((one) => server.play(one));
  const node = new FakeNode(SEPOLIA);
  const [last] = played.slice(-1);
  if (last === undefined) throw new Error("no game");
  for (let at = 0; at < server.head; at += 1)
    node.mine({ number: BigInt(played.length), ...last, forfeited: last.status.endsWith("forfeits") });
  node.overrides["eth_getLogs"] = (params) => server.request({ method: "eth_getLogs", params });
  const visit = await openPage(linkTo(SEPOLIA));
  await connect(visit, node);
  return { server, node, visit, hashes };
}

test("a move costs one more request, and the end of a game two for the score", async () => {
  const { server, node, visit, hashes } = await openWithEvents([WON, { ...OPEN, moves: [4, 0] }]);
  const { page, pass } = visit;
  expect(page.state.links).toEqual({ number: 2n, hashes: hashes[1] });
  expect(page.state.score).toEqual({ wins: [1, 0], draws: 0 });
  expect(server.asked).toHaveLength(3);
  // What the page knows stays, also if the endpoint forgets it.
  server.logs.length = 0;
  node.mine({ moves: [4, 0, 8] });
  await pass(4000);
  expect(server.asked).toHaveLength(4);
  expect(page.state.links?.hashes).toEqual([...(hashes[1] ?? []), null]);
  node.mine({ forfeited: true });
  await pass(4000);
  // The endpoint has no link for the last move yet.
  expect(server.asked).toHaveLength(6);
});

test("an endpoint with a limit shows the links and the score, too", async () => {
  const { server, node, visit, hashes } = await openWithEvents([WON, { ...OPEN, moves: [4, 0] }]);
  server.limit = 10;
  server.asked.length = 0;
  node.mine({ number: 3n, moves: [] });
  await visit.pass(4000);
  server.asked.length = 0;
  node.mine({ number: 2n, moves: [4, 0] });
  await visit.pass(4000);
  expect(visit.page.state).toMatchObject({ links: { hashes: hashes[1] }, score: { wins: [1, 0], draws: 0 } });
  expect(server.asked.every(([from, to]) => from === 0 || (to === "latest" ? server.head : to) - from < 10)).toBe(true);
});

test("a table shows no score and no links of the table before", async () => {
  const { node, visit } = await openWithEvents([WON, OPEN]);
  const { page, browser, pass } = visit;
  expect(page.state.score).toEqual({ wins: [1, 0], draws: 0 });
  node.hold("eth_getLogs");
  browser.visit(linkTo(SEPOLIA, CARLA));
  expect([page.state.score, page.state.links, page.state.snapshot]).toEqual([null, null, null]);
  await pass(1000);
  expect([page.state.score, page.state.links]).toEqual([null, null]);
});

test.each(["x", "o"])("at the same table a game with another %s has a score of its own", async (seat) => {
  const { node, visit } = await openWithEvents([WON, OPEN]);
  node.hold("eth_getLogs");
  node.mine({ number: 3n, [seat]: CARLA, moves: [] });
  await visit.pass(4000);
  expect(visit.page.state.snapshot?.game?.number).toBe(3n);
  expect(visit.page.state.score).toBeNull();
});

test.each([
  ["refuses", () => Promise.reject(new Error("the method eth_getLogs is not available"))],
  ["answers with markup", () => "<b>logs</b>"],
  [
    "answers with a log of another contract",
    () => [{ address: CARLA, topics: [], data: "0x", transactionHash: `0x${"12".repeat(32)}`, blockNumber: "0x1" }],
  ],
])("an endpoint that %s costs the links and the score, and is asked again after an outage", async (_, answer) => {
  const { server, node, visit, hashes } = await openWithEvents([WON, { ...OPEN, moves: [4, 0] }]);
  const { page, browser, pass } = visit;
  node.overrides["eth_getLogs"] = answer;
  browser.visit(linkTo(SEPOLIA));
  await pass(4000);
  expect(page.state.snapshot?.game?.moves).toEqual([4, 0]);
  expect([page.state.links?.hashes, page.state.score]).toEqual([[null, null], "unknown"]);
  expect(node.count("eth_getLogs")).toBeLessThanOrEqual(3 + 2 + 2 * 12);
  // While nothing happens, the page asks only for the head.
  node.asked.length = 0;
  await pass(10_000);
  expect(new Set(node.asked)).toEqual(new Set(["eth_getBlockByNumber"]));
  node.overrides["eth_getLogs"] = (params) => server.request({ method: "eth_getLogs", params });
  node.down = true;
  await pass(5000);
  node.down = false;
  await pass(60_000);
  expect([page.state.links?.hashes, page.state.score]).toEqual([hashes[1], { wins: [1, 0], draws: 0 }]);
});

test("the links of one game are not taken for the next one's", async () => {
  const { node, visit } = await openWithEvents([WON]);
  expect(visit.page.state.links?.hashes).toHaveLength(5);
  node.overrides["eth_getLogs"] = () => [];
  node.mine({ number: 2n, moves: [4, 0] });
  await visit.pass(4000);
  expect(visit.page.state.links).toEqual({ number: 2n, hashes: [null, null] });
});

test("an answer about an earlier board is not shown", async () => {
  const { server, node, visit } = await openWithEvents([{ ...OPEN, moves: [4] }]);
  const { page, pass } = visit;
  const { links, score } = page.state;
  const hold = (): (() => void) =>
    node.hold("eth_getLogs", (params) => server.request({ method: "eth_getLogs", params }));
  /** The answer about the first of two boards comes while the page asks about the second. */
  const late = async (first: Partial<FakeGame>, second: Partial<FakeGame>): Promise<void> => {
    const answer = hold();
    node.mine(first);
    await pass(4000);
    hold();
    node.mine(second);
    await pass(4000);
    answer();
    await pass(100);
  };
  await late({ moves: [4, 0] }, { moves: [4, 0, 8] });
  expect(page.state.links).toBe(links);
  server.play({ ...OPEN, moves: [4, 0, 8], status: "o_forfeits" });
  await late({ forfeited: true }, { number: 2n, moves: [], forfeited: false });
  expect(page.state.score).toBe(score);
});

test("an answer about one table is not shown at another one with the same game", async () => {
  const { server, node, visit } = await openWithEvents([{ ...OPEN, moves: [4] }]);
  node.head.code = new Map([...node.head.code, [CARLA, CODE]]);
  const hold = (): (() => void) =>
    node.hold("eth_getLogs", (params) => server.request({ method: "eth_getLogs", params }));
  const answer = hold();
  visit.browser.visit("");
  visit.browser.visit(linkTo(SEPOLIA));
  await visit.pass(1000);
  hold();
  visit.browser.visit(linkTo(SEPOLIA, CARLA));
  await visit.pass(1000);
  expect(visit.page.state.snapshot?.game?.moves).toEqual([4]);
  answer();
  await visit.pass(100);
  expect([visit.page.state.links, visit.page.state.score]).toEqual([null, null]);
});

test("after a reorg no link leads to a transaction that it removed", async () => {
  const { server, node, visit, hashes } = await openWithEvents([{ ...OPEN, moves: [4, 0] }]);
  expect(visit.page.state.links?.hashes).toEqual(hashes[0]);
  server.logs.splice(-1);
  const [again] = server.logs.slice(-1);
  if (again === undefined) throw new Error("no move");
  const other = `0x${"ee".repeat(32)}` as const;
  server.logs.push({
    ...again,
    transactionHash: other,
    data: `0x${[2, 0, 2].map((value) => value.toString(16).padStart(64, "0")).join("")}`,
  });
  const answer = node.hold("eth_getLogs", (params) => server.request({ method: "eth_getLogs", params }));
  node.reorg(1);
  node.mine({ moves: [4, 2] });
  await visit.pass(4000);
  expect([visit.page.state.snapshot?.game?.moves, visit.page.state.links]).toEqual([[4, 2], null]);
  answer();
  await visit.pass(100);
  expect(visit.page.state.links?.hashes).toEqual([hashes[0]?.[0], other]);
});

test("an answer that comes after the player has left the table is not shown at the next one", async () => {
  const { server, node, visit } = await openWithEvents([WON, OPEN]);
  const asked = server.asked.length;
  const answer = node.hold("eth_getLogs", (params) => server.request({ method: "eth_getLogs", params }));
  visit.browser.visit(linkTo(SEPOLIA));
  await visit.pass(1000);
  visit.browser.visit("");
  // The score is read after the links.
  for (const _ of ["links", "score"]) {
    answer();
    await visit.pass(100);
  }
  expect(server.asked.length).toBeGreaterThan(asked);
  expect([visit.page.state.links, visit.page.state.score]).toEqual([null, null]);
});
