// The rules, as far as the page needs them: to name things, and to reject an answer about a game that cannot exist.
import type { DecodeFunctionResultReturnType } from "viem";
import type { ABI } from "./generated/contract.ts";

/** The contract's `status`, by its number. 0 means that there was no game yet. */
export const STATUSES = ["no_game", "in_progress", "x_won", "o_won", "draw", "x_forfeits", "o_forfeits"] as const;

export type Address = `0x${string}`;
export type Hex = `0x${string}`;
export type Mark = 1 | 2;
export type Status = (typeof STATUSES)[number];

export interface Game {
  /** The contract's `gameId`: 1 for the first game at a table, 0 before it. */
  number: bigint;
  playerX: Address;
  playerO: Address;
  /** The cells in the order they were taken. X moves first. */
  moves: readonly number[];
  /** The mark to move. None before the first game and none once the game is over. */
  turn: Mark | null;
  status: Status;
}

/** What `gameState()` returns, decoded and not checked yet. */
export type GameState = DecodeFunctionResultReturnType<typeof ABI, "gameState">;

export const X = 1;
export const O = 2;
export const MARKS = [X, O] as const;
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

export const markName = (mark: Mark): "X" | "O" => (mark === O ? "O" : "X");

export const other = (mark: Mark): Mark => (mark === X ? O : X);

/** The mark of a move, by its place in the list of moves. */
export const markOfMove = (at: number): Mark => (at % 2 === 0 ? X : O);

/** The mark in each of the nine cells, 0 in an empty one. */
export function marksOf(moves: readonly number[]): (Mark | 0)[] {
  const marks: (Mark | 0)[] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (const [at, cell] of moves.entries()) marks[cell] = markOfMove(at);
  return marks;
}

/** Every complete line. One move can complete two. */
export function winningLines(marks: readonly (Mark | 0)[]): (readonly [number, number, number])[] {
  return LINES.filter(([a, b, c]) => marks[a] !== 0 && marks[a] === marks[b] && marks[b] === marks[c]);
}

export function winner(status: Status): Mark | null {
  if (status === "x_won" || status === "o_forfeits") return X;
  if (status === "o_won" || status === "x_forfeits") return O;
  return null;
}

export const isOver = (status: Status): boolean => status !== "no_game" && status !== "in_progress";

export const playerOf = (game: Game, mark: Mark): Address => (mark === X ? game.playerX : game.playerO);

export const playersOf = ({ playerX, playerO }: Game): readonly [Address, Address] => [playerX, playerO];

/** The game that `gameState()` describes, or null if no table can return it: its moves must give this board and status. */
export function toGame(state: GameState): Game | null {
  const { gameId: number, playerX, playerO, moveHistory } = state;
  const status = STATUSES[state.status];
  const moves = moveHistory.map(({ row, col }) => row * 3 + col);
  const marks = marksOf(moves);
  const next = markOfMove(moves.length);
  const isWon = winningLines(marks).length > 0;
  let possible: readonly Status[] = ["in_progress", next === X ? "x_forfeits" : "o_forfeits"];
  if (number === 0n) possible = ["no_game"];
  else if (isWon) possible = [next === X ? "o_won" : "x_won"];
  else if (moves.length === 9) possible = ["draw"];
  const isPossible =
    status !== undefined &&
    possible.includes(status) &&
    (number === 0n ? moves.length === 0 : playerX !== ZERO && playerO !== ZERO) &&
    state.board.flat().join() === marks.join() &&
    new Set(moves).size === moves.length &&
    winningLines(marksOf(moves.slice(0, -1))).length === 0 &&
    moveHistory.every(({ row, col }) => row < 3 && col < 3);
  return isPossible ? { number, playerX, playerO, moves, turn: status === "in_progress" ? next : null, status } : null;
}
