// What the connected player may do, and what the page waits for.
import { afterEach, expect, test } from "vitest";
import { isPerson } from "../../src/calls.ts";
import { canMove, canPlayAgain, needsPlayer, ownMarks, pendingMark, waitsForOther } from "../../src/player.ts";
import { clientOf } from "../../src/provider.ts";
import type { Address, Hex } from "../../src/rules.ts";
import { ALICE, BEN, CARLA, type FakeGame, FakeNode, GAME } from "./support/node.ts";
import { closeVisit, openPage, openTable } from "./support/table.ts";

afterEach(closeVisit);

const OVER = { moves: [0, 3, 1, 4, 2] };

test.each<[string, Partial<FakeGame> | null, Address[], string]>([
  ["no game, where the player invites somebody", null, [ALICE], "marks: , waits for the other"],
  ["one's own turn", { moves: [] }, [ALICE], "marks: 1, may move, needs the player"],
  ["one's own turn, as the second account", { moves: [] }, [CARLA, ALICE], "marks: 1, may move, needs the player"],
  ["the opponent's turn", { moves: [4] }, [ALICE], "marks: 1, waits for the other"],
  ["the opponent's turn, for O", { moves: [4, 0] }, [BEN], "marks: 2, waits for the other"],
  ["both sides", { moves: [4] }, [ALICE, BEN], "marks: 1 2, may move"],
  ["others' game", { moves: [4] }, [CARLA], "marks: "],
  ["the end", OVER, [ALICE], "marks: 1, may play again"],
  ["the end for both sides", OVER, [BEN, ALICE], "marks: 1 2, may play again"],
  ["the end of others' game, where the player invites somebody", OVER, [CARLA], "marks: , waits for the other"],
])("at %s", async (_, game, accounts, expected) => {
  const node = new FakeNode();
  node.accounts = accounts;
  const { page } = await openTable(node, game === null ? null : { ...GAME, ...game });
  const { state } = page;
  const found = [
    `marks: ${ownMarks(state).join(" ")}`,
    canMove(state) && "may move",
    canPlayAgain(state) && "may play again",
    waitsForOther(state) && "waits for the other",
    needsPlayer(state) && "needs the player",
  ];
  expect(found.filter(Boolean).join(", ")).toBe(expected);
});

test("before anything is read or connected, nothing is allowed and nothing awaited", async () => {
  for (const connected of [true, false]) {
    const node = new FakeNode();
    if (connected) node.down = true;
    const { page } = connected ? await openTable(node) : await openPage("");
    const { state } = page;
    expect(ownMarks(state)).toEqual([]);
    expect([canMove(state), canPlayAgain(state), waitsForOther(state), needsPlayer(state), pendingMark(state)]).toEqual(
      [false, false, false, false, null],
    );
    page.change({ pending: { action: { kind: "move", cell: 4, number: 1n }, moves: 0 } as never });
    expect(pendingMark(state)).toBeNull();
    closeVisit();
  }
});

test("while the wallet asks, the page needs the player; once it has sent, it waits for the other side", async () => {
  const node = new FakeNode();
  node.automine = false;
  const confirm = node.hold("eth_sendTransaction");
  const { page, pass } = await openTable(node, { ...GAME, moves: [4, 0] });
  expect(pendingMark(page.state)).toBeNull();
  void page.transactions.send({ kind: "move", cell: 8, number: 1n });
  await pass(100);
  expect([needsPlayer(page.state), waitsForOther(page.state)]).toEqual([true, false]);
  expect(pendingMark(page.state)).toEqual({ cell: 8, mark: 1, phase: "asking" });
  confirm();
  await pass(100);
  expect([needsPlayer(page.state), waitsForOther(page.state)]).toEqual([false, true]);
  expect(pendingMark(page.state)).toEqual({ cell: 8, mark: 1, phase: "sent" });
});

test.each([
  ["no code", "0x", true],
  ["a delegation", `0xef0100${"12".repeat(20)}`, true],
  ["a delegation in capitals", `0xEF0100${"AB".repeat(20)}`, true],
  ["other code of that length", `0xef0200${"12".repeat(20)}`, false],
  ["a delegation with a byte too many", `0xef0100${"12".repeat(21)}`, false],
  ["a delegation with a byte too few", `0xef0100${"12".repeat(19)}`, false],
  ["a delegation at the end of code", `0x${"12".repeat(20)}ef0100`, false],
])("an account with %s can play: %s", async (_, code, expected) => {
  const node = new FakeNode();
  node.head.code = new Map([[BEN, code as Hex]]);
  expect(await isPerson(clientOf(node), BEN)).toBe(expected);
});
