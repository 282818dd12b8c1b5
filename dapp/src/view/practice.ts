// Starts practice with the move that the player has made on the start page.
import { PRACTICE_CHAIN } from "../chains.ts";
import { canMove } from "../player.ts";
import { practise } from "../session.ts";
import { onChange, openTable } from "../state.ts";
import { send } from "../transactions.ts";

/** Loads the chain when the pointer comes near the board, so that the first move does not wait for it. */
export const expectPractice = (): void => void import("../practice/start.ts").catch(() => null);

let wanted: number | null = null;

export function practiseWith(cell: number): Promise<void> {
  wanted = cell;
  return practise();
}

/** Plays the move as soon as the practice table can take it. */
export function startPractising(): void {
  onChange((now) => {
    if (wanted === null || openTable()?.chain !== PRACTICE_CHAIN || !canMove(now) || now.pending !== null) {
      if (now.practice === "failed" || now.link.kind === "fault") wanted = null;
      return;
    }
    const game = now.snapshot?.game;
    const cell = wanted;
    wanted = null;
    // A game of an earlier visit goes on.
    if (game?.moves.length === 0) void send({ kind: "move", cell, number: game.number });
  });
}
