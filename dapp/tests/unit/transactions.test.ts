// The player's transactions: what the wallet is asked, and every way in which they end.
import { decodeFunctionData, getCreateAddress } from "viem/utils";
import { afterEach, expect, test } from "vitest";
import { encodeAction } from "../../src/calls.ts";
import { chainById } from "../../src/chains.ts";
import { BYTECODE } from "../../src/generated/bytecode.ts";
import { ABI } from "../../src/generated/contract.ts";
import { text } from "../../src/text.ts";
import { newStorages } from "./support/browser.ts";
import { ALICE, BEN, CARLA, FakeNode, GAME, revert, TABLE } from "./support/node.ts";
import {
  closeVisit,
  connect,
  linkTo,
  notice,
  openPage,
  openTable,
  serve,
  status,
  type Visit,
  walletOf,
} from "./support/table.ts";

afterEach(closeVisit);

const ETHER = { name: "Ether", symbol: "ETH", decimals: 18 };
const MOVE = { kind: "move", cell: 4, number: 1n } as const;

async function sentMove(node: FakeNode): Promise<Visit> {
  node.automine = false;
  const visit = await openTable(node, GAME);
  void visit.page.transactions.send(MOVE);
  await visit.pass(500);
  expect(status(visit)).toBe(text.status.sent);
  return visit;
}

test("a move names its game, and settles with its block", async () => {
  const node = new FakeNode();
  const visit = await sentMove(node);
  expect(node.sent.map(({ data }) => decodeFunctionData({ abi: ABI, data }))).toEqual([
    { functionName: "makeMove", args: [1, 1, 1n] },
  ]);
  node.mine();
  await visit.pass(1000);
  expect(visit.page.state.pending).toBeNull();
  expect(status(visit)).toBe("O to move");
  expect(notice(visit)).toBe("");
  // It is on the right chain already.
  expect(node.count("wallet_switchEthereumChain")).toBe(0);
});

test("the code is asked for once per connection, not per move", async () => {
  const node = new FakeNode();
  node.accounts = [ALICE, BEN];
  const visit = await openTable(node, GAME);
  node.asked.length = 0;
  for (const cell of [0, 3, 1]) {
    void visit.page.transactions.send({ ...MOVE, cell });
    await visit.pass(1000);
  }
  expect(node.game.moves).toEqual([0, 3, 1]);
  expect(node.count("eth_getCode")).toBe(1);
});

test("a wallet that declines sends nothing, and the player can move again", async () => {
  const node = new FakeNode();
  const visit = await openTable(node, GAME);
  node.fail("eth_sendTransaction", { code: 4001, message: "No." });
  await visit.page.transactions.send(MOVE);
  expect(notice(visit)).toBe(text.failure.declined);
  expect(status(visit)).toBe(text.status.yourTurn);
  node.overrides = {};
  void visit.page.transactions.send(MOVE);
  await visit.pass(1000);
  expect(node.game.moves).toEqual([4]);
  expect(notice(visit)).toBe("");
});

test.each(["wallet_switchEthereumChain", "eth_getCode", "eth_call"])(
  "a player who gives up during %s is not asked to sign",
  async (slow) => {
    const node = new FakeNode();
    const visit = await openTable(node, GAME);
    const answer = node.hold(slow, (params) =>
      slow.startsWith("wallet") ? (node.chainId = 31_337) : node.answer(slow, params),
    );
    if (slow.startsWith("wallet")) node.chainId = 1;
    void visit.page.transactions.send(MOVE);
    await visit.pass(10);
    visit.page.pending.stopWaiting();
    answer();
    await visit.pass(1000);
    expect(node.count(slow)).toBeGreaterThan(0);
    expect(node.count("eth_sendTransaction")).toBe(0);
    expect([visit.page.state.pending, notice(visit)]).toEqual([null, ""]);
  },
);

test("a player who opens another page while the wallet asks finds nothing pending there", async () => {
  const node = new FakeNode();
  const visit = await openTable(node, GAME);
  const confirm = node.hold("eth_sendTransaction");
  void visit.page.transactions.send(MOVE);
  await visit.pass(10);
  visit.browser.visit("");
  confirm();
  await visit.pass(1000);
  expect([visit.page.state.pending, notice(visit)]).toEqual([null, ""]);
  expect(node.game.moves).toEqual([4]);
  expect(visit.storages.session.getItem("tictactoe.pending")).toBeNull();
});

