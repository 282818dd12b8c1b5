// Stories of transactions: what the wallet is asked, who is asked, and what a reload, a late answer or another table changes. How each
// of them ends is in settle.test.ts, and world.test.ts mixes all of it.
import { decodeFunctionData, getCreateAddress } from "viem/utils";
import { afterEach, expect, test } from "vitest";
import { type Action, encodeAction } from "../../src/contract.ts";
import { BYTECODE } from "../../src/generated/bytecode.ts";
import { ABI } from "../../src/generated/contract.ts";
import { text } from "../../src/text.ts";
import { newStorages } from "./support/browser.ts";
import { ALICE, BEN, CARLA, FakeNode, GAME, TABLE } from "./support/node.ts";
import { closeVisit, connect, linkTo, notice, openPage, openTable, serve, type Visit } from "./support/table.ts";

afterEach(closeVisit);

const MOVE = { kind: "move", cell: 4, number: 1n } as const;
const AGAIN = { kind: "newGame", players: [BEN, ALICE], replaces: 1n } as const;
const OVER = { ...GAME, moves: [0, 3, 1, 4, 2] };

const phase = ({ page }: Visit): string | null => page.state.pending.value?.phase ?? null;
const moves = ({ page }: Visit): unknown => page.state.snapshot.value?.game?.moves;

/** Alice's page with a transaction that waits for a block, or that the wallet still shows. */
async function asked(node: FakeNode, action: Action = MOVE, game: typeof GAME | null = GAME): Promise<Visit> {
  node.automine = false;
  const visit = await openTable(node, game);
  void visit.page.transactions.send(action);
  await visit.pass(1000);
  expect(phase(visit)).not.toBeNull();
  return visit;
}

async function expectEnd(visit: Visit, words: string, wait = 8000): Promise<void> {
  await visit.pass(wait);
  expect([phase(visit), notice(visit)]).toEqual([null, words]);
}

// -- what the wallet is asked -------------------------------------------------------

test.each<[string, Action, typeof GAME | null, object]>([
  ["a move", { ...MOVE, cell: 5 }, GAME, { functionName: "makeMove", args: [1, 2, 1n] }],
  ["a forfeit", { kind: "forfeit", number: 1n }, GAME, { functionName: "forfeit", args: [1n] }],
  ["a first game", { ...AGAIN, replaces: 0n }, null, { functionName: "newGame", args: [BEN, ALICE] }],
  ["a next game", AGAIN, OVER, { functionName: "newGame", args: [BEN, ALICE, 1n] }],
])(
  "the wallet is asked for %s, with the chain's number, and nothing else; it ends with its block",
  async (_, action, game, call) => {
    const node = new FakeNode();
    const visit = await asked(node, action, game);
    const requests = node.requests.filter(({ method }) => method === "eth_sendTransaction");
    const data = encodeAction(action);
    expect(requests.map(({ params }) => params)).toEqual([[{ from: ALICE, to: TABLE, data, chainId: "0x7a69" }]]);
    expect(decodeFunctionData({ abi: ABI, data })).toEqual(call);
    expect(phase(visit)).toBe("sent");
    node.mine();
    await expectEnd(visit, "", 1000);
  },
);

test.each(["eth_chainId", "eth_getCode", "eth_call"])(
  "a player who gives up during %s is not asked to sign",
  async (slow) => {
    const node = new FakeNode();
    const visit = await openTable(node, GAME);
    const answer = node.hold(slow);
    void visit.page.transactions.send(MOVE);
    await visit.pass(10);
    visit.page.transactions.stopWaiting();
    answer();
    await expectEnd(visit, "", 1000);
    expect(node.count("eth_sendTransaction")).toBe(0);
  },
);

test("a press asks nothing that would revert, that is not the player's turn, or for another contract", async () => {
  const node = new FakeNode();
  const visit = await openTable(node, GAME);
  const press = async (words: string): Promise<void> => {
    await visit.page.transactions.send(MOVE);
    expect([notice(visit), phase(visit)]).toEqual([words, null]);
  };
  // The page has not seen yet that X has moved from elsewhere.
  node.mine({ moves: [0] });
  await press(text.reason["not your turn"]);
  node.overrides["eth_getCode"] = () => "0x00";
  await press(text.failure.notTable);
  node.overrides = {};
  await visit.pass(1000);
  node.asked.length = 0;
  await press(text.reason["not your turn"]);
  expect(node.asked).toEqual([]);
  expect(node.sent).toEqual([]);
});

