// The links to transactions and the score, from endpoints that differ in what they return.
import { encodeEventTopics, pad } from "viem/utils";
import { afterEach, expect, test } from "vitest";
import { ABI } from "../../src/generated/contract.ts";
import { ZERO } from "../../src/rules.ts";
import { ALICE, BEN, CARLA, CODE, FakeNode, TABLE } from "./support/node.ts";
import { LogServer, type Played } from "./support/logs.ts";
import { closeVisit, connect, linkTo, openPage, type Visit } from "./support/table.ts";

afterEach(closeVisit);

const SEPOLIA = 11_155_111;
const WON: Played = { x: ALICE, o: BEN, moves: [0, 3, 1, 4, 2], status: "x_won" };
const OPEN: Played = { x: ALICE, o: BEN, moves: [4, 0], status: "in_progress" };
const ONE_WIN = { wins: [1, 0], draws: 0 };
const ENDED = encodeEventTopics({ abi: ABI, eventName: "GameEnded" })[0];

interface Place extends Visit {
  server: LogServer;
  node: FakeNode;
  /** The hashes of each game's moves. */
  hashes: string[][];
}

/** A page at a table whose node has the events of these games, and shows the last of them. */
async function openWith(
  played: readonly Played[],
  prepare: (server: LogServer) => unknown = () => null,
  pause = 1,
  start = 0,
): Promise<Place> {
  const server = new LogServer();
  server.head = start;
  const hashes = played.map((one) => server.play(one, pause));
  prepare(server);
  const node = new FakeNode(SEPOLIA);
  const [last] = played.slice(-1);
  const game = { number: BigInt(played.length), ...last, forfeited: last?.status.endsWith("forfeits") ?? false };
  while (node.blocks.length <= server.head) node.mine(game);
  node.overrides["eth_getLogs"] = (params) => server.request({ method: "eth_getLogs", params });
  const visit = await openPage(linkTo(SEPOLIA));
  await connect(visit, node);
  return { ...visit, server, node, hashes };
}

/** What the page shows: the links of the game on the board, and the score. */
const shown = ({ page }: Visit): unknown[] => [page.state.links.value?.hashes, page.state.score.value];

/** A move by the other account, with its event. */
function move({ server, node }: Place, sequence: number, cell: number, hash = `0x${"ee".repeat(32)}` as const): void {
  const [log] = server.logs.slice(-1);
  if (log === undefined) throw new Error("no log");
  const data = [sequence, Math.floor(cell / 3), cell % 3].map((value) => value.toString(16).padStart(64, "0")).join("");
  server.head = node.blocks.length;
  server.logs.push({ ...log, transactionHash: hash, data: `0x${data}`, blockNumber: `0x${server.head.toString(16)}` });
  node.mine({ moves: [...node.game.moves, cell] });
}