test("while one transaction waits, no other is sent, and the notice before it is gone", async () => {
  const node = new FakeNode();
  node.automine = false;
  const visit = await openTable(node, GAME);
  visit.page.change({ notice: { kind: "copied" } });
  void visit.page.transactions.send(MOVE);
  expect(visit.page.state.notice).toBeNull();
  for (const wait of [0, 1000]) {
    await visit.pass(wait);
    await visit.page.transactions.send({ ...MOVE, cell: 0 });
    await visit.page.transactions.deploy();
  }
  expect(node.count("eth_sendTransaction")).toBe(1);
  visit.page.change({ notice: { kind: "copied" } });
  visit.page.pending.stopWaiting();
  expect([visit.page.state.pending, visit.page.state.notice]).toEqual([null, { kind: "copied" }]);
});

test("a later move ends with its own block, and its nonce is kept", async () => {
  const node = new FakeNode();
  node.automine = false;
  const visit = await openTable(node, { ...GAME, moves: [4, 0] });
  void visit.page.transactions.send({ ...MOVE, cell: 8 });
  await visit.pass(2000);
  expect([status(visit), notice(visit)]).toEqual([text.status.sent, ""]);
  expect(JSON.parse(visit.storages.session.getItem("tictactoe.pending") ?? "")).toMatchObject({ nonce: 0, moves: 2 });
  node.mine();
  await visit.pass(1000);
  expect([status(visit), notice(visit), visit.storages.session.getItem("tictactoe.pending")]).toEqual([
    "O to move",
    "",
    null,
  ]);
});

test("a transaction that a node shows again in between is not reported as dropped", async () => {
  const node = new FakeNode();
  const visit = await sentMove(node);
  await visit.pass(1000);
  const { pool } = node;
  for (const shown of [[], pool, []]) {
    node.pool = [...shown];
    await visit.pass(3000);
    expect([status(visit), notice(visit)]).toEqual([text.status.sent, ""]);
  }
});

test("a transaction that no node ever shows stays pending", async () => {
  const node = new FakeNode();
  // Some wallets send transactions to block builders only.
  node.overrides["eth_sendTransaction"] = () => `0x${"ab".repeat(32)}`;
  const visit = await sentMove(node);
  await visit.pass(60_000);
  expect([status(visit), notice(visit)]).toEqual([text.status.sent, ""]);
});

test("a hidden page does not ask for its transaction, but for the board", async () => {
  const node = new FakeNode();
  const visit = await sentMove(node);
  visit.browser.setHidden(true);
  await visit.pass(500);
  node.asked.length = 0;
  await visit.pass(30_000);
  expect(new Set(node.asked)).toEqual(new Set(["eth_getBlockByNumber"]));
  visit.browser.setHidden(false);
  await visit.pass(10);
  expect(node.count("eth_getTransactionReceipt")).toBeGreaterThan(0);
});

test("a transaction that reverts in its block shows the contract's reason as of that block", async () => {
  const node = new FakeNode();
  const visit = await sentMove(node);
  // Another of X's transactions is earlier in the block.
  node.overrides["eth_getBlockByNumber"] = () => ({ hash: `0x${"77".repeat(32)}`, number: "0x1" });
  node.mineOthers({ moves: [0] });
  node.mine();
  // By now the same move would be accepted.
  node.mine({ moves: [0, 8] });
  await visit.pass(2000);
  expect(notice(visit)).toBe(text.reason["not your turn"]);
  expect(visit.page.state.pending).toBeNull();
});

test.each([
  ["a forfeit", { kind: "forfeit", number: 1n } as const, { functionName: "forfeit", args: [1n] }, "x_forfeits"],
  [
    "a first game",
    { kind: "newGame", players: [BEN, ALICE], replaces: 0n } as const,
    { functionName: "newGame", args: [BEN, ALICE] },
    "in_progress",
  ],
])("%s is sent as it is, and ends with its block", async (_, action, call, status_) => {
  const node = new FakeNode();
  node.automine = false;
  const visit = await openTable(node, action.kind === "forfeit" ? GAME : null);
  void visit.page.transactions.send(action);
  await visit.pass(1500);
  expect(visit.page.state.pending?.phase).toBe("sent");
  expect(node.sent.map(({ from, to, data }) => ({ from, to, ...decodeFunctionData({ abi: ABI, data }) }))).toEqual([
    { from: ALICE, to: TABLE, ...call },
  ]);
  node.mine();
  await visit.pass(2000);
  expect([visit.page.state.pending, notice(visit), visit.page.state.snapshot?.game?.status]).toEqual([
    null,
    "",
    status_,
  ]);
});

test("a player whose turn it is not is asked nothing", async () => {
  const node = new FakeNode();
  node.accounts = [BEN];
  const visit = await openTable(node, GAME);
  node.asked.length = 0;
  await visit.page.transactions.send(MOVE);
  expect(notice(visit)).toBe(text.reason["not your turn"]);
  expect(node.asked).toEqual([]);
});

