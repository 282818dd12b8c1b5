// When a notice is out of date: with the next move, and one about a copied link after a while. Every notice also ends with its ×,
// with the player's next action, and with another table.
import type { Game } from "./rules.ts";
import { change, type State, state } from "./state.ts";

/** How long the page says that it has copied the link, in milliseconds. */
const SHOWN = 8000;

const progress = ({ moves, status }: Game): string => `${moves.join()} ${status}`;

export function endNotice(now: State, before: State): void {
  const { notice } = now;
  if (notice === null) return;
  const end = (): void => void (state.notice === notice && change({ notice: null }));
  const [game, was] = [now.snapshot?.game, before.snapshot?.game];
  if (notice !== before.notice) {
    if (notice.kind === "copied") setTimeout(end, SHOWN);
  } else if (game && was && game.number === was.number && progress(game) !== progress(was)) end();
}