test("an endpoint without limits gets one request, and one for the new blocks with every change of the game", async () => {
  const place = await openWith([WON, OPEN]);
  const { server, node, pass, hashes } = place;
  expect(shown(place)).toEqual([hashes[1], ONE_WIN]);
  expect(server.asked).toEqual([[0, "latest"]]);
  const { head } = server;
  node.mine();
  await pass(4000);
  expect(server.asked).toHaveLength(1);
  move(place, 3, 8);
  await pass(4000);
  expect(shown(place)).toEqual([[...(hashes[1] ?? []), `0x${"ee".repeat(32)}`], ONE_WIN]);
  expect(server.asked.slice(1)).toEqual([[head + 1, "latest"]]);
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
];

test.each([
  ["Alice's marks", ALICE, BEN, { wins: [4, 2], draws: 1 }],
  ["Ben's marks", BEN, ALICE, { wins: [2, 4], draws: 1 }],
  ["one person on both sides, by the mark", CARLA, CARLA, { wins: [1, 2], draws: 0 }],
  ["a single game", ALICE, CARLA, { wins: [0, 1], draws: 0 }],
  ["the other way round", CARLA, ALICE, { wins: [1, 0], draws: 0 }],
  ["two who never played", TABLE, CARLA, { wins: [0, 0], draws: 0 }],
])("the score from %s", async (_, x, o, expected) => {
  const place = await openWith([...HISTORY, { ...OPEN, x, o }]);
  expect(place.page.state.score.value).toEqual(expected);
});

test("a result that is there twice counts once, and one that no contract reports is no draw", async () => {
  const place = await openWith([WON, { ...WON, status: "draw" }, OPEN], ({ logs }) => {
    logs.push(...logs);
    for (const log of logs)
      if (log.topics[0] === ENDED && log.topics[2] === pad(ZERO)) log.data = `0x${"63".padStart(64, "0")}`;
  });
  expect(place.page.state.score.value).toEqual(ONE_WIN);
});

test("whatever an endpoint allows, it gets twelve requests at most, and what the page shows is true", async () => {
  const counts = { whole: 0, partial: 0 };
  for (const limit of [1, 9, 10, 99, 100, 101, 500, 2000, 9999, Infinity]) {
    for (const pause of [1, 20, 90]) {
      for (const oldest of [0, 300]) {
        const place = await openWith([WON, OPEN], (server) => Object.assign(server, { limit, oldest }), pause);
        const [links, score] = shown(place) as [(string | null)[], unknown];
        for (const [at, hash] of (place.hashes[1] ?? []).entries()) expect([hash, null]).toContain(links[at]);
        expect(score === "unknown" || JSON.stringify(score) === JSON.stringify(ONE_WIN)).toBe(true);
        expect(place.server.asked.length).toBeLessThanOrEqual(12);
        if (score === "unknown") counts.partial += 1;
        else counts.whole += 1;
        closeVisit();
      }
    }
  }
  expect([counts.whole > 15, counts.partial > 15]).toEqual([true, true]);
});

test("a search with a limit goes from the newest block back to the first game, and keeps its width", async () => {
  const place = await openWith([WON, OPEN], (server) => void (server.limit = 100), 30, 300);
  const { server, node, hashes } = place;
  expect(shown(place)).toEqual([hashes[1], ONE_WIN]);
  const widths = server.asked.map(([from, to]) => (to === "latest" ? server.head : to) - from + 1);
  // 570 blocks and block 0: one request too wide for the endpoint at each width, then to the first game.
  expect(widths).toEqual([571, 500, 100, 100, 100]);
  server.asked.length = 0;
  move(place, 3, 8);
  await place.pass(4000);
  expect(server.asked).toEqual([[node.blocks.length - 1, "latest"]]);
});

test.each<[string, (server: LogServer) => unknown]>([
  ["refuses", () => Promise.reject(new Error("the method eth_getLogs is not available"))],
  ["answers with markup", () => "<b>logs</b>"],
  ["answers with a log of another contract", ({ logs }) => logs.map((log) => ({ ...log, address: CARLA }))],
  ["answers with logs that do not fit their events", ({ logs }) => logs.map((log) => ({ ...log, data: "0x12" }))],
])("an endpoint that %s costs the links and the score, and is asked again after an outage", async (_, answer) => {
  const place = await openWith([WON, OPEN]);
  const { server, node, browser, pass, hashes } = place;
  node.overrides["eth_getLogs"] = () => answer(server);
  browser.visit(linkTo(SEPOLIA));
  await pass(4000);
  expect(shown(place)).toEqual([[null, null], "unknown"]);
  // While nothing happens, the page asks only for the head.
  node.asked.length = 0;
  await pass(10_000);
  expect(new Set(node.asked)).toEqual(new Set(["eth_getBlockByNumber"]));
  node.overrides["eth_getLogs"] = (params) => server.request({ method: "eth_getLogs", params });
  node.down = true;
  await pass(5000);
  node.down = false;
  await pass(60_000);
  expect(shown(place)).toEqual([hashes[1], ONE_WIN]);
  const asked = node.count("eth_getLogs");
  node.down = true;
  await pass(5000);
  node.down = false;
  await pass(60_000);
  expect(node.count("eth_getLogs")).toBe(asked);
});

test("a link that the endpoint does not have yet comes with the next change of the game", async () => {
  const place = await openWith([OPEN], ({ logs }) => void logs.splice(-1));
  const { server, node, pass, hashes } = place;
  const [first, second] = hashes[0] ?? [];
  expect(shown(place)).toEqual([[first, null], { wins: [0, 0], draws: 0 }]);
  const missing = new LogServer();
  missing.play(OPEN);
  server.logs.push(...missing.logs.slice(-1));
  node.mine({ forfeited: true });
  await pass(4000);
  expect(shown(place)[0]).toEqual([first, second]);
});

test("the links and the score of a table, a game and two players are not shown for others", async () => {
  const place = await openWith([WON, OPEN]);
  const { node, browser, pass } = place;
  const answer = node.hold("eth_getLogs", (params) => place.server.request({ method: "eth_getLogs", params }));
  node.mine({ number: 3n, o: CARLA, moves: [] });
  await pass(4000);
  expect([place.page.state.snapshot.value?.game?.number, place.page.state.score.value]).toEqual([3n, null]);
  // An answer for the table before.
  node.head.code = new Map([...node.head.code, [CARLA, CODE]]);
  browser.visit(linkTo(SEPOLIA, CARLA));
  expect(shown(place)).toEqual([undefined, null]);
  node.overrides["eth_getLogs"] = () => new Promise(() => undefined);
  await pass(1000);
  answer();
  await pass(1000);
  expect(place.page.state.snapshot.value?.game?.number).toBe(3n);
  expect(shown(place)).toEqual([undefined, null]);
});

test("after a reorg no link leads to a transaction that it removed", async () => {
  const place = await openWith([OPEN]);
  const { server, node, pass, hashes } = place;
  expect(shown(place)[0]).toEqual(hashes[0]);
  server.logs.splice(-1);
  node.blocks.splice(-1);
  node.head.games = { ...node.game, moves: [4] };
  const other = `0x${"dd".repeat(32)}` as const;
  move(place, 2, 2, other);
  const answer = node.hold("eth_getLogs", (params) => server.request({ method: "eth_getLogs", params }));
  await pass(4000);
  expect([place.page.state.snapshot.value?.game?.moves, place.page.state.links.value]).toEqual([[4, 2], null]);
  answer();
  await pass(100);
  expect(shown(place)[0]).toEqual([hashes[0]?.[0], other]);
});
