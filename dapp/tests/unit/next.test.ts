// Both players ask for the next game: one game starts. The page reports another game than the one that the player wanted.
import { decodeFunctionData } from "viem/utils";
import { afterEach, expect, test } from "vitest";
import { ABI } from "../../src/generated/contract.ts";
import { text } from "../../src/text.ts";
import { ALICE, BEN, CARLA, FakeNode, GAME } from "./support/node.ts";
import { closeVisit, notice, openTable, type Visit } from "./support/table.ts";

afterEach(closeVisit);

const OVER = { ...GAME, moves: [0, 3, 1, 4, 2] };
const NEXT = { number: 2n, x: BEN, o: ALICE, moves: [] };
const AGAIN = { kind: "newGame", players: [BEN, ALICE], replaces: 1n } as const;

/** Alice asks for the next game. Her transaction waits for a block, or in the wallet. */
async function asked(node: FakeNode): Promise<Visit> {
  node.automine = false;
  const visit = await openTable(node, OVER);
  void visit.page.transactions.send(AGAIN);
  await visit.pass(1000);
  expect(visit.page.state.pending).not.toBeNull();
  return visit;
}

/** Ben's transaction starts the next game in a block before Alice's. */
function benIsFaster(node: FakeNode, [x, o]: readonly [typeof ALICE, typeof ALICE] = [BEN, ALICE]): void {
  node.mineOthers({ number: 2n, x, o, moves: [] });
}

async function expectNextGame(visit: Visit, words: string): Promise<void> {
  await visit.pass(2000);
  expect(notice(visit)).toBe(words);
  expect(visit.page.state.pending).toBeNull();
  expect(visit.page.state.snapshot?.game).toMatchObject({ number: 2n, status: "in_progress" });
}

test("one press starts the next round with the seats swapped, and names the game that it replaces", async () => {
  const node = new FakeNode();
  node.accounts = [CARLA, ALICE];
  const visit = await openTable(node, OVER);
  const { canPlayAgain } = await import("../../src/player.ts");
  expect(canPlayAgain(visit.page.state)).toBe(true);
  void visit.page.transactions.playAgain();
  expect(canPlayAgain(visit.page.state)).toBe(false);
  // A second press is none while the first one waits.
  void visit.page.transactions.playAgain();
  await expectNextGame(visit, "");
  expect(node.sent.map(({ from, data }) => [from, decodeFunctionData({ abi: ABI, data })])).toEqual([
    [ALICE, { functionName: "newGame", args: [BEN, ALICE, 1n] }],
  ]);
  expect(node.game).toMatchObject({ number: 2n, x: BEN, o: ALICE });
  expect(canPlayAgain(visit.page.state)).toBe(false);
});

test.each([
  ["a game in progress", { ...OVER, moves: [0] }, [ALICE]],
  ["a game of others", OVER, [CARLA]],
  ["a table without a game", null, [ALICE]],
])("at %s one press starts nothing", async (_, game, accounts) => {
  const node = new FakeNode();
  node.accounts = [...accounts];
  const visit = await openTable(node, game);
  await visit.page.transactions.playAgain();
  expect(node.sent).toEqual([]);
  expect(notice(visit)).toBe("");
});

test("two pages that press at once end in one game", async () => {
  const node = new FakeNode();
  node.automine = false;
  const alice = await openTable(node, OVER);
  void alice.page.transactions.playAgain();
  await alice.pass(500);
  // Ben's page, on the same chain. Each test has one fake browser, so Alice's page stays as it is until Ben's has ended.
  node.accounts = [BEN];
  const bens = await openTable(node);
  void bens.page.transactions.playAgain();
  await bens.pass(500);
  const [first, second, ...more] = node.sent;
  // Byte for byte the same call.
  expect([second?.from, second?.data, more]).toEqual([BEN, first?.data, []]);
  node.mine();
  await bens.pass(2000);
  expect(node.game).toMatchObject({ number: 2n, x: BEN, o: ALICE });
  expect(notice(bens)).toBe("");
  expect(bens.page.state.pending).toBeNull();
});

