// Stories of transactions that only an example shows: guards, late answers, a reload, another table, and new tables. How each of them
// ends is in settle.test.ts, and world.test.ts mixes all of it.
import { decodeFunctionData, getCreateAddress } from "viem/utils";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Action, encodeAction } from "../../src/contract.ts";
import { BYTECODE } from "../../src/generated/bytecode.ts";
import { ABI } from "../../src/generated/contract.ts";
import { text } from "../../src/text.ts";
import { ALICE, BEN, CARLA, FakeNode, GAME, SEPOLIA, TABLE } from "../support/node.ts";
import { closeVisit, connect, linkTo, newStorages, notice, openPage, openTable, serve } from "./support/page.ts";
import type { Visit } from "./support/page.ts";

const MOVE = { kind: "move", cell: 5, number: 1n } as const;
const FORFEIT = { kind: "forfeit", number: 1n } as const;
const AGAIN = { kind: "newGame", players: [BEN, ALICE], replaces: 1n } as const;
const OVER = { ...GAME, moves: [0, 3, 1, 4, 2] };
const NEW_TABLE = getCreateAddress({ from: ALICE, nonce: 0n });

let node: FakeNode;

beforeEach(() => (node = Object.assign(new FakeNode(), { automine: false })));
afterEach(closeVisit);

const phase = ({ state }: Visit): string | null => state.pending.value?.phase ?? null;

/** Alice's page with a transaction that waits for a block, or that the wallet still shows. */
async function asked(action: Action, expected: "sent" | "asking" | null = "sent"): Promise<Visit> {
  const visit = await openTable(node, action.kind === "newGame" ? OVER : GAME);
  void visit.transactions.send(action);
  await visit.pass(1000);
  expect(phase(visit)).toBe(expected);
  return visit;
}

async function expectEnd(visit: Visit, words: string, wait = 2000): Promise<void> {
  await visit.pass(wait);
  expect([phase(visit), notice(visit)]).toEqual([null, words]);
}

// -- what the wallet is asked -------------------------------------------------------

test("a transaction names its game", () => {
  for (const [action, functionName, ...args] of [
    [MOVE, "makeMove", 1, 2, 1n],
    [FORFEIT, "forfeit", 1n],
    [AGAIN, "newGame", BEN, ALICE, 1n],
    [{ ...AGAIN, replaces: 0n }, "newGame", BEN, ALICE],
  ] as const)
    expect(decodeFunctionData({ abi: ABI, data: encodeAction(action) })).toEqual({ functionName, args });
});

test("a player who stops before the wallet is asked does not sign", async () => {
  const visit = await openTable(node, GAME);
  const answer = node.hold("eth_call");
  void visit.transactions.send(MOVE);
  await visit.pass(10);
  visit.transactions.stopWaiting();
  answer();
  await expectEnd(visit, "");
  expect(node.sent).toEqual([]);
});

test("no press asks for another contract, or when another of the player's accounts is not on turn", async () => {
  const visit = await openTable(node, GAME);
  node.overrides["eth_getCode"] = () => "0x00";
  await visit.transactions.send(MOVE);
  expect(notice(visit)).toBe(text.failure.notTable);
  node.accounts = [CARLA];
  await connect(visit, node);
  node.asked.length = 0;
  await visit.transactions.send(MOVE);
  expect([notice(visit), node.asked]).toEqual([text.reason["not your turn"], []]);
});

test("after 30 seconds the player may stop waiting, and no second request opens beside one in the wallet", async () => {
  node.hold("eth_sendTransaction");
  const visit = await asked(MOVE, "asking");
  const { mayStop } = visit.state;
  await visit.pass(28_000);
  expect(mayStop.value).toBe(false);
  await visit.pass(2000);
  expect(mayStop.value).toBe(true);
  visit.transactions.stopWaiting();
  expect([phase(visit), mayStop.value]).toEqual([null, false]);
  void visit.transactions.send({ ...MOVE, cell: 0 });
  await expectEnd(visit, text.failure.busy);
  expect(node.count("eth_sendTransaction")).toBe(1);
});

// -- how it ends ----------------------------------------------------------------------

test("a forfeit that is open in the wallet ends when its game is replaced, whatever the wallet does with it later", async () => {
  const refuse = node.hold("eth_sendTransaction");
  const visit = await asked(FORFEIT, "asking");
  node.mine({ number: 2n, x: BEN, o: ALICE });
  await expectEnd(visit, text.failure.overwritten);
  node.chainId = 1;
  refuse();
  await expectEnd(visit, text.failure.overwritten);
});

test("a revert shows the reason as of its block", async () => {
  const visit = await asked(MOVE);
  const head = node.answer("eth_getBlockByNumber", []);
  node.overrides["eth_getBlockByNumber"] = () => head;
  // Another of X's transactions is earlier in the block; by now the same move would be accepted.
  node.mine({ moves: [0] }, []);
  node.mine();
  node.mine({ moves: [0, 8] });
  await expectEnd(visit, text.reason["not your turn"]);
});

test.each<[string, object, string]>([
  ["the game that the player wanted", { o: ALICE }, ""],
  ["another game", { o: CARLA }, text.reason["not the current game"]],
])("a rematch that comes too late for %s", async (_, game, words) => {
  const visit = await openTable(node, OVER);
  node.mine({ number: 2n, x: BEN, moves: [], ...game });
  void visit.transactions.send(AGAIN);
  await expectEnd(visit, words);
  expect(node.sent).toEqual([]);
});

