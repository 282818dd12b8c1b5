// What the page takes for a game. The rules themselves are tested with the contract.
import { decodeFunctionResult } from "viem/utils";
import { expect, test } from "vitest";
import { ABI } from "../../src/generated/contract.ts";
import { type GameState, toGame, ZERO } from "../../src/rules.ts";
import { encodeState, GAME } from "../support/node.ts";

const stateOf = (game: object): GameState => {
  const data = encodeState({ ...GAME, forfeited: false, ...game });
  return decodeFunctionResult({ abi: ABI, functionName: "gameState", data });
};

/** The state with one thing changed, so that no table can return it. */
function lies(state: GameState): object[] {
  const { currentPlayer, status, moveHistory } = state;
  const board = state.board.flat();
  // Either side of a running game can be the one that gives up, but only when it is on turn.
  const running = [1, 4 + currentPlayer];
  const possible = running.includes(status) ? running : [status];
  const [move = { row: 1, col: 1, player: 1, sequenceNumber: 1 }] = moveHistory.slice(-1);
  const moved = [{ row: 255 }, { col: 4 }, { row: (move.row + 1) % 3 }];
  const histories = moved.map((lie) => [...moveHistory.slice(0, -1), { ...move, ...lie }]);
  return [
    { gameId: 0n },
    { playerX: ZERO },
    { playerO: ZERO },
    ...[0, 1, 2, 3, 4, 5, 6, 7, 99].filter((wrong) => !possible.includes(wrong)).map((wrong) => ({ status: wrong })),
    ...board.flatMap((mark, cell) => [(mark + 1) % 3, 255].map((wrong) => ({ board: [board.with(cell, wrong)] }))),
    ...[...histories, [...moveHistory, { ...move, sequenceNumber: moveHistory.length + 1 }]].map((history) => ({
      moveHistory: history,
    })),
  ];
}

test.each([
  [[], false, "in_progress", 1],
  [[4], false, "in_progress", 2],
  [[0, 3, 1, 4, 2], false, "x_won", null],
  [[0, 3, 1, 4, 8, 5], false, "o_won", null],
  [[0, 1, 2, 3, 6, 5, 8, 7, 4], false, "x_won", null],
  [[0, 1, 2, 4, 3, 5, 7, 6, 8], false, "draw", null],
  [[0], true, "o_forfeits", null],
] as const)("the moves %j, forfeited %j, are %s, and nothing else", (moves, forfeited, status, turn) => {
  const state = stateOf({ moves, forfeited });
  expect(toGame(state)).toEqual({ number: 1n, playerX: GAME.x, playerO: GAME.o, moves, turn, status });
  for (const lie of lies(state)) expect([lie, toGame({ ...state, ...lie })]).toEqual([lie, null]);
});
