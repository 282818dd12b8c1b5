// Sentences that depend on the state. The views and the announcements for screen readers use the same ones.
import { chainById, LOCAL_CHAIN } from "./chains.ts";
import type { Failure } from "./failures.ts";
import { inviterOf } from "./invitation.ts";
import { ownMarks, type PendingMark } from "./player.ts";
import { type Address, type Game, type Mark, markName, marksOf, other, playerOf, winner } from "./rules.ts";
import type { Notice, State } from "./state.ts";
import { fill, plural, text } from "./text.ts";

export const short = (address: Address): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

export function chainName(id: number): string {
  if (id === LOCAL_CHAIN) return text.chain.local;
  return chainById(id)?.name ?? fill(text.chain.unnamed, { id });
}

export interface StatusText {
  title: string;
  hint: string;
}

export function statusText(state: State): StatusText {
  const words = text.status;
  const { pending } = state;
  const game = state.snapshot?.game;
  if (!game && state.nodeStatus === "lost") return { title: words.unreachable, hint: words.unreachableHint };
  if (!game) return { title: words.reading, hint: words.readingHint };
  if (pending !== null && pending.action.kind !== "deploy") {
    if (pending.phase === "asking") return { title: words.asking, hint: words.askingHint };
    return { title: words.sent, hint: words.sentHint };
  }
  const inviter = inviterOf(state);
  if (inviter !== null) return { title: words.invited, hint: fill(words.invitedHint, { player: short(inviter) }) };
  if (game.status === "no_game") return { title: words.noGame, hint: words.noGameHint };
  return game.turn === null ? endText(state, game) : turnText(state, game, game.turn);
}

function turnText(state: State, game: Game, turn: Mark): StatusText {
  const words = text.status;
  const own = ownMarks(state);
  const mark = markName(turn);
  if (own.length === 2) return { title: fill(words.bothTurn, { mark }), hint: words.bothTurnHint };
  if (own.includes(turn)) return { title: words.yourTurn, hint: fill(words.yourTurnHint, { mark }) };
  const waiting = fill(words.theirTurnHint, { player: short(playerOf(game, turn)) });
  return { title: fill(words.theirTurn, { mark }), hint: own.length === 1 ? waiting : words.watching };
}

function endText(state: State, game: Game): StatusText {
  const words = text.status;
  const won = winner(game.status);
  if (won === null) return { title: words.draw, hint: words.drawHint };
  const own = ownMarks(state);
  const forfeited = game.status === "x_forfeits" || game.status === "o_forfeits";
  let title = fill(words.wins, { mark: markName(won) });
  if (own.length === 1) title = own.includes(won) ? words.youWin : words.youLose;
  if (!forfeited) return { title, hint: words.line };
  const you = own.length === 1 && !own.includes(won);
  return { title, hint: you ? words.youGaveUp : fill(words.gaveUp, { mark: markName(other(won)) }) };
}

export function failureText(failure: Failure): string {
  if (failure.kind === "reason") return text.reason[failure.reason];
  if (failure.kind === "refused") return fill(text.failure.refused, { detail: failure.detail });
  return text.failure[failure.kind];
}

export function noticeText(notice: Notice): string {
  if (notice.kind === "failure") return failureText(notice.failure);
  if (notice.kind !== "reorg") return text.game[notice.kind];
  if (notice.moves === 0) return text.failure.reorgNone;
  return fill(text.failure.reorg, { moves: plural(text.failure.moves, notice.moves) });
}

export const cellName = (cell: number): string => text.cells[cell as 0] ?? "";

/** The accessible name of a cell. */
export function cellLabel(
  cell: number,
  moves: readonly number[],
  pending: PendingMark | null,
  winning: ReadonlySet<number>,
): string {
  const mark = marksOf(moves)[cell] ?? 0;
  const name = cellName(cell);
  if (mark === 0) {
    if (pending?.cell === cell) return fill(text.board.pending, { cell: name, mark: markName(pending.mark) });
    return fill(text.board.empty, { cell: name });
  }
  let label = fill(text.board.mark, { cell: name, mark: markName(mark) });
  if (moves.at(-1) === cell) label = fill(text.board.last, { label });
  if (winning.has(cell)) label = fill(text.board.winning, { label });
  return label;
}