test("a transaction is dropped only when all looks of five seconds agree, and never if no node has shown it", async () => {
  const visit = await asked(MOVE);
  const { pool } = node;
  for (const shown of [[], pool, []]) {
    node.pool = [...shown];
    await visit.pass(3000);
    expect(phase(visit)).toBe("sent");
  }
  await expectEnd(visit, text.failure.dropped, 4000);
  // Some wallets send transactions to block builders only.
  node.overrides["eth_sendTransaction"] = () => `0x${"ab".repeat(32)}`;
  void visit.transactions.send(MOVE);
  await visit.pass(60_000);
  expect([phase(visit), notice(visit), visit.state.mayStop.value]).toEqual(["sent", "", true]);
});

// -- a reload and another table -------------------------------------------------------

test("a reload keeps what is pending, for its table only and since when, and takes over nothing else", async () => {
  // Also one that no node has shown yet.
  node.overrides["eth_getTransactionByHash"] = () => null;
  const first = await asked(MOVE);
  await first.pass(24_000);
  for (const search of [linkTo(node.chainId, CARLA), linkTo(1), "", "?chain=x"])
    expect(phase(await openPage(search, first.storages))).toBeNull();
  const { session } = first.storages;
  const stored = session.getItem("tictactoe.pending") ?? "";
  // What another page or another version has stored.
  const lies = [{ version: 0 }, { hash: "0x12" }, { kind: "deploy" }, { table: null }];
  for (const wrong of [null, "pending", ...lies.map((lie) => ({ ...JSON.parse(stored), ...lie }))]) {
    session.setItem("tictactoe.pending", JSON.stringify(wrong));
    expect([wrong, phase(await openPage(linkTo(node.chainId), first.storages))]).toEqual([wrong, null]);
  }
  session.setItem("tictactoe.pending", stored);
  const visit = await openPage(linkTo(node.chainId), first.storages);
  expect(visit.state.pending.value).toEqual(first.state.pending.value);
  node.overrides = {};
  await connect(visit, node);
  await visit.pass(5000);
  expect(visit.state.mayStop.value).toBe(true);
  node.mine();
  await expectEnd(visit, "");
  expect(phase(await openPage(linkTo(node.chainId), visit.storages))).toBeNull();
});

test("a player who opens another page while the wallet asks finds nothing pending there", async () => {
  const confirm = node.hold("eth_sendTransaction");
  const visit = await asked(MOVE, "asking");
  visit.browser.visit("");
  confirm();
  await expectEnd(visit, "");
  expect(visit.storages.session.getItem("tictactoe.pending")).toBeNull();
});

// -- a new table ----------------------------------------------------------------------

/** The address of the open table. */
const opened = ({ state }: Visit): unknown => state.link.value.kind === "table" && state.link.value.table.address;

async function deploying(expected = "sent"): Promise<Visit> {
  const visit = await openPage("");
  await connect(visit, node);
  for (let presses = 0; presses < 2; presses += 1) void visit.transactions.deploy(node.chainId);
  await visit.pass(1500);
  expect(phase(visit)).toBe(expected);
  return visit;
}

test.each<[string, () => unknown, string]>([
  ["is mined", () => node.mine(), ""],
  ["is sped up", () => (node.replace(), node.mine()), ""],
  ["is dropped", () => (node.pool = []), text.failure.dropped],
  ["is cancelled", () => (node.replace({ to: TABLE, data: encodeAction(MOVE) }), node.mine()), text.failure.replaced],
  ["has other code", () => ((node.overrides["eth_getCode"] = () => "0x00"), node.mine()), text.failure.invalidAnswer],
  ["reverts", () => ((node.head.code = new Map([[NEW_TABLE, "0x00"]])), node.mine()), text.failure.reverted],
])("a new table that %s, in this tab or in a later one without a wallet", async (_, happens, words) => {
  for (const isReloaded of [false, true]) {
    node = Object.assign(new FakeNode(SEPOLIA), { automine: false });
    let visit = await deploying();
    expect(node.sent).toMatchObject([{ from: ALICE, to: null, data: BYTECODE }]);
    if (isReloaded) {
      serve(node);
      visit = await openPage("", { ...newStorages(), local: visit.storages.local });
    }
    happens();
    await expectEnd(visit, words, 8000);
    expect(opened(visit)).toBe(words === "" ? NEW_TABLE : false);
    expect(visit.memory.recall.tables()).toMatchObject(words === "" ? [{ address: NEW_TABLE, turn: "free" }] : []);
    expect(visit.memory.recall.forAll("deploy")).toBeNull();
    closeVisit();
  }
});

test.each([true, false])("a new table that is confirmed late opens (elsewhere by then: %s)", async (isElsewhere) => {
  const confirm = node.hold("eth_sendTransaction");
  const visit = await deploying("asking");
  if (isElsewhere) visit.browser.visit(linkTo(node.chainId));
  else visit.transactions.stopWaiting();
  await visit.pass(100);
  confirm();
  await visit.pass(500);
  expect(phase(visit)).toBe(isElsewhere ? null : "sent");
  node.mine();
  if (isElsewhere) visit.browser.visit("");
  await expectEnd(visit, "");
  expect(opened(visit)).toBe(NEW_TABLE);
});