test.each<[string, (visit: Visit) => void]>([
  ["a wallet", ({ page }) => page.change({ connection: null })],
  ["a board", ({ page }) => page.change({ snapshot: null })],
  ["an open table", ({ browser }) => browser.visit("")],
])("without %s nothing is sent and nothing is reported", async (_, lose) => {
  const node = new FakeNode();
  const visit = await openTable(node, GAME);
  lose(visit);
  node.asked.length = 0;
  await visit.page.transactions.send(MOVE);
  await visit.page.transactions.playAgain();
  expect([visit.page.state.pending, notice(visit), node.asked]).toEqual([null, "", []]);
});

test("without a wallet, or an account of it, nothing is deployed", async () => {
  const node = new FakeNode();
  const visit = await openPage("");
  await visit.page.transactions.deploy();
  visit.page.change({ connection: { wallet: walletOf(node), accounts: [], chain: node.chainId } });
  await visit.page.transactions.deploy();
  expect([visit.page.state.pending, notice(visit), node.asked]).toEqual([null, "", []]);
});

test("a move in a game that is over is refused by the contract, not for the turn", async () => {
  const node = new FakeNode();
  const visit = await openTable(node, { ...GAME, moves: [0, 3, 1, 4, 2] });
  await visit.page.transactions.send({ ...MOVE, cell: 8 });
  expect(notice(visit)).toBe(text.reason["no game in progress"]);
});

test("a new game is signed by the account that plays in it, else by the first one", async () => {
  for (const [players, from] of [
    [[BEN, CARLA], CARLA],
    [[BEN, TABLE], ALICE],
  ] as const) {
    const node = new FakeNode();
    node.accounts = [ALICE, CARLA];
    const visit = await openTable(node, GAME);
    void visit.page.transactions.send({ kind: "newGame", players, replaces: 1n });
    await visit.pass(500);
    expect(node.sent.map((sent) => sent.from)).toEqual([from]);
    closeVisit();
  }
});

test("the code is asked for again at another table", async () => {
  const node = new FakeNode();
  node.head.code = new Map([...node.head.code, [CARLA, node.head.code.get(TABLE) ?? "0x"]]);
  const visit = await openTable(node, GAME);
  void visit.page.transactions.send(MOVE);
  await visit.pass(1000);
  node.mine({ number: 2n, moves: [] });
  visit.browser.visit(linkTo(node.chainId, CARLA));
  await visit.pass(1000);
  node.asked.length = 0;
  void visit.page.transactions.send({ ...MOVE, number: 2n });
  await visit.pass(1000);
  expect([node.count("eth_getCode"), node.count("eth_sendTransaction")]).toEqual([1, 1]);
});

test("a player who disconnects while the wallet asks reads how it ended", async () => {
  const node = new FakeNode();
  const visit = await openTable(node, GAME);
  const decline = node.hold("eth_sendTransaction", () => {
    throw { code: 4001, message: "No." };
  });
  const sending = visit.page.transactions.send(MOVE);
  await visit.pass(10);
  visit.page.wallets.disconnect();
  decline();
  await sending;
  expect(notice(visit)).toBe(text.failure.declined);
});

test("a player who gives up reads nothing of what fails after that", async () => {
  const node = new FakeNode();
  const visit = await openTable(node, GAME);
  const fail = node.hold("eth_call", () => {
    throw new Error("late");
  });
  const sending = visit.page.transactions.send(MOVE);
  await visit.pass(10);
  visit.page.pending.stopWaiting();
  fail();
  await sending;
  expect([notice(visit), visit.page.state.pending]).toEqual(["", null]);
});

test("the wallet is asked with the chain's number, and for nothing but the call", async () => {
  const node = new FakeNode();
  const visit = await openTable(node, GAME);
  const asked: unknown[] = [];
  node.overrides["eth_sendTransaction"] = (params) => {
    asked.push(params);
    return node.answer("eth_sendTransaction", params);
  };
  void visit.page.transactions.send(MOVE);
  await visit.pass(500);
  expect(asked).toEqual([[{ from: ALICE, to: TABLE, data: encodeAction(MOVE), chainId: "0x7a69" }]]);
});

test("an answer that is no hash is not taken for one", async () => {
  const node = new FakeNode();
  const visit = await openTable(node, GAME);
  node.overrides["eth_sendTransaction"] = () => "done!";
  await visit.page.transactions.send(MOVE);
  expect(notice(visit)).toBe(text.failure.invalidAnswer);
  expect(visit.page.state.pending).toBeNull();
});

test("a move that would revert is not sent", async () => {
  const node = new FakeNode();
  const visit = await openTable(node, GAME);
  // The page has not seen yet that X has moved from elsewhere.
  node.mine({ moves: [0] });
  await visit.page.transactions.send(MOVE);
  expect(notice(visit)).toBe(text.reason["not your turn"]);
  expect(node.sent).toEqual([]);
});

