// When a notice is out of date. Every notice also ends with its ×, with the player's next action, and with another table.
import type { Failure } from "./failures.ts";
import type { Game } from "./rules.ts";
import { change, type Notice, type State, state } from "./state.ts";

/**
 * `move`: the game that was shown goes on or ends. `game`: another game starts. `wallet`: another account, chain or wallet.
 * A number is a time in milliseconds.
 */
type End = "move" | "game" | "wallet" | number;

function endsOf(notice: Notice): readonly End[] {
  switch (notice.kind) {
    case "copied":
      return [8000];
    case "notCopied":
      return [];
    case "reorg":
      return ["move", "game"];
    case "failure":
      return endsOfFailure(notice.failure);
  }
}

function endsOfFailure(failure: Failure): readonly End[] {
  switch (failure.kind) {
    // About a game that the page may be about to show.
    case "begun":
    case "overwritten":
    case "taken":
      return ["move"];
    case "reason":
      return failure.reason === "not the current game" ? ["move"] : ["move", "game"];
    // About the contract at this address.
    case "notTable":
      return [];
    default:
      return ["move", "game", "wallet"];
  }
}

const progress = ({ moves, status }: Game): string => `${moves.join()} ${status}`;

/** What has happened between two states. */
function happened(now: State, before: State): Set<End> {
  const found = new Set<End>();
  const [game, was] = [now.snapshot?.game, before.snapshot?.game];
  if (game && was && game.number !== was.number) found.add("game");
  else if (game && was && progress(game) !== progress(was)) found.add("move");
  const [is, used] = [now.connection, before.connection];
  if (is?.wallet !== used?.wallet || is?.chain !== used?.chain || is?.accounts.join() !== used?.accounts.join())
    found.add("wallet");
  return found;
}

/** Ends the notice if it is out of date. */
export function endNotice(now: State, before: State): void {
  const { notice } = now;
  if (notice === null) return;
  if (notice !== before.notice) {
    for (const end of endsOf(notice)) if (typeof end === "number") setTimeout(() => clear(notice), end);
    return;
  }
  const events = happened(now, before);
  if (endsOf(notice).some((end) => events.has(end))) clear(notice);
}

function clear(notice: Notice): void {
  if (state.notice === notice) change({ notice: null });
}