test("the faster player's game starts, and nothing is reported", async () => {
  const node = new FakeNode();
  const visit = await asked(node);
  node.mine();
  await expectNextGame(visit, "");
});

test("the slower player's transaction reverts, and nothing is reported, because the game is the same", async () => {
  const node = new FakeNode();
  const visit = await asked(node);
  benIsFaster(node);
  node.mine();
  await expectNextGame(visit, "");
});

test("a page that has not seen the opponent's game yet does not ask the wallet", async () => {
  const node = new FakeNode();
  const visit = await openTable(node, OVER);
  const head = node.answer("eth_getBlockByNumber", []);
  node.overrides["eth_getBlockByNumber"] = () => head;
  node.mine(NEXT);
  node.overrides["eth_call"] = (params) => {
    // The node is behind for the page's own look, and up to date for the simulation.
    if ((params[0] as { from?: string }).from !== undefined) delete node.overrides["eth_getBlockByNumber"];
    return node.answer("eth_call", params);
  };
  void visit.page.transactions.send(AGAIN);
  await expectNextGame(visit, "");
  expect(node.sent).toEqual([]);
});

test("a wallet that still asks should decline", async () => {
  const node = new FakeNode();
  node.hold("eth_sendTransaction");
  const visit = await asked(node);
  benIsFaster(node);
  await expectNextGame(visit, text.failure.begun);
  // There is no hash to ask for.
  expect(node.count("eth_getTransactionReceipt")).toBe(0);
});

test("a game that starts before the wallet returns the hash is not taken for the opponent's", async () => {
  const node = new FakeNode();
  let answer = (): void => undefined;
  node.overrides["eth_sendTransaction"] = async (params) => {
    const hash = node.answer("eth_sendTransaction", params);
    await new Promise<void>((resolve) => (answer = resolve));
    return hash;
  };
  const visit = await asked(node);
  node.mine();
  await expectNextGame(visit, text.failure.begun);
  answer();
  await expectNextGame(visit, text.failure.begun);
});

test("a transaction that no node shows ends with the opponent's game", async () => {
  const node = new FakeNode();
  // Some wallets send transactions to block builders only.
  node.overrides["eth_sendTransaction"] = () => `0x${"ab".repeat(32)}`;
  const visit = await asked(node);
  benIsFaster(node);
  await expectNextGame(visit, "");
});

test("a new game that is sped up starts under its new hash", async () => {
  const node = new FakeNode();
  const visit = await asked(node);
  await visit.pass(1000);
  node.replace();
  node.mine();
  await expectNextGame(visit, "");
});

test("a new game that is cancelled in the wallet is reported", async () => {
  const node = new FakeNode();
  const visit = await asked(node);
  await visit.pass(1000);
  node.replace({ to: null });
  node.mine();
  await visit.pass(8000);
  expect(notice(visit)).toBe(text.failure.replaced);
  expect(visit.page.state.snapshot?.game?.number).toBe(1n);
});

test("another next game than the one that the player wanted is reported", async () => {
  const node = new FakeNode();
  const visit = await asked(node);
  benIsFaster(node, [BEN, CARLA]);
  node.mine();
  await expectNextGame(visit, text.reason["not the current game"]);
});

test("the first game replaces none, so the page warns that the open request would end it", async () => {
  const node = new FakeNode();
  node.hold("eth_sendTransaction");
  const visit = await openTable(node);
  void visit.page.transactions.send({ kind: "newGame", players: [ALICE, BEN], replaces: 0n });
  await visit.pass(1000);
  node.mine(GAME);
  await visit.pass(2000);
  expect(notice(visit)).toBe(text.failure.begun);
  expect(visit.page.words.statusText(visit.page.state).title).toBe(text.status.yourTurn);
});

// -- a move and another game ----------------------------------------------------

const MOVE = { kind: "move", cell: 4, number: 1n } as const;