test("a transaction that the network drops is reported after some seconds", async () => {
  const node = new FakeNode();
  const visit = await sentMove(node);
  await visit.pass(1000);
  node.pool = [];
  await visit.pass(4000);
  expect(status(visit)).toBe(text.status.sent);
  await visit.pass(4000);
  expect(notice(visit)).toBe(text.failure.dropped);
  expect(status(visit)).toBe(text.status.yourTurn);
});

test("one that is cancelled in the wallet is reported", async () => {
  const node = new FakeNode();
  const visit = await sentMove(node);
  await visit.pass(1000);
  // Another transaction with the same nonce, to the account itself.
  node.replace({ to: null });
  node.mine();
  await visit.pass(8000);
  expect(notice(visit)).toBe(text.failure.replaced);
});

test("one that is replaced in a block which the board does not show yet is still pending", async () => {
  const node = new FakeNode();
  const visit = await sentMove(node);
  await visit.pass(1000);
  const head = node.answer("eth_getBlockByNumber", []);
  node.overrides["eth_getBlockByNumber"] = () => head;
  node.replace({ to: null });
  node.mine();
  await visit.pass(8000);
  expect(status(visit)).toBe(text.status.sent);
  node.overrides = {};
  await visit.pass(8000);
  expect(notice(visit)).toBe(text.failure.replaced);
});

test("one that is sped up settles under its new hash", async () => {
  const node = new FakeNode();
  const visit = await sentMove(node);
  await visit.pass(1000);
  node.replace();
  // Longer than the page waits before it reports a dropped one.
  await visit.pass(10_000);
  expect([status(visit), notice(visit)]).toEqual([text.status.sent, ""]);
  node.mine();
  await visit.pass(1000);
  expect(visit.page.state.snapshot?.game?.moves).toEqual([4]);
  expect([status(visit), notice(visit)]).toEqual(["O to move", ""]);
});

test("with slow blocks a move stays pending, and the page connected", async () => {
  const node = new FakeNode();
  const visit = await sentMove(node);
  await visit.pass(1000);
  const { pending } = visit.page.state;
  await visit.pass(120_000);
  expect([status(visit), visit.page.state.nodeStatus]).toEqual([text.status.sent, "connected"]);
  // Nothing about it has changed.
  expect(visit.page.state.pending).toBe(pending);
  node.mine();
  await visit.pass(1000);
  expect(status(visit)).toBe("O to move");
});

test("a move that is in a block which the board does not show yet is still pending", async () => {
  const node = new FakeNode();
  const visit = await sentMove(node);
  const head = node.answer("eth_getBlockByNumber", []);
  node.overrides["eth_getBlockByNumber"] = () => head;
  node.mine();
  await visit.pass(3000);
  expect(status(visit)).toBe(text.status.sent);
  // Nor does the receipt say more than the board.
  node.overrides["eth_getTransactionReceipt"] = (params) => ({
    ...(node.answer("eth_getTransactionReceipt", params) as object),
    blockNumber: "0x0",
  });
  await visit.pass(3000);
  expect(status(visit)).toBe(text.status.sent);
  node.overrides = {};
  await visit.pass(1000);
  expect(status(visit)).toBe("O to move");
});

test.each([
  [31_337, 40],
  [11_155_111, 10],
])(
  "on chain %i a pending transaction is looked for %i times in ten seconds, one look at a time",
  async (chain, looks) => {
    const node = new FakeNode(chain);
    const visit = await sentMove(node);
    await visit.pass(1000);
    node.asked.length = 0;
    await visit.pass(10_000);
    expect(node.count("eth_getTransactionReceipt")).toBe(looks);
    node.hold("eth_getTransactionReceipt");
    node.asked.length = 0;
    for (let blocks = 0; blocks < 5; blocks += 1) {
      node.mineOthers({});
      await visit.pass(1000);
    }
    expect(node.count("eth_getTransactionReceipt")).toBe(1);
  },
);

const PENDING = {
  move: MOVE,
  forfeit: { kind: "forfeit", number: 1n },
  newGame: { kind: "newGame", players: [BEN, ALICE], replaces: 1n },
} as const;

/** The node has the player's transaction in a block, where it reverted. Simulating it again ends with this error, or with none. */
function revertWith(node: FakeNode, error: unknown): void {
  node.overrides["eth_getTransactionReceipt"] = ([hash]) => ({
    transactionHash: hash,
    status: "0x0",
    blockNumber: "0x1",
    from: ALICE,
  });
  node.overrides["eth_call"] = (params) => {
    if ((params[0] as { from?: string }).from === undefined) return node.answer("eth_call", params);
    if (error !== null) throw error;
    return "0x";
  };
}

