// Who the player is at the open table, what they may do there, and what the page says about it: every answer once. The views, the
// announcements for screen readers, the tab's title and the loop read it.
import { computed } from "@preact/signals";
import { type Address, type Game, type Mark, markName, markOfMove, MARKS, other, playerOf, winner } from "./rules.ts";
import { linkSender, openTable, state } from "./state.ts";
import { fill, text } from "./text.ts";
import { chainName, noticeText, short } from "./words.ts";

/** The one thing to do next. */
export type Step = "tryNow" | "play" | "switch" | "invite" | "again" | "connect";

/** A mark that no block includes yet. */
export type PendingMark = { cell: number; mark: Mark; phase: "asking" | "sent" };

export interface Seat {
  /** The marks that the connected wallet plays. */
  own: readonly Mark[];
  /** The mark that the player may place now. */
  turn: Mark | null;
  /** The player's mark that no block includes yet. */
  mark: PendingMark | null;
  /** Who invites the reader of the link to a game that can start now. */
  inviter: Address | null;
  /** The account with which the player invites others to a free table. */
  host: Address | null;
  /** The other side is to start or to move, or will be as soon as the player's transaction is in a block. */
  waits: boolean;
  /** The player is to move, or to answer the wallet. */
  isNeeded: boolean;
  title: string;
  hint: string;
  /** Under the board: what is wrong, and what to do. */
  words: string;
  isBad: boolean;
  step: Step | null;
}

export const seat = computed<Seat>(() => {
  const { value: pending } = state.pending;
  const accounts = state.connection.value?.accounts ?? [];
  const game = state.snapshot.value?.game ?? null;
  const own = game === null ? [] : MARKS.filter((mark) => accounts.includes(playerOf(game, mark)));
  const next = game?.turn ?? null;
  const isOwnTurn = next !== null && own.includes(next);
  const { inviter, host } = invitation(game, own, accounts[0] ?? null);
  const isMove = pending?.kind === "move" && game !== null;
  const known = { game, own, inviter, host };
  return {
    own,
    turn: pending === null && isOwnTurn ? next : null,
    mark: isMove ? { cell: pending.cell, mark: markOfMove(pending.moves), phase: pending.phase } : null,
    inviter,
    host,
    waits: host !== null || pending?.phase === "sent" || (next !== null && own.length === 1 && !isOwnTurn),
    isNeeded: pending === null ? isOwnTurn && own.length === 1 : pending.phase === "asking",
    ...heading(known),
    ...nextStep(known),
  };
});

type Known = Pick<Seat, "own" | "inviter" | "host"> & { game: Game | null };

/**
 * An invitation is a link with the address of the player who sends it: the reader starts the game with one press. The next game may be
 * between other players if there was none, or if it is over and this player only watched.
 */
function invitation(game: Game | null, own: readonly Mark[], account: Address | null): Pick<Seat, "inviter" | "host"> {
  const isFree = game?.turn === null && own.length === 0;
  if (!isFree) return { inviter: null, host: null };
  const sender = linkSender();
  return sender === null || sender === account ? { inviter: null, host: account } : { inviter: sender, host: null };
}

// -- above the board ----------------------------------------------------------------

type Heading = Pick<Seat, "title" | "hint">;

function heading({ game, own, inviter, host }: Known): Heading {
  const words = text.status;
  const { value: pending } = state.pending;
  if (game === null && state.nodeStatus.value === "lost")
    return { title: words.unreachable, hint: words.unreachableHint };
  if (game === null) return { title: words.reading, hint: words.readingHint };
  if (pending?.phase === "asking") return { title: words.asking, hint: words.askingHint };
  if (pending?.phase === "sent") return { title: words.sent, hint: words.sentHint };
  if (inviter !== null) return { title: words.invited, hint: fill(words.invitedHint, { player: short(inviter) }) };
  if (host !== null) return { title: words.host, hint: words.hostHint };
  if (game.status === "no_game") return { title: words.noGame, hint: words.noGameHint };
  return game.turn === null ? ended(game, own) : running(own, game.turn);
}

function running(own: readonly Mark[], turn: Mark): Heading {
  const words = text.status;
  const title = fill(words.bothTurn, { mark: markName(turn) });
  const [mark, second] = own;
  if (second !== undefined) return { title, hint: words.bothTurnHint };
  if (mark === turn) return { title: words.yourTurn, hint: fill(words.yourTurnHint, { mark: markName(turn) }) };
  if (mark !== undefined) return { title: words.theirTurn, hint: fill(words.theirTurnHint, { mark: markName(mark) }) };
  const hint = state.connection.value === null ? words.watching : words.watchingAs;
  return { title, hint: linkSender() === null ? hint : `${words.usedHint} ${hint}` };
}

function ended({ status }: Game, own: readonly Mark[]): Heading {
  const words = text.status;
  const won = winner(status);
  if (won === null) return { title: words.draw, hint: words.drawHint };
  const isForfeit = status === "x_forfeits" || status === "o_forfeits";
  if (own.length !== 1) {
    const hint = isForfeit ? fill(words.gaveUp, { mark: markName(other(won)) }) : words.line;
    return { title: fill(words.wins, { mark: markName(won) }), hint };
  }
  if (own.includes(won)) return { title: words.youWin, hint: isForfeit ? words.theyGaveUp : words.line };
  return { title: words.youLose, hint: isForfeit ? words.youGaveUp : words.theirLine };
}

// -- under the board ----------------------------------------------------------------

function nextStep(known: Known): Pick<Seat, "words" | "isBad" | "step"> {
  const { value: notice } = state.notice;
  const step = stepOf(known);
  if (notice !== null) {
    // Declining is no error, nor is a reorg, nor a game that has started in the meantime.
    const isBad = !["declined", "reorg", "begun", "overwritten"].includes(notice.kind);
    return { words: noticeText(notice), isBad, step };
  }
  if (step === "tryNow") return { words: lostText(), isBad: true, step };
  if (step === "connect") return { words: text.game.connectToPlay, isBad: false, step };
  const chain = chainName(state.connection.value?.chain ?? 0);
  return { words: step === "switch" ? fill(text.game.switchHint, { chain }) : "", isBad: false, step };
}

export const sourceName = (): string => text.game.source[state.source.value === "wallet" ? "wallet" : "endpoint"];

/** The source does not answer: at the start, or with a board on the screen that may be out of date. */
export function lostText(): string {
  return state.snapshot.value === null ? fill(text.game.nodeLostFirst, { source: sourceName() }) : text.game.nodeLost;
}

function stepOf({ game, own, inviter, host }: Known): Step | null {
  const { value: connection } = state.connection;
  if (state.nodeStatus.value === "lost") return "tryNow";
  if (state.pending.value !== null) return null;
  // This switches the chain, too.
  if (inviter !== null) return "play";
  if (connection !== null && connection.chain !== openTable()?.chain) return "switch";
  if (host !== null) return "invite";
  if (game?.turn === null && own.length > 0) return "again";
  // While the game is still being read, too, unless it may turn out to be an invitation.
  const isInvited = game === null && linkSender() !== null;
  return connection === null && !state.isReturning.value && !isInvited ? "connect" : null;
}