test.each([
  ["the wallet asks", true],
  ["the transaction waits", false],
])("a game that is replaced while %s ends the move", async (_, asks) => {
  const node = new FakeNode();
  node.automine = false;
  if (asks) node.hold("eth_sendTransaction");
  const visit = await openTable(node, GAME);
  void visit.page.transactions.send(MOVE);
  await visit.pass(1000);
  node.mineOthers(NEXT);
  node.mine();
  await visit.pass(1000);
  expect(notice(visit)).toBe(text.failure.overwritten);
  expect(visit.page.state.pending).toBeNull();
});

test("a move from the same account elsewhere ends the waiting for this one", async () => {
  const node = new FakeNode();
  node.hold("eth_sendTransaction");
  const visit = await openTable(node, GAME);
  void visit.page.transactions.send(MOVE);
  await visit.pass(1000);
  node.mine({ moves: [0] });
  await visit.pass(1000);
  expect(notice(visit)).toBe(text.failure.taken);
  expect(visit.page.state.pending).toBeNull();
});

test("a game that the player has given up elsewhere ends the waiting for a move", async () => {
  const node = new FakeNode();
  node.hold("eth_sendTransaction");
  const visit = await openTable(node, GAME);
  void visit.page.transactions.send(MOVE);
  await visit.pass(1000);
  node.mine({ forfeited: true });
  await visit.pass(1000);
  expect([notice(visit), visit.page.state.pending]).toEqual([text.failure.taken, null]);
});

test("a game that is replaced ends a forfeit, too", async () => {
  const node = new FakeNode();
  node.automine = false;
  const visit = await openTable(node, GAME);
  void visit.page.transactions.send({ kind: "forfeit", number: 1n });
  await visit.pass(1000);
  node.mine(NEXT);
  await visit.pass(1000);
  expect([notice(visit), visit.page.state.pending]).toEqual([text.failure.overwritten, null]);
});

// -- a new game and another --------------------------------------------------------

test("a new game in a block that the board does not show yet is still pending", async () => {
  const node = new FakeNode();
  const visit = await asked(node);
  const head = node.answer("eth_getBlockByNumber", []);
  node.overrides["eth_getBlockByNumber"] = () => head;
  await visit.pass(3000);
  node.mine();
  await visit.pass(3000);
  expect(visit.page.state.pending?.phase).toBe("sent");
  node.overrides = {};
  await expectNextGame(visit, "");
});

test("a first game that was sent waits on when another one comes first, because it will replace it", async () => {
  const node = new FakeNode();
  node.automine = false;
  const visit = await openTable(node);
  void visit.page.transactions.send({ kind: "newGame", players: [ALICE, CARLA], replaces: 0n });
  await visit.pass(1000);
  node.mineOthers(GAME);
  await visit.pass(3000);
  expect([visit.page.state.pending?.phase, notice(visit)]).toEqual(["sent", ""]);
  node.replace();
  node.mine();
  await visit.pass(3000);
  expect([visit.page.state.pending, notice(visit)]).toEqual([null, ""]);
  expect(visit.page.state.snapshot?.game).toMatchObject({ number: 2n, playerO: CARLA });
});

test.each([
  ["the game that the player wanted", [BEN, ALICE], ""],
  ["another game", [BEN, CARLA], text.failure.overwritten],
] as const)("a transaction that was cancelled in the wallet, and %s", async (_, [x, o], words) => {
  for (const replaces of [0n, 1n]) {
    const node = new FakeNode();
    node.automine = false;
    const visit = await openTable(node, replaces === 0n ? null : OVER);
    void visit.page.transactions.send({ ...AGAIN, replaces });
    await visit.pass(1000);
    node.replace({ to: null });
    node.mine({ number: replaces + 1n, x, o, moves: [] });
    await visit.pass(8000);
    // The first game of a table replaces none, so only the wallet ends it.
    const expected = replaces === 0n && words !== "" ? text.failure.replaced : words;
    expect([notice(visit), visit.page.state.pending]).toEqual([expected, null]);
    closeVisit();
  }
});
