// How a transaction ends, from three things: what was asked, the game that the board shows, and what a node says about its hash.
// Nothing here asks or changes anything.
import type { Address, Game } from "./rules.ts";
import { isOver, markOfMove, playerOf, playersOf } from "./rules.ts";
import type { CodeKind } from "./contract.ts";
import type { Pending } from "./state.ts";

/** One look at a transaction that was sent. */
export type Look =
  /** In a block, which the board shows or not yet. */
  | { kind: "mined"; succeeded: boolean; block: number; isShown: boolean; code: NewCode | null }
  /** In the pool, under this hash or under another one with the same nonce; or sent where the node cannot see it. */
  | { kind: "waiting"; nonce: number | null }
  /** Another account has sent it in the player's name, as wallets that sponsor gas do. */
  | { kind: "relayed" }
  /** A block has another transaction with its nonce, or no node has it any more. `isSure` after some seconds of the same answer. */
  | { kind: "replaced" | "dropped"; isSure: boolean; code: NewCode | null };

/** The code at the address of a new table; null if it is none, or if the address is not known. */
export type NewCode = { address: Address; kind: CodeKind };

/** `done` says nothing, and `reverted` asks the chain for the reason. The rest are failures. */
export type Ending =
  | "done"
  | "reverted"
  /** Another account has sent it. */
  | "relayed"
  | "replaced"
  | "dropped"
  /** The player has moved from elsewhere, or the game is over. */
  | "taken"
  /** The table has another game than the one that it is for, or that it starts. */
  | "overwritten"
  /** A game has started while the wallet still asks. It may be the player's own. */
  | "begun"
  /** The new table has the code of something else. */
  | "invalidAnswer";

type Of<Kind> = Extract<Pending, { kind: Kind }>;

/** Null while it has not ended. `look` is null while the wallet asks, and before the first look. */
export function settle(pending: Pending, game: Game | null, look: Look | null): Ending | null {
  const shown = game === null ? null : shownBy(game, pending);
  if (shown !== null) return shown;
  if (look?.kind === "relayed") return "relayed";
  if (look?.kind === "mined" && !look.succeeded) return "reverted";
  const code = look !== null && "code" in look ? look.code?.kind : null;
  if (code === "table") return "done";
  if (code === "other") return "invalidAnswer";
  if (pending.kind === "newGame" && game !== null) {
    if (look?.kind === "mined") return look.isShown ? "done" : null;
    const ending = afterNextGame(game, pending, look);
    if (ending !== null) return ending;
  }
  return (look?.kind === "replaced" || look?.kind === "dropped") && look.isSure ? look.kind : null;
}

/** What the board says about it, under whichever hash. A new game is not recognised by the board: it can be the opponent's. */
function shownBy(game: Game, pending: Pending): Ending | null {
  if (pending.kind === "deploy" || pending.kind === "newGame") return null;
  if (game.number > pending.number) return "overwritten";
  // A reorg has taken its game back, which may be in a block again soon.
  if (game.number < pending.number) return null;
  if (pending.kind === "forfeit") return isOver(game.status) ? "done" : null;
  // Found by its cell, because after a reorg there may be another move before it.
  const at = game.moves.indexOf(pending.cell);
  if (at !== -1 && playerOf(game, markOfMove(at)) === pending.from) return "done";
  return game.moves.length > pending.moves || isOver(game.status) ? "taken" : null;
}

/** The board has a later game than the one to replace: the one that the player wanted, or another. */
function afterNextGame(game: Game, pending: Of<"newGame">, look: Look | null): Ending | null {
  if (game.number <= pending.replaces) return null;
  if (pending.phase === "asking") return "begun";
  if (look === null) return null;
  // It names the game that it replaces, so it can only revert now. The first game of a table names none.
  const isLate = pending.replaces > 0n;
  if (isWanted(pending, game) && (isLate || look.kind === "replaced")) return "done";
  return isLate ? "overwritten" : null;
}

export const isWanted = ({ players }: Of<"newGame">, game: Game): boolean => playersOf(game).join() === players.join();
