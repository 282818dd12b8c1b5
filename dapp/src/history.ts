// What the page shows beside the board from the table's events: the links to the moves' transactions, and the score. The board never
// waits for them. The events are read from the newest block back, and whenever the game changes those of the new blocks.
// Endpoints limit how many blocks one request may cover, and some keep no old ones, so a request that is refused is repeated for
// fewer blocks, a limited number of times. The page says when something is missing.
import { batch } from "@preact/signals";
import type { Client } from "viem";
import { decodeEventLog, encodeEventTopics } from "viem/utils";
import { blockName } from "./contract.ts";
import { ABI } from "./generated/contract.ts";
import type { TableLink } from "./link.ts";
import { InvalidAnswer } from "./rpc.ts";
import { type Address, type Game, type Hex, STATUSES, winner, X } from "./rules.ts";
import { state } from "./state.ts";

/** How many blocks a request covers, tried in this order. */
const WIDTHS = [Infinity, 10_000, 2000, 500, 100, 10] as const;
/** The page stops after this many requests. What they have not found stays unknown. */
const MOST_REQUESTS = 12;

/** Games won by the player who is X now, games won by the player who is O now, and draws. */
export type Score = Record<"x" | "o" | "draws", number>;

/** A game that the page has seen, where, and as of which block. */
type Seen = { client: Client; table: TableLink; head: number; game: Game };

type Log = Awaited<ReturnType<typeof readLogs>>[number];

/** The events of a table, as far as they were read. */
interface Events {
  logs: readonly Log[];
  /** Whether these are all events up to block `to`. */
  isWhole: boolean;
  to: number;
  width: number;
  /** The newest game that they are read for. */
  game: string;
  reading: Promise<void>;
}

let events: Events | null = null;

/** Called for another table or source, after a reorg and after an outage: the next board reads all events again. */
export const forgetHistory = (): void => void (events = null);

/** Reads what is new, unless the game is the same. */
export function readHistory(board: Seen): void {
  const { game } = board;
  const name = [game.number, game.status, ...game.moves].join();
  events ??= { logs: [], isWhole: true, to: -1, width: Infinity, game: "", reading: Promise.resolve() };
  if (game.status === "no_game" || events.game === name) return;
  const mine = Object.assign(events, { game: name });
  mine.reading = mine.reading.then(() => readMore(mine, board, name));
}

/** Reads the blocks that were not read yet, from the newest back, or to the first game. */
async function readMore(mine: Events, { client, table, head, game }: Seen, name: string): Promise<void> {
  // False once the page has left the table or has a later board.
  const isWanted = (): boolean => events === mine && mine.game === name;
  let logs: readonly Log[] = [];
  let end = head;
  for (let requests = 0; requests < MOST_REQUESTS && end > mine.to && isWanted(); requests += 1) {
    const start = Math.max(mine.to + 1, end - mine.width + 1);
    try {
      // The node that gets this request may be a block ahead of the one that reported the head, or behind it.
      const found = await readLogs(client, table.address, start, end === head ? "latest" : end);
      logs = found.concat(logs);
      end = found.some((log) => log.eventName === "GameCreated" && log.args.gameId === 1n) ? mine.to : start - 1;
    } catch {
      const narrower = WIDTHS.find((width) => width < end - start + 1);
      if (narrower === undefined) break;
      mine.width = narrower;
    }
  }
  if (!isWanted()) return;
  const isWhole = mine.isWhole && end <= mine.to;
  logs = mine.logs.concat(logs);
  const hashes = hashesOf(logs, game);
  // If a move has no event yet, these blocks are read again next time.
  if (!hashes.includes(null)) Object.assign(mine, { logs, isWhole, to: head });
  batch(() => {
    state.links.value = hashes;
    state.score.value = isWhole ? scoreOf(logs, game) : "unknown";
  });
}

const TOPICS = (["GameCreated", "MoveMade", "GameEnded"] as const).map(
  (eventName): Hex => encodeEventTopics({ abi: ABI, eventName })[0],
);

async function readLogs(client: Client, address: Address, from: number, to: number | "latest") {
  const filter = { address, topics: [TOPICS], fromBlock: blockName(from), toBlock: blockName(to) };
  const logs = await client.request({ method: "eth_getLogs", params: [filter] });
  try {
    return logs.map(({ topics, data, transactionHash }) => ({
      ...decodeEventLog({ abi: ABI, topics: topics as [Hex, ...Hex[]], data, strict: true }),
      hash: transactionHash as Hex,
    }));
  } catch {
    throw new InvalidAnswer("not an event of a table");
  }
}

/** The transactions of a game's moves, in order; null where the endpoint has not returned one. */
const hashesOf = (logs: readonly Log[], { number, moves }: Game): (Hex | null)[] =>
  moves.map((_, at) => {
    const isOfMove = ({ eventName, args }: Log): boolean =>
      eventName === "MoveMade" && args.gameId === number && args.sequenceNumber === at + 1;
    return logs.findLast(isOfMove)?.hash ?? null;
  });

/** The score of all finished games between the same two players, with either mark. */
function scoreOf(logs: readonly Log[], { playerX: one, playerO: two }: Game): Score {
  // By game, so that a log that is there twice counts once.
  const [xs, results] = [new Map<bigint, Address>(), new Map<bigint, keyof Score>()];
  for (const { eventName, args } of logs) {
    if (eventName === "GameCreated" && args.playerO === (args.playerX === one ? two : one))
      xs.set(args.gameId, args.playerX);
    const x = xs.get(args.gameId);
    if (eventName !== "GameEnded" || (x !== one && x !== two)) continue;
    const mark = winner(STATUSES[args.status] ?? "draw");
    // Of an account against itself, this counts the marks.
    results.set(args.gameId, mark === null ? "draws" : (mark === X) === (x === one) ? "x" : "o");
  }
  const score = { x: 0, o: 0, draws: 0 };
  for (const result of results.values()) score[result] += 1;
  return score;
}
