// The links to transactions and the score, from endpoints that differ in what they return.
import { encodeEventTopics, keccak256, numberToHex, pad, toHex } from "viem/utils";
import { afterEach, expect, test } from "vitest";
import { ABI } from "../../src/generated/contract.ts";
import { RpcError } from "../../src/rpc.ts";
import { type Address, type Hex, type Status, STATUSES, winner, ZERO } from "../../src/rules.ts";
import { ALICE, BEN, CARLA, CODE, FakeNode, TABLE } from "./support/node.ts";
import { closeVisit, connect, linkTo, openPage, type Visit } from "./support/table.ts";

afterEach(closeVisit);

interface Log {
  address: Address;
  topics: Hex[];
  data: Hex;
  transactionHash: Hex;
  blockNumber: Hex;
}

interface Played {
  x: Address;
  o: Address;
  moves: readonly number[];
  status: Status;
}

/** An endpoint that has nothing but a table's events, and limits how many blocks one request may cover, and how old they may be. */
class Endpoint {
  logs: Log[] = [];
  head = 0;
  /** The most blocks in one request, and the oldest block that it has. */
  limit = Infinity;
  oldest = 0;
  /** The first and the last block of every request. */
  readonly asked: [number, number | "latest"][] = [];
  private games = 0n;

  add(eventName: "GameCreated" | "MoveMade" | "GameEnded", args: object, ...data: number[]): Hex {
    const transactionHash = keccak256(toHex(`${eventName} ${this.logs.length} ${data.join()}`));
    const topics = encodeEventTopics({ abi: ABI, eventName, args }) as Hex[];
    const words = data.map((value) => value.toString(16).padStart(64, "0")).join("");
    const blockNumber = numberToHex(this.head);
    this.logs.push({ address: TABLE, topics, data: `0x${words}`, transactionHash, blockNumber });
    return transactionHash;
  }

  move(gameId: bigint, player: Address, sequence: number, cell: number): Hex {
    return this.add("MoveMade", { gameId, player }, sequence, Math.floor(cell / 3), cell % 3);
  }

  /** One game, a block per transaction with `pause` blocks between two. Returns the hashes of its moves. */
  play({ x, o, moves, status }: Played, pause: number): Hex[] {
    const gameId = (this.games += 1n);
    this.head += pause;
    this.add("GameCreated", { gameId, playerX: x, playerO: o });
    const hashes = moves.map((cell, at) => {
      this.head += pause;
      return this.move(gameId, at % 2 === 0 ? x : o, at + 1, cell);
    });
    const mark = winner(status);
    if (status !== "in_progress")
      this.add("GameEnded", { gameId, winner: mark === null ? ZERO : mark === 1 ? x : o }, STATUSES.indexOf(status));
    return hashes;
  }

  answer([filter]: readonly unknown[]): unknown {
    const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex | "latest" };
    const [from, to] = [Number(fromBlock), toBlock === "latest" ? this.head : Number(toBlock)];
    this.asked.push([from, toBlock === "latest" ? toBlock : to]);
    if (to - from + 1 > this.limit) throw new RpcError(-32_602, `block range is limited to ${this.limit}`);
    if (from < this.oldest) throw new RpcError(4444, "pruned history unavailable");
    return this.logs.filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) <= to);
  }
}

const SEPOLIA = 11_155_111;
const WON: Played = { x: ALICE, o: BEN, moves: [0, 3, 1, 4, 2], status: "x_won" };
const OPEN: Played = { x: ALICE, o: BEN, moves: [4, 0], status: "in_progress" };
const ONE_WIN = { wins: [1, 0], draws: 0 };
const ENDED = encodeEventTopics({ abi: ABI, eventName: "GameEnded" })[0];

interface Place extends Visit {
  server: Endpoint;
  node: FakeNode;
  /** The hashes of each game's moves. */
  hashes: string[][];
}

/** A page at a table whose node has the events of these games, and shows the last of them. */
async function openWith(
  played: readonly Played[],
  prepare: (server: Endpoint) => unknown = () => null,
  pause = 1,
  start = 0,
): Promise<Place> {
  const server = new Endpoint();
  server.head = start;
  const hashes = played.map((one) => server.play(one, pause));
  prepare(server);
  const node = new FakeNode(SEPOLIA);
  const [last] = played.slice(-1);
  const game = { number: BigInt(played.length), ...last, forfeited: last?.status.endsWith("forfeits") ?? false };
  while (node.blocks.length <= server.head) node.mine(game);
  node.overrides["eth_getLogs"] = (params) => server.answer(params);
  const visit = await openPage(linkTo(SEPOLIA));
  await connect(visit, node);
  return { ...visit, server, node, hashes };
}

/** What the page shows: the links of the game on the board, and the score. */
const shown = ({ page }: Visit): unknown[] => [page.state.links.value?.hashes, page.state.score.value];

/** The next move, with its event. */
function move({ server, node }: Place, sequence: number, cell: number): Hex {
  server.head = node.blocks.length;
  node.mine({ moves: [...node.game.moves, cell] });
  return server.move(node.game.number, sequence % 2 === 1 ? node.game.x : node.game.o, sequence, cell);
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
  const third = move(place, 3, 8);
  await pass(4000);
  expect(shown(place)).toEqual([[...(hashes[1] ?? []), third], ONE_WIN]);
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

test.each<[string, (server: Endpoint) => unknown]>([
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
  node.overrides["eth_getLogs"] = (params) => server.answer(params);
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
  let late: Log[] = [];
  const place = await openWith([OPEN], ({ logs }) => (late = logs.splice(-1)));
  const { server, node, pass, hashes } = place;
  const [first, second] = hashes[0] ?? [];
  expect(shown(place)).toEqual([[first, null], { wins: [0, 0], draws: 0 }]);
  server.logs.push(...late);
  node.mine({ forfeited: true });
  await pass(4000);
  expect(shown(place)[0]).toEqual([first, second]);
});

test("the links and the score of a table, a game and two players are not shown for others", async () => {
  const place = await openWith([WON, OPEN]);
  const { node, browser, pass } = place;
  const answer = node.hold("eth_getLogs", (params) => place.server.answer(params));
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
  const other = move(place, 2, 2);
  const answer = node.hold("eth_getLogs", (params) => server.answer(params));
  await pass(4000);
  expect([place.page.state.snapshot.value?.game?.moves, place.page.state.links.value]).toEqual([[4, 2], null]);
  answer();
  await pass(100);
  expect(shown(place)[0]).toEqual([hashes[0]?.[0], other]);
});
