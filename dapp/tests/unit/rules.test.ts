// What the page takes for a game. The rules themselves are tested with the contract.
import { decodeFunctionResult } from "viem/utils";
import { expect, test } from "vitest";
import { ABI } from "../../src/generated/contract.ts";
import { type GameState, isOver, STATUSES, toGame, winner, winningCells, ZERO } from "../../src/rules.ts";
import { ALICE, BEN, encodeState, type FakeGame } from "./support/node.ts";

const stateOf = (game: Partial<FakeGame>): GameState => {
  const data = encodeState({ number: 1n, x: ALICE, o: BEN, moves: [], forfeited: false, ...game });
  return decodeFunctionResult({ abi: ABI, functionName: "gameState", data });
};
/** A board with these marks, row by row. */
const board = (marks: string): number[][] => marks.split(" ").map((row) => [...row].map(Number));

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
  expect(toGame(stateOf({ moves, forfeited }))).toMatchObject({ status, turn, moves, playerX: ALICE, playerO: BEN });
});

const EMPTY = stateOf({ number: 0n, x: ZERO, o: ZERO });
const ONE_MOVE = stateOf({ moves: [4] });
const [MOVE = { row: 1, col: 1, player: 1, sequenceNumber: 1 }] = ONE_MOVE.moveHistory;

test.each<[string, object]>([
  ["a number", { gameId: 1n }],
  ["a move", { moveHistory: ONE_MOVE.moveHistory }],
  ["a turn", { currentPlayer: 1 }],
  ["a mark", { board: board("000 000 002") }],
])("a table without a game is possible, with %s it is not", (_, lie) => {
  expect(toGame(EMPTY)).toEqual({ number: 0n, playerX: ZERO, playerO: ZERO, moves: [], turn: null, status: "no_game" });
  expect(toGame({ ...EMPTY, ...lie })).toBeNull();
});

test.each<[string, object]>([
  ["an unknown status", { status: 99 }],
  ["game 0 in progress", { gameId: 0n }],
  ["a board without moves", { moveHistory: [] }],
  ["a move off the grid", { moveHistory: [{ ...MOVE, row: 255, col: 255 }] }],
  ["a column off the grid", { moveHistory: [{ ...MOVE, row: 0, col: 4 }] }],
  ["a wrong sequence number", { moveHistory: [{ ...MOVE, sequenceNumber: 2 }] }],
  ["a move by nobody", { moveHistory: [{ ...MOVE, player: 7 }] }],
  [
    "a cell twice",
    { moveHistory: [MOVE, { ...MOVE, player: 2, sequenceNumber: 2 }], board: board("000 020 000"), currentPlayer: 1 },
  ],
  ["a mark 255", { board: [[255, 0, 0], ...board("010 000")] }],
  ["X's turn after X's move", { currentPlayer: 1 }],
  ["a win without a line", { status: 2 }],
  ["the zero address as X", { playerX: ZERO }],
  ["the zero address as O", { playerO: ZERO }],
  ["a move after a win", stateOf({ moves: [0, 3, 1, 4, 2, 5] })],
  [
    "200 moves",
    {
      moveHistory: Array.from({ length: 200 }, (_, at) => ({
        row: at % 3,
        col: 1,
        player: 1 + (at % 2),
        sequenceNumber: at + 1,
      })),
    },
  ],
])("%s is impossible", (_, lie) => {
  expect(toGame({ ...ONE_MOVE, ...lie } as GameState)).toBeNull();
});

test("every status says who has won, and whether the game is over", () => {
  expect(STATUSES.map((status) => [winner(status), isOver(status)])).toEqual([
    [null, false],
    [null, false],
    [1, true],
    [2, true],
    [null, true],
    [2, true],
    [1, true],
  ]);
});

test("the winning cells are those of every line", () => {
  expect([...winningCells([1, 1, 1, 2, 2, 0, 0, 0, 0])]).toEqual([0, 1, 2]);
  expect(winningCells([1, 1, 1, 1, 2, 2, 1, 2, 2])).toEqual(new Set([0, 1, 2, 3, 6]));
  expect(winningCells([1, 1, 2, 2, 2, 1, 1, 1, 2]).size).toBe(0);
});
