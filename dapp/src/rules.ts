// The rules, as far as the page needs them: to name things, and to catch an answer about a game that cannot be.
import { GAME_BITS, STATUS } from "./generated/contract.ts";

export type Address = `0x${string}`;
export type Hex = `0x${string}`;
export type Mark = 1 | 2;
export type Cell = Mark | 0;
export type StatusName = keyof typeof STATUS;

export interface Move {
  cell: number;
  mark: Mark;
}

export interface Game {
  id: bigint;
  /** X's address, then O's. */
  players: readonly [Address, Address];
  board: readonly Cell[];
  moves: readonly Move[];
  turn: Cell;
  status: StatusName;
}

/** The number of a game has so many bits in the contract's storage; there is no game beyond. */
const LAST_GAME = 2n ** BigInt(GAME_BITS) - 1n;

export const X = 1;
export const O = 2;
export const ZERO: Address = "0x0000000000000000000000000000000000000000";

const LINES = [
  [0, 1, 2],
  [3, 4, 5],
  [6, 7, 8],
  [0, 3, 6],
  [1, 4, 7],
  [2, 5, 8],
  [0, 4, 8],
  [2, 4, 6],
] as const;

export const other = (mark: Mark): Mark => (mark === X ? O : X);

/** The cells of every line that is complete; one move can complete two. */
export function winningCells(board: readonly Cell[]): Set<number> {
  const cells = new Set<number>();
  for (const line of winningLines(board)) for (const cell of line) cells.add(cell);
  return cells;
}

export function winningLines(board: readonly Cell[]): (readonly [number, number, number])[] {
  // A board of which nothing is known yet is an empty list, and has no line either.
  return LINES.filter(([a, b, c]) => (board[a] ?? 0) !== 0 && board[a] === board[b] && board[b] === board[c]);
}

export function winner(status: StatusName): Cell {
  if (status === "X_WON" || status === "O_FORFEITS") return X;
  if (status === "O_WON" || status === "X_FORFEITS") return O;
  return 0;
}

export const isOver = (status: StatusName): boolean => status !== "NO_GAME" && status !== "IN_PROGRESS";

export const playerOf = (game: Game, mark: Mark): Address => game.players[mark - 1] ?? ZERO;

/**
 * Whether the history, replayed from an empty board, gives this board, turn and status. The contract keeps that promise,
 * so an answer that breaks it does not come from the contract, and is not drawn.
 */
export function isPossible(game: Game): boolean {
  const board: Cell[] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  if (game.status === "NO_GAME") {
    return game.id === 0n && game.moves.length === 0 && game.turn === 0 && game.board.every((cell) => cell === 0);
  }
  if (game.id < 1n || game.id > LAST_GAME || game.players.some((player) => player === ZERO)) return false;
  let mark: Mark = X;
  for (const move of game.moves) {
    if (move.mark !== mark || board[move.cell] !== 0 || winningLines(board).length > 0) return false;
    board[move.cell] = mark;
    mark = other(mark);
  }
  const last = game.moves.length > 0 ? other(mark) : 0;
  const won = winningLines(board).length > 0;
  let expected: StatusName[];
  if (won) expected = [last === X ? "X_WON" : "O_WON"];
  else if (game.moves.length === 9) expected = ["DRAW"];
  else expected = ["IN_PROGRESS", mark === X ? "X_FORFEITS" : "O_FORFEITS"];
  const turn = won || game.moves.length === 9 ? last : mark;
  return expected.includes(game.status) && game.turn === turn && board.every((cell, at) => cell === game.board[at]);
}
