// What has happened at a table, from its events: the transactions of the moves, and the score. They are for links and for
// the record; the board never waits for them. Endpoints limit how many blocks one question may span, or keep no old ones,
// so a question that is refused is asked again for fewer blocks, from the newest back, and not for ever.
import { decodeEventLog, encodeEventTopics } from "viem/utils";
import { ABI } from "./generated/contract.ts";
import { asAddress, asHash, asHex, asRecord, ask, Nonsense, type Provider, toQuantity } from "./provider.ts";
import { type Address, type Game, type Hex, winner, X, ZERO } from "./rules.ts";
import { STATUS_NAMES } from "./table.ts";

/** How many blocks a question spans, one after the other, until it is answered. First of all it spans them all. */
const WIDTHS = [10_000, 2000, 500, 100, 10];
/** What nobody has answered by then stays unknown: an endpoint is not to be dug through. */
const MOST_QUESTIONS = 12;
/** The widest question that an endpoint has answered after refusing a wider one. */
const widths = new WeakMap<Provider, number>();

/** Where to look, and whether anybody still wants to know. */
export interface Place {
  provider: Provider;
  table: Address;
  /** The newest block. */
  head: number;
  wanted(): boolean;
}

type Topics = readonly (Hex | readonly Hex[] | null)[];
type Log = Awaited<ReturnType<typeof readLogs>>[number];

const topic = (eventName: "GameCreated" | "MoveMade" | "GameEnded"): Hex => encodeEventTopics({ abi: ABI, eventName })[0];
const asTopic = (value: bigint | Address): Hex => `0x${BigInt(value).toString(16).padStart(64, "0")}`;

async function readLogs({ provider, table }: Place, topics: Topics, from: number, to: number | "latest") {
  const [fromBlock, toBlock] = [toQuantity(from), to === "latest" ? to : toQuantity(to)];
  const logs = await ask(provider, "eth_getLogs", { address: table, topics, fromBlock, toBlock });
  if (!Array.isArray(logs)) throw new Nonsense("not logs");
  return logs.map((log: unknown) => {
    const { address: at, topics: found, data, transactionHash } = asRecord(log);
    if (asAddress(at) !== table || !Array.isArray(found)) throw new Nonsense("a log of somebody else");
    const [first, ...rest] = found.map(asHash);
    if (first === undefined) throw new Nonsense("a log without a name");
    const event = decodeEventLog({ abi: ABI, topics: [first, ...rest], data: asHex(data), strict: true });
    return { ...event, hash: asHash(transactionHash) };
  });
}

/** The events from the newest block back to where there are enough; `whole` if it came that far. */
async function searchBack(place: Place, topics: Topics, enough: (logs: readonly Log[]) => boolean): Promise<{ logs: Log[]; whole: boolean }> {
  const { provider, head } = place;
  let logs: Log[] = [];
  let width = widths.get(provider) ?? Infinity;
  let to = head;
  for (let asked = 0; asked < MOST_QUESTIONS && place.wanted(); asked += 1) {
    const from = Math.max(0, to - width + 1);
    let found: Log[];
    try {
      // The node that is asked may be a block ahead of the one that told the head, or behind.
      found = await readLogs(place, topics, from, to === head ? "latest" : to);
    } catch (error) {
      if (error instanceof Nonsense) throw error;
      const span = to - from + 1;
      const narrower = WIDTHS.find((next) => next < span);
      if (narrower === undefined) break;
      width = narrower;
      continue;
    }
    if (width !== Infinity) widths.set(provider, width);
    logs = found.concat(logs);
    if (from === 0 || enough(logs)) return { logs, whole: true };
    to = from - 1;
  }
  return { logs, whole: false };
}

/** The transactions of a game's moves, in order; a hole where the endpoint does not tell. */
export async function readMoveHashes(place: Place, { id, moves }: Game, known: readonly (Hex | null)[]): Promise<(Hex | null)[]> {
  const hashes = moves.map((_, at) => known[at] ?? null);
  if (moves.length === 0) return hashes;
  const note = (logs: readonly Log[]): void => {
    for (const log of logs) {
      if (log.eventName !== "MoveMade" || log.args.gameId !== id) continue;
      const at = log.args.sequenceNumber - 1;
      if (at in hashes) hashes[at] = log.hash;
    }
  };
  await searchBack(place, [topic("MoveMade"), asTopic(id)], (logs) => {
    note(logs);
    return !hashes.includes(null);
  }).then(({ logs }) => note(logs));
  return hashes;
}

export interface Score {
  /** Rounds that the current X has won, that the current O has won, and that nobody has. */
  wins: readonly [number, number];
  draws: number;
}

/** How all finished rounds between the same two people ended, whoever had which seat; null if the endpoint does not tell of all. */
export async function readScore(place: Place, game: Game): Promise<Score | null> {
  const [x, o] = [asTopic(game.players[0]), asTopic(game.players[1])];
  if (!widths.has(place.provider)) {
    try {
      const [created, ended] = await Promise.all([
        readLogs(place, [topic("GameCreated"), null, [x, o], [x, o]], 0, "latest"),
        readLogs(place, [topic("GameEnded"), null, [x, o, asTopic(ZERO)]], 0, "latest"),
      ]);
      return count([...created, ...ended], game);
    } catch (error) {
      if (error instanceof Nonsense) throw error;
    }
  }
  // Where everything at once is too much, a young table can still be read back to its first game.
  const first = (logs: readonly Log[]): boolean => logs.some((log) => log.eventName === "GameCreated" && log.args.gameId === 1n);
  const { logs, whole } = await searchBack(place, [[topic("GameCreated"), topic("GameEnded")]], first);
  return whole ? count(logs, game) : null;
}

function count(logs: readonly Log[], game: Game): Score {
  const [one, two] = game.players;
  const rounds = new Map<bigint, readonly [Address, Address]>();
  for (const log of logs) {
    if (log.eventName !== "GameCreated") continue;
    const { gameId, playerX, playerO } = log.args;
    if ((playerX === one && playerO === two) || (playerX === two && playerO === one)) rounds.set(gameId, [playerX, playerO]);
  }
  const wins: [number, number] = [0, 0];
  let draws = 0;
  for (const log of logs) {
    if (log.eventName !== "GameEnded") continue;
    const seats = rounds.get(log.args.gameId);
    const status = STATUS_NAMES[log.args.status];
    if (seats === undefined || status === undefined) continue;
    const mark = winner(status);
    if (mark === 0) draws += 1;
    else if (one === two) wins[mark === X ? 0 : 1] += 1;
    else wins[seats[mark === X ? 0 : 1] === one ? 0 : 1] += 1;
  }
  return { wins, draws };
}