const FATES: Record<string, [(node: FakeNode) => void, string]> = {
  reverts: [(node) => revertWith(node, revert("caller is a contract")), text.reason["caller is a contract"]],
  "is replaced": [(node) => (node.replace({ to: null }), node.mine()), text.failure.replaced],
  "is dropped": [(node) => void (node.pool = []), text.failure.dropped],
  "is relayed": [(node) => node.replace({ from: CARLA }), text.failure.relayed],
};

test.each(Object.keys(PENDING).flatMap((kind) => Object.keys(FATES).map((fate) => [kind, fate] as const)))(
  "a %s that %s ends, and the player reads why",
  async (kind, fate) => {
    const node = new FakeNode();
    node.automine = false;
    const visit = await openTable(node, GAME);
    void visit.page.transactions.send(PENDING[kind as keyof typeof PENDING]);
    await visit.pass(1500);
    const { hash } = visit.page.state.pending ?? {};
    const [happens, words] = FATES[fate] ?? [];
    happens?.(node);
    // The hash stays where only the account is another one.
    if (fate === "is relayed" && hash) node.pool = node.pool.map((sent) => ({ ...sent, hash }));
    await visit.pass(8000);
    expect([visit.page.state.pending, notice(visit)]).toEqual([null, words]);
  },
);

test.each<[string, unknown]>([
  ["would succeed", null],
  ["fails for no reason of the contract", { code: -32_000, message: "header not found" }],
])("a transaction that reverted, and %s when it is simulated again, is reported as that", async (_, error) => {
  const node = new FakeNode();
  const visit = await sentMove(node);
  revertWith(node, error);
  await visit.pass(1000);
  expect([notice(visit), visit.page.state.pending]).toEqual([text.failure.reverted, null]);
});

test("what a node answers about a transaction after the player has given it up changes nothing", async () => {
  const receipt = ([hash]: readonly unknown[], more: object) => ({
    transactionHash: hash,
    status: "0x1",
    blockNumber: "0x1",
    from: ALICE,
    ...more,
  });
  for (const [method, answer] of [
    ["eth_getTransactionReceipt", (params: readonly unknown[]) => receipt(params, { from: CARLA })],
    ["eth_getTransactionByHash", ([hash]: readonly unknown[]) => ({ hash, from: ALICE, nonce: "0x7" })],
    ["eth_call", () => Promise.reject(new Error("reverted"))],
  ] as const) {
    const node = new FakeNode();
    const visit = await sentMove(node);
    if (method === "eth_call")
      node.overrides["eth_getTransactionReceipt"] = (params) => receipt(params, { status: "0x0" });
    const release = node.hold(method, answer);
    await visit.pass(1000);
    visit.page.pending.stopWaiting();
    // Nor does it end the next one.
    if (method === "eth_getTransactionReceipt") void visit.page.transactions.send({ ...MOVE, cell: 0 });
    await visit.pass(100);
    const { pending } = visit.page.state;
    release();
    await visit.pass(100);
    expect([visit.page.state.pending?.action, notice(visit)]).toEqual([pending?.action, ""]);
    closeVisit();
  }
});

test.each([
  ["a move in a game that another one has replaced", MOVE, "not the current game", text.reason["not the current game"]],
  ["a new game with a contract", PENDING.newGame, "player is a contract", text.reason["player is a contract"]],
  [
    "a new game after another one, where the node does not say whose",
    PENDING.newGame,
    "not the current game",
    text.reason["not the current game"],
  ],
] as const)("%s is refused with its reason before it is sent", async (_, action, reason, words) => {
  const node = new FakeNode();
  const visit = await openTable(node, GAME);
  node.fail("eth_call", revert(reason));
  await visit.page.transactions.send(action);
  expect([notice(visit), node.sent]).toEqual([words, []]);
});

test("a transaction that another account sent is explained, mined or not", async () => {
  for (const automine of [true, false]) {
    const node = new FakeNode();
    node.automine = automine;
    const visit = await openTable(node, GAME);
    node.relayer = CARLA;
    void visit.page.transactions.send(MOVE);
    await visit.pass(2000);
    expect(notice(visit)).toBe(text.failure.relayed);
    expect(visit.page.state.pending).toBeNull();
    closeVisit();
  }
});

test("a node that leaves the sender out of receipts is believed", async () => {
  const node = new FakeNode();
  node.overrides["eth_getTransactionReceipt"] = (params) => {
    const receipt = node.answer("eth_getTransactionReceipt", params) as object | null;
    return receipt === null ? null : { ...receipt, from: null };
  };
  const visit = await openTable(node, { ...GAME, moves: [0, 3, 1, 4, 2] });
  void visit.page.transactions.send({ kind: "newGame", players: [BEN, ALICE], replaces: 1n });
  await visit.pass(2000);
  expect(notice(visit)).toBe("");
  expect(visit.page.state.snapshot?.game?.number).toBe(2n);
});

