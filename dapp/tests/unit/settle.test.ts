// How a transaction ends: one row for each thing that can be true of what was asked, of the board, and of what a node says.
import { expect, test } from "vitest";
import type { Game, Status } from "../../src/rules.ts";
import { type Look, settle } from "../../src/settle.ts";
import type { Pending } from "../../src/state.ts";
import { ALICE, BEN, CARLA, TABLE } from "../support/node.ts";

const table = { chain: 1, address: TABLE };
const SENT = { from: ALICE, asked: 0, phase: "sent", hash: "0x12", nonce: 7 } as const;
const ASKING = { from: ALICE, asked: 0, phase: "asking" } as const;
const MOVE = { kind: "move", table, cell: 4, number: 2n, moves: 2, ...SENT } as const;
const FORFEIT = { kind: "forfeit", table, number: 2n, moves: 2, ...SENT } as const;
const AGAIN = { kind: "newGame", table, players: [BEN, ALICE], replaces: 2n, moves: 5, ...SENT } as const;
const FIRST = { ...AGAIN, replaces: 0n, moves: 0 } as const;
const DEPLOY = { kind: "deploy", chain: 1, ...SENT } as const;

/** A game in which Alice is X. */
function game(number: bigint, moves: readonly number[], status: Status = "in_progress", x = ALICE, o = BEN): Game {
  const turn = status !== "in_progress" ? null : moves.length % 2 === 0 ? 1 : 2;
  return { number, playerX: x, playerO: o, moves, turn, status };
}

const BEFORE = game(2n, [0, 8]);
const OVER = game(2n, [0, 3, 1, 4, 2], "x_won");
const NEXT = game(3n, [], "in_progress", BEN, ALICE);
const OTHERS = game(3n, [], "in_progress", BEN, CARLA);

const waiting: Look = { kind: "waiting", nonce: 7 };
const MINED = { kind: "mined", block: 9, code: null } as const;
const mined = (succeeded: boolean, isShown = true) => ({ ...MINED, succeeded, isShown });
const gone = (kind: "replaced" | "dropped", isSure = true) => ({ kind, isSure, code: null });
const code = (kind: "table" | "none" | "other") => ({ code: { address: TABLE, kind } });

const rows: [string, Pending, Game | null, Look | null, ReturnType<typeof settle>][] = [
  ["a move that nothing is known of", MOVE, BEFORE, null, null],
  ["a move on the board", MOVE, game(2n, [0, 8, 4]), null, "done"],
  ["a move on the board after a reorg, in another place", MOVE, game(2n, [4, 8]), null, "done"],
  ["a move on the board that a node has not seen", MOVE, game(2n, [0, 8, 4, 1]), gone("dropped"), "done"],
  ["a cell that the opponent has taken", MOVE, game(2n, [0, 4]), null, null],
  ["another move of the player", MOVE, game(2n, [0, 8, 5]), null, "taken"],
  ["a game that was given up", MOVE, game(2n, [0, 8], "x_forfeits"), null, "taken"],
  ["a move in a game that a reorg took back", MOVE, game(1n, [0, 8, 4]), waiting, null],
  ["a move in a block that the board does not show yet", MOVE, BEFORE, mined(true, false), null],
  ["a move that reverted", MOVE, BEFORE, mined(false), "reverted"],
  ["a move from another account", MOVE, BEFORE, { kind: "relayed" }, "relayed"],
  ["a move that may be replaced", MOVE, BEFORE, gone("replaced", false), null],
  ["a move that was replaced", MOVE, BEFORE, gone("replaced"), "replaced"],
  ["a move that was dropped", MOVE, BEFORE, gone("dropped"), "dropped"],

  ["a forfeit on the board", FORFEIT, game(2n, [0, 8], "x_forfeits"), null, "done"],
  ["a forfeit of a game that has ended by itself", { ...FORFEIT, ...ASKING }, OVER, null, "done"],
  ["a forfeit in the wallet of a game that is no more", { ...FORFEIT, ...ASKING }, NEXT, null, "overwritten"],

  ["a new game that waits", AGAIN, OVER, waiting, null],
  ["a next game, while the wallet asks for one", { ...AGAIN, ...ASKING }, NEXT, null, "begun"],
  ["a first game, while the wallet asks for one", { ...FIRST, ...ASKING }, game(1n, []), null, "begun"],
  ["a next game before the first look", AGAIN, NEXT, null, null],
  ["the wanted game, by the opponent", AGAIN, NEXT, waiting, "done"],
  ["another game than the wanted one", AGAIN, OTHERS, waiting, "overwritten"],
  ["a new game in a block", AGAIN, NEXT, mined(true), "done"],
  ["a new game in a block, replaced already", AGAIN, OTHERS, mined(true), "done"],
  ["a new game in a block that the board does not show yet", AGAIN, OVER, mined(true, false), null],
  ["a new game that reverted", AGAIN, NEXT, mined(false), "reverted"],
  ["a new game from another account", AGAIN, NEXT, { kind: "relayed" }, "relayed"],
  ["a first game that will replace another one", FIRST, game(1n, []), waiting, null],
  ["a first game that waits beside the wanted one", FIRST, game(1n, [], "in_progress", BEN, ALICE), waiting, null],
  ["a first game that was cancelled", FIRST, OTHERS, gone("replaced"), "replaced"],
  ["a first game that was cancelled, and the wanted one", FIRST, NEXT, gone("replaced", false), "done"],

  ["a new table", DEPLOY, null, { ...mined(true), ...code("table") }, "done"],
  ["a new table that a late node does not have", DEPLOY, null, { ...mined(true), ...code("none") }, null],
  ["a new table under another hash", DEPLOY, null, { ...gone("replaced", false), ...code("table") }, "done"],
];

test.each(rows)("%s", (_, pending, board, look, expected) => {
  expect(settle(pending, board, look)).toBe(expected);
});
