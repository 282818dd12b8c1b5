// What the page takes for a game. The rules themselves are tested with the contract.
import { decodeFunctionResult } from "viem/utils";
import { expect, test } from "vitest";
import { ABI } from "../../src/generated/contract.ts";
import {
  type GameState,
  isOver,
  markName,
  playerOf,
  playersOf,
  STATUSES,
  toGame,
  winner,
  winningCells,
  ZERO,
} from "../../src/rules.ts";
import { ALICE, BEN, encodeState, type FakeGame } from "./support/node.ts";

const stateOf = (game: Partial<FakeGame>): GameState => {
  const data = encodeState({ number: 1n, x: ALICE, o: BEN, moves: [], forfeited: false, ...game });
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
  expect(toGame(stateOf({ moves, forfeited }))).toMatchObject({ status, turn, moves });
});

const EMPTY = stateOf({ number: 0n, x: ZERO, o: ZERO });
const ONE_MOVE = stateOf({ moves: [4] });
const [MOVE] = ONE_MOVE.moveHistory;

test("a table without a game is possible", () => {
  expect(toGame(EMPTY)).toEqual({ number: 0n, playerX: ZERO, playerO: ZERO, moves: [], turn: null, status: "no_game" });
});

test.each<[string, Partial<GameState>]>([
  ["a number", { gameId: 1n }],
  ["a move", { moveHistory: ONE_MOVE.moveHistory }],
  ["a turn", { currentPlayer: 1 }],
  [
    "a mark",
    {
      board: [
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 2],
      ],
    },
  ],
])("a table without a game, but with %s, is impossible", (_, lie) => {
  expect(toGame({ ...EMPTY, ...lie })).toBeNull();
});

test.each<[string, Partial<GameState>]>([
  ["an unknown status", { status: 99 }],
  ["game 0 in progress", { gameId: 0n }],
  ["a board without moves", { moveHistory: [] }],
  ["a move off the grid", { moveHistory: [{ row: 255, col: 255, player: 1, sequenceNumber: 1 }] }],
  ["a column off the grid", { moveHistory: [{ row: 0, col: 4, player: 1, sequenceNumber: 1 }] }],
  ["a wrong sequence number", { moveHistory: [{ row: 1, col: 1, player: 1, sequenceNumber: 2 }] }],
  ["a move by nobody", { moveHistory: [{ row: 1, col: 1, player: 7, sequenceNumber: 1 }] }],
  [
    "the same cell twice",
    {
      moveHistory: [MOVE, { ...MOVE, player: 2, sequenceNumber: 2 }] as GameState["moveHistory"],
      board: [
        [0, 0, 0],
        [0, 2, 0],
        [0, 0, 0],
      ],
      currentPlayer: 1,
    },
  ],
  [
    "a mark 255",
    {
      board: [
        [255, 0, 0],
        [0, 1, 0],
        [0, 0, 0],
      ],
    },
  ],
  ["X's turn after X's move", { currentPlayer: 1 }],
  ["a win without a line", { status: 2 }],
  ["the zero address as X", { playerX: ZERO }],
  ["the zero address as O", { playerO: ZERO }],
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
  expect(toGame({ ...ONE_MOVE, ...lie })).toBeNull();
  expect(toGame(ONE_MOVE)).not.toBeNull();
});

test("no move comes after a win", () => {
  expect(toGame(stateOf({ moves: [0, 3, 1, 4, 2, 5] }))).toBeNull();
});

test("every status says who has won, and whether the game is over", () => {
  expect(STATUSES.map((status) => [status, winner(status), isOver(status)])).toEqual([
    ["no_game", null, false],
    ["in_progress", null, false],
    ["x_won", 1, true],
    ["o_won", 2, true],
    ["draw", null, true],
    ["x_forfeits", 2, true],
    ["o_forfeits", 1, true],
  ]);
});

test("X is the first player, and O the second", () => {
  const game = toGame(ONE_MOVE);
  if (game === null) throw new Error("no game");
  expect([playerOf(game, 1), playerOf(game, 2), playersOf(game)]).toEqual([ALICE, BEN, [ALICE, BEN]]);
  expect([markName(1), markName(2)]).toEqual(["X", "O"]);
});

test("the winning cells are those of every line", () => {
  expect([...winningCells([1, 1, 1, 2, 2, 0, 0, 0, 0])]).toEqual([0, 1, 2]);
  expect(winningCells([1, 1, 1, 1, 2, 2, 1, 2, 2])).toEqual(new Set([0, 1, 2, 3, 6]));
  expect(winningCells([1, 1, 2, 2, 2, 1, 1, 1, 2]).size).toBe(0);
});
