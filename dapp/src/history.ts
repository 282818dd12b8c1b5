// What the page shows beside the board from the table's events: the links to the moves' transactions, and the score.
import type { Client } from "viem";
import { chainById } from "./chains.ts";
import { readMoveHashes, readScore, type Search } from "./events.ts";
import type { TableLink } from "./link.ts";
import type { Game } from "./rules.ts";
import { change, openTable, state } from "./state.ts";

/** A board, and where it was read. */
interface Board {
  client: Client;
  table: TableLink;
  /** The newest block. */
  head: number;
  game: Game;
}

/** What the events were last read for, so that nothing is asked twice. */
let lastRead: (Board & { moves: string; result: string }) | null = null;

export function forgetHistory(): void {
  lastRead = null;
}

/** Asks again for links and a score that are still missing. */
export async function readMissingHistory(): Promise<void> {
  const { links, score } = state;
  const board = lastRead;
  if (board !== null && (links?.hashes.includes(null) || score === "unknown")) {
    lastRead = null;
    await readHistory(board);
  }
}

/** Where the endpoint does not return events, the page says so. */
export async function readHistory(board: Board): Promise<void> {
  const { client, table, head, game } = board;
  const before = lastRead?.client === client ? lastRead : null;
  const now = { ...board, ...partsOf(game) };
  lastRead = now;
  if (game.status === "no_game") return;
  const search = (part: "moves" | "result"): Search => ({
    client,
    table: table.address,
    head,
    wanted: () => openTable() === table && lastRead?.client === client && lastRead[part] === now[part],
  });
  if (before?.moves !== now.moves && chainById(table.chain)?.explorer) {
    const asked = search("moves");
    const known = state.links?.number === game.number ? state.links.hashes : [];
    const hashes = await readMoveHashes(asked, game, known).catch(() => game.moves.map(() => null));
    if (asked.wanted()) change({ links: { number: game.number, hashes } });
  }
  // The score changes when a game ends or starts, not with a move.
  if (before?.result !== now.result) {
    const asked = search("result");
    const score = await readScore(asked, game).catch(() => null);
    if (asked.wanted()) change({ score: score ?? "unknown" });
  }
}

const partsOf = ({ number, moves, status }: Game) => ({
  moves: [number, ...moves].join(),
  result: `${number} ${status}`,
});