test("the page offers to stop waiting after 30 seconds, and shows the move if it comes after that", async () => {
  const node = new FakeNode();
  node.automine = false;
  const { page, pass } = await openTable(node, GAME);
  const confirm = node.hold("eth_sendTransaction");
  void page.transactions.send(MOVE);
  await pass(20_000);
  // The wallet's time counts, too.
  confirm();
  await pass(9000);
  expect([page.state.pending?.phase, page.state.mayStop]).toEqual(["sent", false]);
  await pass(3000);
  expect(page.state.mayStop).toBe(true);
  page.pending.stopWaiting();
  await pass(100);
  expect([page.state.pending, page.state.mayStop]).toEqual([null, false]);
  node.mine();
  await pass(1000);
  expect(page.state.snapshot?.game?.moves).toEqual([4]);
});

test("a reload keeps a pending move, and how long the player has waited", async () => {
  const node = new FakeNode();
  const first = await sentMove(node);
  await first.pass(25_000);
  const visit = await openPage(linkTo(node.chainId), first.storages);
  await connect(visit, node);
  expect(status(visit)).toBe(text.status.sent);
  expect(visit.page.state.mayStop).toBe(false);
  await visit.pass(5000);
  expect(visit.page.state.mayStop).toBe(true);
  node.mine();
  await visit.pass(1000);
  expect(status(visit)).toBe("O to move");
  const again = await openPage(linkTo(node.chainId), visit.storages);
  await connect(again, node);
  expect(again.page.state.pending).toBeNull();
});

test.each([
  ["move to the first cell", { ...MOVE, cell: 0 }],
  ["move to the last cell", { ...MOVE, cell: 8 }],
  ["forfeit", PENDING.forfeit],
  ["new game", PENDING.newGame],
] as const)("a reload keeps a pending %s", async (_, action) => {
  const node = new FakeNode();
  node.automine = false;
  const first = await openTable(node, GAME);
  void first.page.transactions.send(action);
  await first.pass(1500);
  const { pending } = first.page.state;
  expect(pending).toMatchObject({ action, phase: "sent", nonce: 0 });
  expect((await openPage(linkTo(node.chainId), first.storages)).page.state.pending).toEqual(pending);
});

test("after a reload without a wallet, a move is looked for where the table is read", async () => {
  const node = new FakeNode(11_155_111);
  const { storages } = await sentMove(node);
  serve(node);
  const visit = await openPage(linkTo(node.chainId), storages);
  await visit.pass(1500);
  expect(visit.page.state.pending?.phase).toBe("sent");
  node.pool = [];
  await visit.pass(10_000);
  expect([visit.page.state.pending, notice(visit)]).toEqual([null, text.failure.dropped]);
});

test("a reload keeps a pending move that no node has shown yet, and another table does not get it", async () => {
  const node = new FakeNode();
  node.overrides["eth_getTransactionByHash"] = () => null;
  const first = await sentMove(node);
  for (const [search, expected] of [
    [linkTo(node.chainId, CARLA), null],
    [linkTo(1), null],
    ["", null],
    [linkTo(node.chainId), "sent"],
  ] as const) {
    const visit = await openPage(search, first.storages);
    expect(visit.page.state.pending?.phase ?? null).toBe(expected);
  }
  const visit = await openPage(linkTo(node.chainId), first.storages);
  await connect(visit, node);
  expect(status(visit)).toBe(text.status.sent);
  node.mine();
  await visit.pass(1000);
  expect(status(visit)).toBe("O to move");
});

test.each<[string, unknown]>([
  ["nothing", null],
  ["text", "pending"],
  ["another version", { version: 0 }],
  ["a hash that is none", { hash: "0x12" }],
  ["no table", { table: null }],
])("a stored transaction with %s is not restored", async (_, wrong) => {
  const node = new FakeNode();
  const { storages } = await sentMove(node);
  const stored = JSON.parse(storages.session.getItem("tictactoe.pending") ?? "") as object;
  const kept = typeof wrong === "object" && wrong !== null ? { ...stored, ...wrong } : wrong;
  storages.session.setItem("tictactoe.pending", JSON.stringify(kept));
  expect((await openPage(linkTo(node.chainId), storages)).page.state.pending).toBeNull();
  storages.session.setItem("tictactoe.pending", JSON.stringify(stored));
  expect((await openPage(linkTo(node.chainId), storages)).page.state.pending).not.toBeNull();
});

// -- deploying ------------------------------------------------------------------

const NEW_TABLE = getCreateAddress({ from: ALICE, nonce: 0n });

async function deploying(node: FakeNode, phase = "sent"): Promise<Visit> {
  node.automine = false;
  const visit = await openPage("");
  await connect(visit, node);
  void visit.page.transactions.deploy();
  await visit.pass(500);
  expect(visit.page.state.pending?.phase).toBe(phase);
  return visit;
}

