// What stands beside the board: the links to the moves' transactions, and the score.
import { chainById } from "./chains.ts";
import { type Place, readMoveHashes, readScore } from "./events.ts";
import type { Provider } from "./provider.ts";
import type { Game } from "./rules.ts";
import { current } from "./source.ts";
import { change, openTable, state } from "./state.ts";

/** For what the events were last read, so that nothing is asked twice. */
let told: { provider: Provider; moves: string; round: string } | null = null;

export function forgetHistory(): void {
  told = null;
}

/** What was not told because nobody answered is asked for again. */
export async function readMissingHistory(): Promise<void> {
  const { links, score } = state;
  if (links?.hashes.includes(null) || score === "unknown") {
    told = null;
    await readHistory();
  }
}

/** Whoever answers may not tell them; then the page says so. */
export async function readHistory(): Promise<void> {
  const [table, provider, sight] = [openTable(), current()?.provider, state.sight];
  if (table === null || provider === undefined || !sight?.game) return;
  const { game, head } = sight;
  const before = told?.provider === provider ? told : null;
  const now = { provider, ...partsOf(game) };
  told = now;
  if (game.status === "NO_GAME") return change({ links: null, score: null });
  const place = (part: "moves" | "round"): Place => ({
    provider,
    table: table.address,
    head: head.number,
    wanted: () => openTable() === table && told?.provider === provider && told[part] === now[part],
  });
  if (before?.moves !== now.moves && chainById(table.chain)?.explorer) {
    const asked = place("moves");
    const known = state.links?.game === game.id ? state.links.hashes : [];
    const hashes = await readMoveHashes(asked, game, known).catch(() => game.moves.map(() => null));
    if (asked.wanted()) change({ links: { game: game.id, hashes } });
  }
  // The score changes when a round ends or another begins, not with a move.
  if (before?.round !== now.round) {
    const asked = place("round");
    const score = await readScore(asked, game).catch(() => null);
    if (asked.wanted()) change({ score: score ?? "unknown" });
  }
}

const partsOf = ({ id, moves, status }: Game) => ({ moves: [id, ...moves.map(({ cell }) => cell)].join(), round: `${id} ${status}` });
