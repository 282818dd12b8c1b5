// Sentences that depend on the state: said in one way to the eye and to the ear.
import { chainById, LOCAL_CHAIN, PRACTICE_CHAIN } from "./chains.ts";
import type { Trouble } from "./failures.ts";
import { type Address, type Game, type Mark, O, other, playerOf, winner, X } from "./rules.ts";
import type { Notice, State } from "./state.ts";
import { markName } from "./table.ts";
import { fill, plural, text } from "./text/index.ts";

export const short = (address: Address): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

export function chainName(id: number): string {
  if (id === PRACTICE_CHAIN) return text.chain.practice;
  if (id === LOCAL_CHAIN) return text.chain.local;
  return chainById(id)?.name ?? fill(text.chain.unnamed, { id });
}

/** The marks that the player's wallet may place. */
export function ownMarks(state: State): Mark[] {
  const game = state.sight?.game;
  const accounts = state.connection?.accounts ?? [];
  if (!game || game.status === "NO_GAME") return [];
  return ([X, O] as const).filter((mark) => accounts.includes(playerOf(game, mark)));
}

export function canMove(state: State): boolean {
  const game = state.sight?.game;
  return game?.status === "IN_PROGRESS" && game.turn !== 0 && ownMarks(state).includes(game.turn);
}

export interface Status {
  title: string;
  hint: string;
}

export function status(state: State): Status {
  const words = text.status;
  const { pending } = state;
  const game = state.sight?.game;
  if (!game) return { title: words.reading, hint: words.readingHint };
  if (pending !== null && pending.action.kind !== "deploy") {
    if (pending.phase === "asking") return { title: words.asking, hint: words.askingHint };
    return { title: words.sent, hint: words.sentHint };
  }
  if (game.status === "NO_GAME") return { title: words.noGame, hint: words.noGameHint };
  return game.status === "IN_PROGRESS" ? statusOfTurn(state, game) : statusOfEnd(state, game);
}

function statusOfTurn(state: State, game: Game): Status {
  const words = text.status;
  const own = ownMarks(state);
  const turn: Mark = game.turn === O ? O : X;
  const mark = markName(turn);
  if (own.length === 2) return { title: fill(words.bothTurn, { mark }), hint: words.bothTurnHint };
  if (own.includes(turn)) return { title: words.yourTurn, hint: fill(words.yourTurnHint, { mark }) };
  const waiting = fill(words.theirTurnHint, { player: short(playerOf(game, turn)) });
  return { title: fill(words.theirTurn, { mark }), hint: own.length === 1 ? waiting : words.watching };
}

function statusOfEnd(state: State, game: Game): Status {
  const words = text.status;
  if (game.status === "DRAW") return { title: words.draw, hint: words.drawHint };
  const own = ownMarks(state);
  const won = winner(game.status) === X ? X : O;
  const forfeit = game.status === "X_FORFEITS" || game.status === "O_FORFEITS";
  let title = fill(words.wins, { mark: markName(won) });
  if (own.length === 1) title = own.includes(won) ? words.youWin : words.youLose;
  if (!forfeit) return { title, hint: words.line };
  const you = own.length === 1 && !own.includes(won);
  return { title, hint: you ? words.youGaveUp : fill(words.gaveUp, { mark: markName(other(won)) }) };
}

export function trouble(what: Trouble): string {
  if (what.kind === "reason") return text.reason[what.reason];
  if (what.kind === "refused") return fill(text.failure.refused, { detail: what.detail });
  return text.failure[what.kind];
}

export function notice(what: Notice): string {
  if (what.kind === "trouble") return trouble(what.trouble);
  if (what.kind !== "reorg") return text.game[what.kind];
  if (what.moves === 0) return text.failure.reorgNone;
  return fill(text.failure.reorg, { moves: plural(text.failure.moves, what.moves) });
}

export const square = (cell: number): string => text.squares[cell as 0] ?? "";

/** What a square is called, for ears. */
export function squareLabel(state: State, cell: number, winning: ReadonlySet<number>): string {
  const game = state.sight?.game;
  const mark = game?.board[cell] ?? 0;
  const name = square(cell);
  if (mark === 0) {
    const pending = pendingMark(state);
    if (pending?.cell === cell) return fill(text.board.pending, { square: name, mark: markName(pending.mark) });
    return fill(text.board.empty, { square: name });
  }
  let label = fill(text.board.mark, { square: name, mark: markName(mark) });
  if (game?.moves.at(-1)?.cell === cell) label = fill(text.board.last, { label });
  if (winning.has(cell)) label = fill(text.board.winning, { label });
  return label;
}

export function pendingMark({ pending, sight }: State): { cell: number; mark: Mark } | null {
  if (pending?.action.kind !== "move" || !sight?.game) return null;
  return { cell: pending.action.cell, mark: pending.moves % 2 === 0 ? X : O };
}
