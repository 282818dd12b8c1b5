// An invitation is a link with the address of the player who sends it. The reader starts the game with one press. No address is
// typed.
import { type Address, isOver, playersOf } from "./rules.ts";
import type { State } from "./state.ts";

/** Whether the next game at the table may be between other players: there was none, or it is over and this player only watched. */
function isFree(state: State): boolean {
  const game = state.snapshot?.game;
  if (!game || !isOver(game.status)) return game?.status === "no_game";
  return !playersOf(game).some((player) => state.connection?.accounts.includes(player));
}

/** The player who invites the reader of the link; null if there is none, or no game can start now. */
export function inviterOf(state: State): Address | null {
  const { link, connection } = state;
  if (link.kind !== "table" || link.inviter === null || !isFree(state)) return null;
  return connection?.accounts[0] === link.inviter ? null : link.inviter;
}

/** The account that invites other people to the open table; null if this player cannot, or is invited. */
export function hostOf(state: State): Address | null {
  const { link, connection } = state;
  if (link.kind !== "table" || !isFree(state) || inviterOf(state) !== null) return null;
  return connection?.accounts[0] ?? null;
}