const opened = ({ page }: Visit): unknown => (page.state.link.kind === "table" ? page.state.link.table.address : null);

test("a deployed table opens", async () => {
  const node = new FakeNode();
  const visit = await deploying(node);
  expect(node.sent).toMatchObject([{ from: ALICE, to: null, data: BYTECODE }]);
  node.mine();
  await visit.pass(2000);
  expect(opened(visit)).toBe(NEW_TABLE);
  expect(visit.page.memory.recall.forAll("deploy")).toBeNull();
});

test("a table in deployment survives its tab", async () => {
  const node = new FakeNode();
  const { storages } = await deploying(node);
  // The same browser, and a new tab: nothing of the session is left.
  const visit = await openPage("", { local: storages.local, session: newStorages().session });
  expect(visit.page.state.pending).toMatchObject({ phase: "sent", action: { kind: "deploy" } });
  await connect(visit, node);
  node.mine();
  await visit.pass(2000);
  expect(opened(visit)).toBe(NEW_TABLE);
  expect(visit.page.memory.recall.tables()).toMatchObject([{ address: NEW_TABLE, opponent: null, turn: "free" }]);
});

test.each([
  [11_155_111, NEW_TABLE],
  [31_337, NEW_TABLE],
  [424_242, null],
])("without a wallet a deployment on chain %i is looked for at the chain's endpoint: %s", async (chain, expected) => {
  const node = new FakeNode(chain);
  const { storages } = await deploying(node);
  node.mine();
  const asked: string[] = [];
  serve((url) => (asked.push(url), node));
  const visit = await openPage("", storages);
  await visit.pass(5000);
  expect([opened(visit), asked.length > 0]).toEqual([expected, expected !== null]);
});

test("a deployment is looked for at the next endpoint if the first is down, and the page shows no source for it", async () => {
  const node = new FakeNode(11_155_111);
  const { storages } = await deploying(node);
  const asked = new Set<string>();
  serve((url) => {
    if (asked.size === 0 || asked.has(url)) asked.add(url);
    if (asked.has(url)) throw new TypeError("failed to fetch");
    return node;
  });
  const visit = await openPage("", storages);
  const { source } = visit.page.state;
  await visit.pass(5000);
  expect([asked.size, visit.page.state.source]).toEqual([1, source]);
  node.mine();
  await visit.pass(5000);
  expect(opened(visit)).toBe(NEW_TABLE);
});

test("a receipt that names another contract or no sender opens the new table all the same", async () => {
  const node = new FakeNode();
  const visit = await deploying(node);
  await visit.pass(1500);
  node.overrides["eth_getTransactionReceipt"] = (params) => {
    const receipt = node.answer("eth_getTransactionReceipt", params) as object | null;
    return receipt === null ? null : { ...receipt, from: null, contractAddress: TABLE };
  };
  node.mine();
  await visit.pass(2000);
  expect(opened(visit)).toBe(NEW_TABLE);
});

test("a deployment that is sped up opens its table, once a node that is behind has it", async () => {
  const node = new FakeNode();
  const visit = await deploying(node);
  await visit.pass(1500);
  node.replace();
  node.overrides["eth_getCode"] = () => "0x";
  node.mine();
  await visit.pass(2000);
  expect([opened(visit), visit.page.state.pending?.phase]).toEqual([null, "sent"]);
  node.overrides = {};
  await visit.pass(2000);
  expect(opened(visit)).toBe(NEW_TABLE);
});

test("other code at the new table's address is not opened", async () => {
  const node = new FakeNode();
  node.overrides["eth_getCode"] = () => "0x00";
  const visit = await deploying(node);
  node.mine();
  await visit.pass(2000);
  expect([opened(visit), notice(visit), visit.page.state.pending]).toEqual([null, text.failure.invalidAnswer, null]);
});

test("a wallet that has left the chain is not asked to deploy", async () => {
  const node = new FakeNode();
  const visit = await openPage("");
  await connect(visit, node);
  node.chainId = 1;
  await visit.page.transactions.deploy();
  expect([notice(visit), node.count("eth_sendTransaction")]).toEqual([text.failure.wrongChain, 0]);
});

test("a deployment that is confirmed while another table is open is kept, and waits on the start page", async () => {
  const node = new FakeNode();
  const confirm = node.hold("eth_sendTransaction");
  const visit = await deploying(node, "asking");
  visit.browser.visit(linkTo(node.chainId));
  await visit.pass(500);
  confirm();
  await visit.pass(500);
  expect(visit.page.state.pending).toBeNull();
  visit.browser.visit(linkTo(node.chainId));
  expect(visit.page.state.pending).toBeNull();
  visit.browser.visit("");
  await visit.pass(10);
  expect(visit.page.state.pending).toMatchObject({ phase: "sent", action: { kind: "deploy" } });
});