test("a new game is signed by the account that plays in it, else by the first one", async () => {
  for (const [players, from] of [
    [[BEN, CARLA], CARLA],
    [[BEN, TABLE], ALICE],
  ] as const) {
    const node = new FakeNode();
    node.accounts = [ALICE, CARLA];
    await asked(node, { ...AGAIN, players });
    expect(node.sent.map((sent) => sent.from)).toEqual([from]);
    closeVisit();
  }
});

test("one press swaps the seats for the next round, and none before the end or at others' game", async () => {
  for (const [game, account, sent] of [
    [OVER, ALICE, 1],
    [OVER, CARLA, 0],
    [GAME, ALICE, 0],
    [null, ALICE, 0],
  ] as const) {
    const node = new FakeNode();
    node.accounts = [account];
    const visit = await openTable(node, game);
    void visit.page.transactions.playAgain();
    void visit.page.transactions.playAgain();
    await expectEnd(visit, "", 1000);
    expect(node.sent.map(({ data }) => data)).toEqual(Array(sent).fill(encodeAction(AGAIN)));
    closeVisit();
  }
});

test("after 30 seconds the player may stop waiting, and no second request opens beside one in the wallet", async () => {
  const node = new FakeNode();
  const answer = node.hold("eth_sendTransaction");
  const visit = await asked(node);
  await visit.pass(28_000);
  expect(visit.page.state.mayStop.value).toBe(false);
  await visit.pass(2000);
  expect(visit.page.state.mayStop.value).toBe(true);
  visit.page.transactions.stopWaiting();
  expect([phase(visit), visit.page.state.mayStop.value]).toEqual([null, false]);
  void visit.page.transactions.send({ ...MOVE, cell: 0 });
  await expectEnd(visit, text.failure.busy, 1000);
  // What is confirmed after that is on the board with its block.
  answer();
  await visit.pass(100);
  node.overrides = {};
  void visit.page.transactions.send({ ...MOVE, cell: 0 });
  await visit.pass(100);
  node.mine();
  await visit.pass(1000);
  expect([moves(visit), node.count("eth_sendTransaction")]).toEqual([[4], 2]);
});

// -- how it ends ----------------------------------------------------------------------

test("a revert shows the contract's reason as of its block, not as of now", async () => {
  const node = new FakeNode();
  const visit = await asked(node);
  node.overrides["eth_getBlockByNumber"] = () => ({ hash: `0x${"77".repeat(32)}`, number: "0x1" });
  // Another of X's transactions is earlier in the block; by now the same move would be accepted.
  node.mineOthers({ moves: [0] });
  node.mine();
  node.mine({ moves: [0, 8] });
  await expectEnd(visit, text.reason["not your turn"], 2000);
});

test.each([
  ["the game that the player wanted", [BEN, ALICE], ""],
  ["another game", [BEN, CARLA], text.reason["not the current game"]],
] as const)("a rematch that comes too late for %s", async (_, [x, o], words) => {
  const node = new FakeNode();
  const visit = await asked(node, AGAIN, OVER);
  node.mineOthers({ number: 2n, x, o, moves: [] });
  node.mine();
  await expectEnd(visit, words, 2000);
  expect(visit.page.state.snapshot.value?.game?.number).toBe(2n);
});

test("a page that has not seen the opponent's rematch yet does not ask the wallet for the same one", async () => {
  const node = new FakeNode();
  const visit = await openTable(node, OVER);
  node.mine({ number: 2n, x: BEN, o: ALICE, moves: [] });
  void visit.page.transactions.send(AGAIN);
  await expectEnd(visit, "", 1000);
  expect(node.sent).toEqual([]);
});

test("a transaction is dropped or replaced only when all looks of five seconds agree", async () => {
  const node = new FakeNode();
  const visit = await asked(node);
  const { pool } = node;
  for (const shown of [[], pool, []]) {
    node.pool = [...shown];
    await visit.pass(3000);
    expect(phase(visit)).toBe("sent");
  }
  await expectEnd(visit, text.failure.dropped, 4000);
});

