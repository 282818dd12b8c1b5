// What the page takes for a game. The rules themselves are tested with the contract.
import { decodeFunctionResult } from "viem/utils";
import { expect, test } from "vitest";
import { ABI } from "../../src/generated/contract.ts";
import { type GameState, isOver, STATUSES, toGame, winner, winningCells, ZERO } from "../../src/rules.ts";
import { encodeState, GAME } from "./support/node.ts";

const stateOf = (game: object): GameState => {
  const data = encodeState({ ...GAME, forfeited: false, ...game });
  return decodeFunctionResult({ abi: ABI, functionName: "gameState", data });
};

test.each([
  [[], false, "in_progress", 1],
  [[4], false, "in_progress", 2],
  [[0, 3, 1, 4, 2], false, "x_won", null],
  [[0, 3, 1, 4, 8, 5], false, "o_won", null],
  [[0, 1, 2, 3, 6, 5, 8, 7, 4], false, "x_won", null],
  [[0, 1, 2, 4, 3, 5, 7, 6, 8], false, "draw", null],
  [[], true, "x_forfeits", null],
  [[0], true, "o_forfeits", null],
] as const)("the moves %j, forfeited %j, are %s", (moves, forfeited, status, turn) => {
  expect(toGame(stateOf({ moves, forfeited }))).toEqual({
    number: 1n,
    playerX: GAME.x,
    playerO: GAME.o,
    moves,
    turn,
    status,
  });
});

/** A board with these marks, row by row. */
const board = (marks: string): number[][] => marks.split(" ").map((row) => [...row].map(Number));
const EMPTY = stateOf({ number: 0n, x: ZERO, o: ZERO });
const ONE_MOVE = stateOf({ moves: [4] });
const [MOVE = { row: 1, col: 1, player: 1, sequenceNumber: 1 }] = ONE_MOVE.moveHistory;
const moved = (...lies: object[]): object => ({ moveHistory: lies.map((lie) => ({ ...MOVE, ...lie })) });

test("a table without a game has nothing else", () => {
  expect(toGame(EMPTY)).toEqual({ number: 0n, playerX: ZERO, playerO: ZERO, moves: [], turn: null, status: "no_game" });
  for (const lie of [{ gameId: 1n }, moved({}), { currentPlayer: 1 }, { board: board("000 000 002") }])
    expect(toGame({ ...EMPTY, ...lie })).toBeNull();
});

test.each<[string, object]>([
  ["an unknown status", { status: 99 }],
  ["game 0 in progress", { gameId: 0n }],
  ["a board without moves", moved()],
  ["a row off the grid", moved({ row: 255, col: 255 })],
  ["a column off the grid", moved({ row: 0, col: 4 })],
  ["a wrong sequence number", moved({ sequenceNumber: 2 })],
  ["a move by nobody", moved({ player: 7 })],
  ["a cell twice", { ...moved({}, { player: 2, sequenceNumber: 2 }), board: board("000 020 000"), currentPlayer: 1 }],
  ["a mark 255", { board: [[255, 0, 0], ...board("010 000")] }],
  ["X's turn after X's move", { currentPlayer: 1 }],
  ["a win without a line", { status: 2 }],
  ["the zero address as X", { playerX: ZERO }],
  ["the zero address as O", { playerO: ZERO }],
  ["a move after a win", stateOf({ moves: [0, 3, 1, 4, 2, 5] })],
])("%s is impossible", (_, lie) => {
  expect(toGame({ ...ONE_MOVE, ...lie })).toBeNull();
});

test("every status says who has won, and whether the game is over", () => {
  expect(STATUSES.map(winner)).toEqual([null, null, 1, 2, null, 2, 1]);
  expect(STATUSES.map(isOver)).toEqual([false, false, true, true, true, true, true]);
});

test("the winning cells are those of every line", () => {
  expect([...winningCells([1, 1, 1, 2, 2, 0, 0, 0, 0])]).toEqual([0, 1, 2]);
  expect(winningCells([1, 1, 1, 1, 2, 2, 1, 2, 2])).toEqual(new Set([0, 1, 2, 3, 6]));
  expect(winningCells([1, 1, 2, 2, 2, 1, 1, 1, 2]).size).toBe(0);
});
