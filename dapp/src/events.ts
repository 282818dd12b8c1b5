// What the table's events add to the board: the transactions of the moves, and the score. The board
// never waits for them. Endpoints limit how many blocks one request may cover, and some keep no old ones, so a request that
// is refused is repeated for fewer blocks, from the newest back, a limited number of times.
import type { Client } from "viem";
import { decodeEventLog, encodeEventTopics, numberToHex } from "viem/utils";
import { InvalidAnswer } from "./answers.ts";
import { ABI } from "./generated/contract.ts";
import { type Address, type Game, type Hex, STATUSES, winner, X, ZERO } from "./rules.ts";

/** How many blocks a request covers, tried in this order. The very first one covers all of them. */
const WIDTHS = [10_000, 2000, 500, 100, 10];
/** What these many requests have not found stays unknown. */
const MOST_REQUESTS = 12;
/** The widest request that an endpoint has answered after refusing a wider one. */
const widths = new WeakMap<Client, number>();

export interface Search {
  client: Client;
  table: Address;
  /** The newest block. */
  head: number;
  /** Whether the page still needs the result. */
  wanted(): boolean;
}

type Topics = (Hex | Hex[] | null)[];
type Log = Awaited<ReturnType<typeof readLogs>>[number];

const topic = (eventName: "GameCreated" | "MoveMade" | "GameEnded"): Hex =>
  encodeEventTopics({ abi: ABI, eventName })[0];
const asTopic = (value: bigint | Address): Hex => `0x${BigInt(value).toString(16).padStart(64, "0")}`;

async function readLogs(client: Client, address: Address, topics: Topics, from: number, to: number | "latest") {
  const [fromBlock, toBlock] = [numberToHex(from), to === "latest" ? to : numberToHex(to)];
  const logs = await client.request({ method: "eth_getLogs", params: [{ address, topics, fromBlock, toBlock }] });
  try {
    return logs.map(({ topics: found, data, transactionHash }) => ({
      ...decodeEventLog({ abi: ABI, topics: found as [Hex, ...Hex[]], data, strict: true }),
      hash: transactionHash as Hex,
    }));
  } catch {
    throw new InvalidAnswer("not an event of a table");
  }
}

/** Reads events from the newest block back until there are enough. `complete` if it got that far, or to block 0. */
async function searchBack(
  search: Search,
  topics: Topics,
  enough: (logs: readonly Log[]) => boolean,
): Promise<{ logs: Log[]; complete: boolean }> {
  const { client, table, head } = search;
  let logs: Log[] = [];
  let width = widths.get(client) ?? Infinity;
  let to = head;
  for (let requests = 0; requests < MOST_REQUESTS && search.wanted(); requests += 1) {
    const from = Math.max(0, to - width + 1);
    let found: Log[];
    try {
      // The node that gets this request may be a block ahead of the one that reported the head, or behind it.
      found = await readLogs(client, table, topics, from, to === head ? "latest" : to);
    } catch (error) {
      if (error instanceof InvalidAnswer) throw error;
      const span = to - from + 1;
      const narrower = WIDTHS.find((next) => next < span);
      if (narrower === undefined) break;
      width = narrower;
      continue;
    }
    if (width !== Infinity) widths.set(client, width);
    logs = found.concat(logs);
    if (from === 0 || enough(logs)) return { logs, complete: true };
    to = from - 1;
  }
  return { logs, complete: false };
}

/** The transactions of a game's moves, in order; null where the endpoint does not return one. */
export async function readMoveHashes(
  search: Search,
  { number, moves }: Game,
  known: readonly (Hex | null)[],
): Promise<(Hex | null)[]> {
  const hashes = moves.map((_, at) => known[at] ?? null);
  if (moves.length === 0) return hashes;
  const note = (logs: readonly Log[]): void => {
    for (const log of logs) {
      if (log.eventName !== "MoveMade") continue;
      const at = log.args.sequenceNumber - 1;
      if (at in hashes) hashes[at] = log.hash;
    }
  };
  await searchBack(search, [topic("MoveMade"), asTopic(number)], (logs) => {
    note(logs);
    return !hashes.includes(null);
  }).then(({ logs }) => note(logs));
  return hashes;
}

export interface Score {
  /** Games that the current X's player has won, and that the current O's player has won. */
  wins: readonly [number, number];
  draws: number;
}

/** The score of all finished games between the same two players, with either mark; null if the endpoint lacks some of them. */
export async function readScore(search: Search, game: Game): Promise<Score | null> {
  const { client, table } = search;
  const [x, o] = [asTopic(game.playerX), asTopic(game.playerO)];
  if (!widths.has(client)) {
    try {
      const [created, ended] = await Promise.all([
        readLogs(client, table, [topic("GameCreated"), null, [x, o], [x, o]], 0, "latest"),
        readLogs(client, table, [topic("GameEnded"), null, [x, o, asTopic(ZERO)]], 0, "latest"),
      ]);
      return count([...created, ...ended], game);
    } catch (error) {
      if (error instanceof InvalidAnswer) throw error;
    }
  }
  // Where the endpoint refuses to return everything at once, a young table can still be read back to its first game.
  const first = (logs: readonly Log[]): boolean =>
    logs.some((log) => log.eventName === "GameCreated" && log.args.gameId === 1n);
  const { logs, complete } = await searchBack(search, [[topic("GameCreated"), topic("GameEnded")]], first);
  return complete ? count(logs, game) : null;
}

function count(logs: readonly Log[], game: Game): Score {
  const [one, two] = [game.playerX, game.playerO];
  const games = new Map<bigint, readonly [Address, Address]>();
  for (const log of logs) {
    if (log.eventName !== "GameCreated") continue;
    const { gameId, playerX, playerO } = log.args;
    if ((playerX === one && playerO === two) || (playerX === two && playerO === one))
      games.set(gameId, [playerX, playerO]);
  }
  // By game, so that a log that is there twice counts once.
  const results = new Map(
    logs.flatMap((log) => (log.eventName === "GameEnded" ? [[log.args.gameId, log.args.status] as const] : [])),
  );
  const wins: [number, number] = [0, 0];
  let draws = 0;
  for (const [gameId, result] of results) {
    const players = games.get(gameId);
    const status = STATUSES[result];
    if (players === undefined || status === undefined) continue;
    const mark = winner(status);
    if (mark === null) draws += 1;
    else if (one === two) wins[mark === X ? 0 : 1] += 1;
    else wins[players[mark === X ? 0 : 1] === one ? 0 : 1] += 1;
  }
  return { wins, draws };
}