test("a stored deployment is not restored at an invalid link", async () => {
  const { storages } = await deploying(new FakeNode());
  expect((await openPage("?chain=x", storages)).page.state).toMatchObject({ link: { kind: "fault" }, pending: null });
});

test.each<[string, (node: FakeNode) => void, string]>([
  [
    "reverts",
    (node) => ((node.head.code = new Map([...node.head.code, [NEW_TABLE, "0x00"]])), node.mine()),
    text.failure.reverted,
  ],
  ["is dropped", (node) => void (node.pool = []), text.failure.dropped],
])("a deployment that %s is reported", async (_, happens, words) => {
  const node = new FakeNode();
  const visit = await deploying(node);
  await visit.pass(1500);
  happens(node);
  await visit.pass(8000);
  expect([notice(visit), visit.page.state.pending, opened(visit)]).toEqual([words, null, null]);
});

test("a deployment that is cancelled in the wallet is reported, also after a reload", async () => {
  const node = new FakeNode();
  const first = await deploying(node);
  await first.pass(1000);
  const visit = await openPage("", first.storages);
  await connect(visit, node);
  // Another transaction with the same nonce.
  node.replace({ to: TABLE, data: encodeAction(MOVE) });
  node.mine();
  await visit.pass(8000);
  expect(notice(visit)).toBe(text.failure.replaced);
  expect(visit.page.memory.recall.forAll("deploy")).toBeNull();
});

test('after "Stop waiting" a table that is confirmed late still opens', async () => {
  const node = new FakeNode();
  const confirm = node.hold("eth_sendTransaction");
  const visit = await openPage("");
  await connect(visit, node);
  void visit.page.transactions.deploy();
  await visit.pass(31_000);
  visit.page.pending.stopWaiting();
  await visit.pass(100);
  expect(visit.page.state.pending).toBeNull();
  confirm();
  await visit.pass(2000);
  expect(opened(visit)).toBe(NEW_TABLE);
});

test("a deployment that is given up before the wallet asks is not kept", async () => {
  const node = new FakeNode();
  const visit = await openPage("");
  await connect(visit, node);
  const answer = node.hold("eth_chainId");
  const deployment = visit.page.transactions.deploy();
  await visit.pass(500);
  visit.page.pending.stopWaiting();
  answer();
  await deployment;
  expect([node.count("eth_sendTransaction"), visit.storages.local.getItem("tictactoe.deploy")]).toEqual([0, null]);
});

test("a deployment that is confirmed late does not take the place of a later one", async () => {
  const node = new FakeNode();
  const confirm = node.hold("eth_sendTransaction");
  const visit = await deploying(node, "asking");
  visit.page.pending.stopWaiting();
  node.hold("eth_sendTransaction");
  void visit.page.transactions.deploy();
  await visit.pass(500);
  confirm();
  await visit.pass(500);
  expect(visit.page.state.pending?.phase).toBe("asking");
});

test("a deployment that another account sent is explained", async () => {
  const node = new FakeNode();
  node.relayer = CARLA;
  const visit = await openPage("");
  await connect(visit, node);
  void visit.page.transactions.deploy();
  await visit.pass(2000);
  expect(notice(visit)).toBe(text.failure.relayed);
});

// -- another chain --------------------------------------------------------------

/** A wallet on another chain that knows no other, and notes what it is offered. */
function strangeWallet(chainId: number): { node: FakeNode; offered: object[] } {
  const node = new FakeNode(chainId);
  const offered: object[] = [];
  node.fail("wallet_switchEthereumChain", { code: 4902, message: "Unrecognized chain ID" });
  node.overrides["wallet_addEthereumChain"] = ([description]) => void offered.push(description as object);
  return { node, offered };
}

test("a wallet is offered a known chain with its endpoints, and no other", async () => {
  for (const [chain, expected] of [
    [56, []],
    [
      31_337,
      [{ chainId: "0x7a69", chainName: "Local chain", nativeCurrency: ETHER, rpcUrls: ["http://127.0.0.1:8545"] }],
    ],
    [
      100,
      [
        {
          chainId: "0x64",
          chainName: "Gnosis",
          nativeCurrency: { name: "xDAI", symbol: "XDAI", decimals: 18 },
          blockExplorerUrls: ["https://gnosisscan.io"],
          rpcUrls: chainById(100)?.endpoints,
        },
      ],
    ],
  ] as const) {
    const { node, offered } = strangeWallet(1);
    const { page } = await openPage("");
    const connection = { wallet: walletOf(node), accounts: [ALICE], chain: 1 };
    await expect(page.wallets.switchTo(connection, { chain, address: TABLE })).rejects.toThrow();
    expect(offered.map((description) => ({ ...description }))).toMatchObject(expected);
    closeVisit();
  }
});
