// What the connected player may do, and what the page waits for. No sentences: those are in words.ts.
import { hostOf } from "./invitation.ts";
import { isOver, type Mark, markOfMove, O, playerOf, X } from "./rules.ts";
import type { State } from "./state.ts";

/** The marks that the connected wallet plays. */
export function ownMarks(state: State): Mark[] {
  const game = state.snapshot?.game;
  const accounts = state.connection?.accounts ?? [];
  if (!game) return [];
  return ([X, O] as const).filter((mark) => accounts.includes(playerOf(game, mark)));
}

export function canMove(state: State): boolean {
  const turn = state.snapshot?.game?.turn ?? null;
  return turn !== null && ownMarks(state).includes(turn);
}

/** Whether one press starts the next round: the player was in the game that is over. */
export function canPlayAgain(state: State): boolean {
  const game = state.snapshot?.game;
  return Boolean(game && isOver(game.status)) && ownMarks(state).length > 0 && state.pending === null;
}

/** Whether the other side is to start or to move, or will be as soon as a block includes the player's own transaction. */
export function waitsForOther(state: State): boolean {
  const turn = state.snapshot?.game?.turn ?? null;
  const own = ownMarks(state);
  return (
    hostOf(state) !== null ||
    state.pending?.phase === "sent" ||
    (turn !== null && own.length === 1 && !own.includes(turn))
  );
}

/** Whether the page waits for the player: to move, or to answer the wallet. For the title of a hidden tab. */
export function needsPlayer(state: State): boolean {
  if (state.pending !== null) return state.pending.phase === "asking";
  return canMove(state) && ownMarks(state).length === 1;
}

/** A mark that no block includes yet. */
export interface PendingMark {
  cell: number;
  mark: Mark;
  phase: "asking" | "sent";
}

export function pendingMark({ pending, snapshot }: State): PendingMark | null {
  if (pending?.action.kind !== "move" || !snapshot?.game) return null;
  return { cell: pending.action.cell, mark: markOfMove(pending.moves), phase: pending.phase };
}

/** Whether there is a wallet to play with. */
export const hasWallet = ({ wallets }: State): boolean => wallets.length > 0;