test("one that is cancelled is reported once the board shows that block, and one that is sped up waits on", async () => {
  const node = new FakeNode();
  const visit = await asked(node);
  node.replace();
  await visit.pass(10_000);
  expect(phase(visit)).toBe("sent");
  const head = node.answer("eth_getBlockByNumber", []);
  node.overrides["eth_getBlockByNumber"] = () => head;
  node.replace({ to: null });
  node.mine();
  await visit.pass(8000);
  expect(phase(visit)).toBe("sent");
  node.overrides = {};
  await expectEnd(visit, text.failure.replaced);
});

test("one that another account has sent is explained, mined or not; a receipt without a sender is believed", async () => {
  for (const automine of [true, false]) {
    const node = new FakeNode();
    node.automine = automine;
    const visit = await openTable(node, GAME);
    node.relayer = CARLA;
    void visit.page.transactions.send(MOVE);
    await expectEnd(visit, text.failure.relayed, 2000);
    closeVisit();
  }
  const node = new FakeNode();
  node.overrides["eth_getTransactionReceipt"] = (params) => {
    const receipt = node.answer("eth_getTransactionReceipt", params) as object | null;
    return receipt && { ...receipt, from: null };
  };
  const visit = await asked(node, AGAIN, OVER);
  node.mine();
  await expectEnd(visit, "", 1000);
});

test("one that no node ever shows stays pending", async () => {
  const node = new FakeNode();
  // Some wallets send transactions to block builders only.
  node.overrides["eth_sendTransaction"] = () => `0x${"ab".repeat(32)}`;
  const visit = await asked(node);
  await visit.pass(60_000);
  expect([phase(visit), notice(visit)]).toEqual(["sent", ""]);
});

// -- a reload and another table -------------------------------------------------------

test.each<Action>([{ ...MOVE, cell: 0 }, { kind: "forfeit", number: 1n }, AGAIN])(
  "a reload keeps a pending $kind, and how long the player has waited",
  async (action) => {
    const node = new FakeNode();
    const first = await asked(node, action, action.kind === "newGame" ? OVER : GAME);
    await first.pass(24_000);
    const { pending } = first.page.state;
    expect(pending.value).toMatchObject({ ...action, phase: "sent", nonce: 0 });
    for (const search of [linkTo(node.chainId, CARLA), linkTo(1), "", "?chain=x"])
      expect(phase(await openPage(search, first.storages))).toBeNull();
    const visit = await openPage(linkTo(node.chainId), first.storages);
    expect(visit.page.state.pending.value).toEqual(pending.value);
    await connect(visit, node);
    await visit.pass(5000);
    expect(visit.page.state.mayStop.value).toBe(true);
    node.mine();
    await expectEnd(visit, "", 1000);
    expect(phase(await openPage(linkTo(node.chainId), visit.storages))).toBeNull();
  },
);

test.each<[string, unknown]>([
  ["nothing", null],
  ["text", "pending"],
  ["another version", { version: 0 }],
  ["a hash that is none", { hash: "0x12" }],
  ["a new table", { kind: "deploy" }],
])("a stored transaction with %s is not restored", async (_, wrong) => {
  const node = new FakeNode();
  const { storages } = await asked(node);
  const stored = JSON.parse(storages.session.getItem("tictactoe.pending") ?? "") as object;
  const kept = typeof wrong === "object" && wrong !== null ? { ...stored, ...wrong } : wrong;
  storages.session.setItem("tictactoe.pending", JSON.stringify(kept));
  expect(phase(await openPage(linkTo(node.chainId), storages))).toBeNull();
});

test("a player who opens another page while the wallet asks finds nothing pending there", async () => {
  const node = new FakeNode();
  const confirm = node.hold("eth_sendTransaction");
  const visit = await asked(node);
  visit.browser.visit("");
  confirm();
  await expectEnd(visit, "", 1000);
  expect(visit.storages.session.getItem("tictactoe.pending")).toBeNull();
});

// -- a new table ----------------------------------------------------------------------

const NEW_TABLE = getCreateAddress({ from: ALICE, nonce: 0n });

const opened = ({ page }: Visit): unknown =>
  page.state.link.value.kind === "table" && page.state.link.value.table.address;

async function deploying(node: FakeNode, expected = "sent"): Promise<Visit> {
  node.automine = false;
  const visit = await openPage("");
  await connect(visit, node);
  void visit.page.transactions.deploy(node.chainId);
  await visit.pass(1500);
  expect(phase(visit)).toBe(expected);
  return visit;
}

