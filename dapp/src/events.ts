// What the table's events add to the board: the transactions of the moves, the score, and who started a game. The board
// never waits for them. Endpoints limit how many blocks one request may cover, and some keep no old ones, so a request that
// is refused is repeated for fewer blocks, from the newest back, a limited number of times.
import { decodeEventLog, encodeEventTopics } from "viem/utils";
import { readTransaction } from "./calls.ts";
import { ABI, STATUSES } from "./generated/contract.ts";
import { asAddress, asHash, asHex, asRecord, ask, InvalidAnswer, type Provider, toQuantity } from "./provider.ts";
import { type Address, type Game, type Hex, winner, X, ZERO } from "./rules.ts";

/** How many blocks a request covers, tried in this order. The very first one covers all of them. */
const WIDTHS = [10_000, 2000, 500, 100, 10];
/** What these many requests have not found stays unknown. */
const MOST_REQUESTS = 12;
/** The widest request that an endpoint has answered after refusing a wider one. */
const widths = new WeakMap<Provider, number>();

export interface Search {
  provider: Provider;
  table: Address;
  /** The newest block. */
  head: number;
  /** Whether the page still needs the result. */
  wanted(): boolean;
}

type Topics = readonly (Hex | readonly Hex[] | null)[];
type Log = Awaited<ReturnType<typeof readLogs>>[number];

const topic = (eventName: "GameCreated" | "MoveMade" | "GameEnded"): Hex => encodeEventTopics({ abi: ABI, eventName })[0];
const asTopic = (value: bigint | Address): Hex => `0x${BigInt(value).toString(16).padStart(64, "0")}`;

async function readLogs(provider: Provider, table: Address, topics: Topics, from: number, to: number | "latest") {
  const [fromBlock, toBlock] = [toQuantity(from), to === "latest" ? to : toQuantity(to)];
  const logs = await ask(provider, "eth_getLogs", { address: table, topics, fromBlock, toBlock });
  if (!Array.isArray(logs)) throw new InvalidAnswer("not logs");
  return logs.map((log: unknown) => {
    const { address, topics: found, data, transactionHash } = asRecord(log);
    if (asAddress(address) !== table || !Array.isArray(found)) throw new InvalidAnswer("a log of another contract");
    const [first, ...rest] = found.map(asHash);
    if (first === undefined) throw new InvalidAnswer("a log without topics");
    const event = decodeEventLog({ abi: ABI, topics: [first, ...rest], data: asHex(data), strict: true });
    return { ...event, hash: asHash(transactionHash) };
  });
}

/** Reads events from the newest block back until there are enough. `complete` if it got that far, or to block 0. */
async function searchBack(search: Search, topics: Topics, enough: (logs: readonly Log[]) => boolean): Promise<{ logs: Log[]; complete: boolean }> {
  const { provider, table, head } = search;
  let logs: Log[] = [];
  let width = widths.get(provider) ?? Infinity;
  let to = head;
  for (let requests = 0; requests < MOST_REQUESTS && search.wanted(); requests += 1) {
    const from = Math.max(0, to - width + 1);
    let found: Log[];
    try {
      // The node that gets this request may be a block ahead of the one that reported the head, or behind it.
      found = await readLogs(provider, table, topics, from, to === head ? "latest" : to);
    } catch (error) {
      if (error instanceof InvalidAnswer) throw error;
      const span = to - from + 1;
      const narrower = WIDTHS.find((next) => next < span);
      if (narrower === undefined) break;
      width = narrower;
      continue;
    }
    if (width !== Infinity) widths.set(provider, width);
    logs = found.concat(logs);
    if (from === 0 || enough(logs)) return { logs, complete: true };
    to = from - 1;
  }
  return { logs, complete: false };
}

/** The transactions of a game's moves, in order; null where the endpoint does not return one. */
export async function readMoveHashes(search: Search, { number, moves }: Game, known: readonly (Hex | null)[]): Promise<(Hex | null)[]> {
  const hashes = moves.map((_, at) => known[at] ?? null);
  if (moves.length === 0) return hashes;
  const note = (logs: readonly Log[]): void => {
    for (const log of logs) {
      if (log.eventName !== "MoveMade" || log.args.gameId !== number) continue;
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

/** The transaction that started a game after a given block; null if the endpoint does not return it. */
export async function readStarter(provider: Provider, table: Address, number: bigint, since: number): Promise<{ hash: Hex; from: Address; nonce: number } | null> {
  const logs = await readLogs(provider, table, [topic("GameCreated"), asTopic(number)], since, "latest");
  const hash = logs.at(-1)?.hash;
  const transaction = hash === undefined ? null : await readTransaction(provider, hash);
  return hash === undefined || transaction === null ? null : { hash, ...transaction };
}

export interface Score {
  /** Games that the current X's player has won, and that the current O's player has won. */
  wins: readonly [number, number];
  draws: number;
}

/** The score of all finished games between the same two players, with either mark; null if the endpoint lacks some of them. */
export async function readScore(search: Search, game: Game): Promise<Score | null> {
  const { provider, table } = search;
  const [x, o] = [asTopic(game.playerX), asTopic(game.playerO)];
  if (!widths.has(provider)) {
    try {
      const [created, ended] = await Promise.all([
        readLogs(provider, table, [topic("GameCreated"), null, [x, o], [x, o]], 0, "latest"),
        readLogs(provider, table, [topic("GameEnded"), null, [x, o, asTopic(ZERO)]], 0, "latest"),
      ]);
      return count([...created, ...ended], game);
    } catch (error) {
      if (error instanceof InvalidAnswer) throw error;
    }
  }
  // Where the endpoint refuses to return everything at once, a young table can still be read back to its first game.
  const first = (logs: readonly Log[]): boolean => logs.some((log) => log.eventName === "GameCreated" && log.args.gameId === 1n);
  const { logs, complete } = await searchBack(search, [[topic("GameCreated"), topic("GameEnded")]], first);
  return complete ? count(logs, game) : null;
}

function count(logs: readonly Log[], game: Game): Score {
  const [one, two] = [game.playerX, game.playerO];
  const games = new Map<bigint, readonly [Address, Address]>();
  for (const log of logs) {
    if (log.eventName !== "GameCreated") continue;
    const { gameId, playerX, playerO } = log.args;
    if ((playerX === one && playerO === two) || (playerX === two && playerO === one)) games.set(gameId, [playerX, playerO]);
  }
  const wins: [number, number] = [0, 0];
  let draws = 0;
  for (const log of logs) {
    if (log.eventName !== "GameEnded") continue;
    const players = games.get(log.args.gameId);
    const status = STATUSES[log.args.status];
    if (players === undefined || status === undefined) continue;
    const mark = winner(status);
    if (mark === null) draws += 1;
    else if (one === two) wins[mark === X ? 0 : 1] += 1;
    else wins[players[mark === X ? 0 : 1] === one ? 0 : 1] += 1;
  }
  return { wins, draws };
}