test.each<[string, (node: FakeNode) => void, string]>([
  ["is mined", (node) => node.mine(), ""],
  ["is sped up", (node) => (node.replace(), node.mine()), ""],
  ["is dropped", (node) => void (node.pool = []), text.failure.dropped],
  [
    "is cancelled",
    (node) => (node.replace({ to: TABLE, data: encodeAction(MOVE) }), node.mine()),
    text.failure.replaced,
  ],
  [
    "has other code",
    (node) => ((node.overrides["eth_getCode"] = () => "0x00"), node.mine()),
    text.failure.invalidAnswer,
  ],
  ["reverts", (node) => ((node.head.code = new Map([[NEW_TABLE, "0x00"]])), node.mine()), text.failure.reverted],
])("a new table that %s, before or after a reload in another tab", async (_, happens, words) => {
  for (const isReloaded of [false, true]) {
    const node = new FakeNode();
    let visit = await deploying(node);
    expect(node.sent).toMatchObject([{ from: ALICE, to: null, data: BYTECODE }]);
    if (isReloaded) {
      visit = await openPage("", { ...newStorages(), local: visit.storages.local });
      await connect(visit, node);
    }
    happens(node);
    await expectEnd(visit, words);
    expect(opened(visit)).toBe(words === "" ? NEW_TABLE : false);
    expect(visit.page.memory.recall.tables()).toMatchObject(words === "" ? [{ address: NEW_TABLE, turn: "free" }] : []);
    expect(visit.page.memory.recall.forAll("deploy")).toBeNull();
    closeVisit();
  }
});

test("the account and the nonce name the new table, not the receipt, and a node that is behind is asked again", async () => {
  const node = new FakeNode();
  const visit = await deploying(node);
  node.overrides["eth_getTransactionReceipt"] = (params) => {
    const receipt = node.answer("eth_getTransactionReceipt", params) as object | null;
    return receipt && { ...receipt, from: null, contractAddress: TABLE };
  };
  node.overrides["eth_getCode"] = () => "0x";
  node.mine();
  await visit.pass(2000);
  expect([opened(visit), phase(visit)]).toEqual([false, "sent"]);
  delete node.overrides["eth_getCode"];
  await expectEnd(visit, "", 2000);
  expect(opened(visit)).toBe(NEW_TABLE);
});

test.each([
  [11_155_111, NEW_TABLE],
  [424_242, false],
])("without a wallet a new table on chain %i is looked for at the chain's endpoints: %s", async (chain, expected) => {
  const node = new FakeNode(chain);
  const { storages } = await deploying(node);
  node.mine();
  const used: string[] = [];
  serve((url) => (used.push(url), node));
  const visit = await openPage("", storages);
  await visit.pass(5000);
  expect([opened(visit), used.length > 0]).toEqual([expected, expected !== false]);
});

test("a new table that is confirmed late opens from the start page, and waits there if another table is open", async () => {
  for (const isElsewhere of [true, false]) {
    const node = new FakeNode();
    const confirm = node.hold("eth_sendTransaction");
    const visit = await deploying(node, "asking");
    if (isElsewhere) visit.browser.visit(linkTo(node.chainId));
    else visit.page.transactions.stopWaiting();
    await visit.pass(100);
    confirm();
    await visit.pass(500);
    expect(phase(visit)).toBe(isElsewhere ? null : "sent");
    node.mine();
    if (isElsewhere) visit.browser.visit("");
    await expectEnd(visit, "", 2000);
    expect(opened(visit)).toBe(NEW_TABLE);
    closeVisit();
  }
});

test("the wallet switches to the chosen network for a new table, or is not asked", async () => {
  const node = new FakeNode(1);
  const visit = await openPage("");
  await connect(visit, node);
  node.overrides["wallet_switchEthereumChain"] = () => null;
  await visit.page.transactions.deploy(31_337);
  expect([notice(visit), node.count("eth_sendTransaction")]).toEqual([text.failure.wrongChain, 0]);
  node.overrides["wallet_switchEthereumChain"] = () => void (node.chainId = 31_337);
  void visit.page.transactions.deploy(31_337);
  await visit.pass(2000);
  expect(opened(visit)).toBe(NEW_TABLE);
});
