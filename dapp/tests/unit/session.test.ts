// The open table: outages, notices, and what happens while the page is hidden.
import { afterEach, expect, test } from "vitest";
import { text } from "../../src/text.ts";
import { ALICE, BEN, CARLA, FakeNode, GAME, TABLE } from "./support/node.ts";
import { closeVisit, connect, linkTo, notice, openPage, openTable, serve, status, walletOf } from "./support/table.ts";

afterEach(() => {
  closeVisit();
});

test("a node that is down from the start is not called an old board", async () => {
  const node = new FakeNode();
  node.down = true;
  const { page, pass } = await openTable(node);
  await pass(3000);
  expect(page.state.nodeStatus).toBe("lost");
  expect(page.words.statusText(page.state)).toEqual({
    title: text.status.unreachable,
    hint: text.status.unreachableHint,
  });
  node.down = false;
  await pass(60_000);
  expect(status({ page })).toBe(text.status.noGame);
});

test("a reorg is reported until the game goes on", async () => {
  const node = new FakeNode();
  const { page, pass } = await openTable(node, GAME);
  node.mine({ moves: [4] });
  await pass(1000);
  node.reorg(1);
  await pass(2000);
  expect(notice({ page })).toContain("took back 1 move");
  await pass(60_000);
  expect(page.state.notice).not.toBeNull();
  node.mine({ moves: [8] });
  await pass(1000);
  expect(page.state.notice).toBeNull();
});

test.each<[string, number[], number[], number | null]>([
  ["a move at the same height", [0], [8], 1],
  ["two moves", [0, 1], [], 2],
  ["the second move of two", [0, 1], [0], 1],
  ["the first move of two", [0, 1], [2, 1], 2],
  ["the winning move", [0, 3, 1, 4, 2], [0, 3, 1, 4], 1],
  ["nothing", [0], [0], null],
  ["nothing, and adds a move", [0], [0, 1], null],
])("a reorg that takes back %s is reported so", async (_, before, after, expected) => {
  const node = new FakeNode();
  const { page, pass } = await openTable(node, { ...GAME, moves: before });
  expect(page.state.snapshot?.game?.moves).toEqual(before);
  node.blocks.splice(-1);
  node.mine({ ...GAME, moves: after });
  await pass(1000);
  expect(page.state.snapshot?.game?.moves).toEqual(after);
  expect(page.state.notice).toEqual(expected === null ? null : { kind: "reorg", moves: expected });
});

test.each([
  ["a forfeit", { ...GAME, moves: [4], forfeited: true }, { ...GAME, moves: [4] }, 0],
  ["a whole game", { ...GAME, number: 2n, moves: [4, 0] }, { ...GAME, moves: [4] }, 2],
  [
    "the first move of the second game, and the game",
    { ...GAME, number: 2n, moves: [4] },
    { ...GAME, number: 1n, moves: [4] },
    1,
  ],
])("a reorg that takes back %s is reported so", async (_, before, after, moves) => {
  const node = new FakeNode();
  const { page, pass } = await openTable(node, before);
  node.blocks.splice(-1);
  node.mine({ forfeited: false, ...after });
  await pass(1000);
  expect(page.state.notice).toEqual({ kind: "reorg", moves });
});

test("a new game at the table is no reorg", async () => {
  const node = new FakeNode();
  const { page, pass } = await openTable(node, { ...GAME, moves: [0, 3, 1, 4, 2] });
  node.mine({ number: 2n, moves: [] });
  await pass(1000);
  expect([page.state.snapshot?.game?.number, page.state.notice]).toEqual([2n, null]);
});

test("a table is listed once the player has a seat, with the opponent and the turn as last seen", async () => {
  const node = new FakeNode();
  const visit = await openTable(node, { ...GAME, x: CARLA });
  const { recall } = visit.page.memory;
  expect(recall.tables()).toEqual([]);
  const entry = (opponent: typeof BEN, turn: string) => [{ chain: node.chainId, address: TABLE, opponent, turn }];
  for (const [game, opponent, turn] of [
    [GAME, BEN, "yours"],
    [{ moves: [4] }, BEN, "theirs"],
    [{ moves: [4, 0, 1, 2, 7] }, BEN, "over"],
    [{ number: 2n, x: ALICE, o: ALICE, moves: [] }, ALICE, "yours"],
    // Others have taken the table since.
    [{ number: 3n, x: CARLA, o: BEN, moves: [] }, ALICE, "yours"],
  ] as const) {
    node.mine(game);
    await visit.pass(1000);
    expect(recall.tables()).toEqual(entry(opponent, turn));
  }
  // Nothing is written for a block without news.
  visit.storages.local.removeItem("tictactoe.tables");
  node.mine();
  await visit.pass(1000);
  expect(recall.tables()).toEqual([]);
});

test("another wallet in the list does not begin the table anew", async () => {
  const node = new FakeNode();
  const { page, pass } = await openTable(node, GAME);
  node.asked.length = 0;
  page.change({ wallets: [walletOf(node), walletOf(new FakeNode(), "Another")] });
  await pass(5000);
  expect(new Set(node.asked)).toEqual(new Set(["eth_getBlockByNumber"]));
});

test("a wallet that is a block behind the endpoint causes no false reorg", async () => {
  const node = new FakeNode(11_155_111);
  node.mine(GAME);
  const old = node.answer("eth_getBlockByNumber", []);
  node.mine({ moves: [4] });
  const visit = await openPage("");
  serve(node);
  visit.browser.visit(linkTo(node.chainId));
  await visit.pass(1000);
  expect(visit.page.state.snapshot?.game?.moves).toEqual([4]);
  const behind = new FakeNode(node.chainId);
  behind.blocks = node.blocks;
  let looks = 0;
  behind.overrides["eth_getBlockByNumber"] = (params) =>
    (looks += 1) <= 2 ? old : behind.answer("eth_getBlockByNumber", params);
  const boards = new Set<string>();
  visit.page.onChange(({ snapshot }) => void boards.add(String(snapshot?.game?.moves)));
  await connect(visit, behind);
  await visit.pass(10_000);
  expect(looks).toBeGreaterThan(2);
  expect([...boards]).toEqual(["4"]);
  expect([visit.page.state.source?.kind, visit.page.state.notice]).toEqual(["wallet", null]);
});

test("a hidden page learns that it is the player's turn, and then asks nothing", async () => {
  const node = new FakeNode();
  const { page, browser, pass } = await openTable(node, { ...GAME, moves: [4] });
  browser.setHidden(true);
  await pass(1000);
  node.asked.length = 0;
  node.mine({ moves: [4, 0] });
  await pass(30_000);
  expect(status({ page })).toBe(text.status.yourTurn);
  node.asked.length = 0;
  await pass(120_000);
  expect(node.asked).toEqual([]);
});

test("a hidden page sees its own transaction mined, and then waits for the other side", async () => {
  const node = new FakeNode();
  const { page, browser, pass } = await openTable(node, GAME);
  node.automine = false;
  void page.transactions.send({ kind: "move", cell: 4, number: 1n });
  await pass(100);
  browser.setHidden(true);
  await pass(20_000);
  node.mine();
  await pass(20_000);
  expect(page.state.snapshot?.game?.moves).toEqual([4]);
  node.mine({ moves: [4, 0] });
  await pass(20_000);
  expect(status({ page })).toBe(text.status.yourTurn);
});

test.each<[string, number, "visible" | "hidden", "player" | "opponent" | "other players", object]>([
  ["a local chain", 31_337, "visible", "player", { eth_getBlockByNumber: 240 }],
  ["a local chain", 31_337, "visible", "opponent", { eth_getBlockByNumber: 240 }],
  ["a local chain", 31_337, "hidden", "player", {}],
  ["a local chain", 31_337, "hidden", "opponent", { eth_getBlockByNumber: 4 }],
  ["a chain with a block every 12 seconds", 11_155_111, "visible", "player", { eth_getBlockByNumber: 20, eth_call: 5 }],
  [
    "a chain with a block every 12 seconds",
    11_155_111,
    "visible",
    "opponent",
    { eth_getBlockByNumber: 20, eth_call: 5 },
  ],
  [
    "a chain with a block every 12 seconds",
    11_155_111,
    "visible",
    "other players",
    { eth_getBlockByNumber: 20, eth_call: 5 },
  ],
  ["a chain with a block every 12 seconds", 11_155_111, "hidden", "player", {}],
  ["a chain with a block every 12 seconds", 11_155_111, "hidden", "opponent", { eth_getBlockByNumber: 4, eth_call: 4 }],
  ["a chain with a block every 12 seconds", 11_155_111, "hidden", "other players", {}],
])(
  "a minute on %s (%i), %s, where the page waits for the %s, costs these requests",
  async (_, chain, visibility, turn, expected) => {
    const node = new FakeNode(chain);
    node.accounts = [turn === "other players" ? CARLA : ALICE];
    const { browser, pass } = await openTable(node, { ...GAME, moves: turn === "player" ? [] : [4] });
    browser.setHidden(visibility === "hidden");
    await pass(15_000);
    node.asked.length = 0;
    for (let blocks = 0; blocks < 5; blocks += 1) {
      await pass(11_999);
      if (chain !== 31_337) node.mine();
      await pass(1);
    }
    expect(Object.fromEntries([...new Set(node.asked)].map((method) => [method, node.count(method)]))).toEqual(
      expected,
    );
  },
);

test("on a local chain a move is shown within 250 ms of its block", async () => {
  const node = new FakeNode();
  const { page, pass } = await openTable(node, GAME);
  for (const [at, pause] of [0, 1, 100, 249, 250].entries()) {
    await pass(pause);
    const moves = [0, 1, 2, 4, 3].slice(0, at + 1);
    node.mine({ moves });
    await pass(250);
    expect(page.state.snapshot?.game?.moves).toEqual(moves);
  }
});

test("a table without a game has no score, and no event is asked for", async () => {
  const node = new FakeNode();
  const { page } = await openTable(node);
  expect([page.state.snapshot?.game?.status, page.state.score, node.count("eth_getLogs")]).toEqual([
    "no_game",
    null,
    0,
  ]);
});

test("a first game that a reorg takes back leaves no links and no score", async () => {
  const node = new FakeNode(11_155_111);
  const { page, pass } = await openTable(node, { ...GAME, moves: [4] });
  expect([page.state.links?.hashes, page.state.score]).toEqual([[null], { wins: [0, 0], draws: 0 }]);
  node.reorg(1);
  await pass(15_000);
  expect([page.state.snapshot?.game?.status, page.state.links, page.state.score]).toEqual(["no_game", null, null]);
});

test("a wallet is asked for the events that the endpoint did not have", async () => {
  const node = new FakeNode(11_155_111);
  node.mine(GAME);
  const poor = new FakeNode(node.chainId);
  poor.blocks = node.blocks;
  poor.fail("eth_getLogs", new Error("no logs"));
  const visit = await openPage("");
  serve(poor);
  visit.browser.visit(linkTo(node.chainId));
  await visit.pass(5000);
  expect(visit.page.state.score).toBe("unknown");
  // The endpoint's late answer is not used any more.
  const late = poor.hold("eth_getLogs", () => "nonsense");
  visit.browser.visit("");
  visit.browser.visit(linkTo(node.chainId));
  await visit.pass(1000);
  const answer = node.hold("eth_getLogs");
  await connect(visit, node);
  node.mine();
  await visit.pass(5000);
  late();
  await visit.pass(100);
  expect(visit.page.state.score).toBeNull();
  answer();
  await visit.pass(100);
  expect(visit.page.state.score).toEqual({ wins: [0, 0], draws: 0 });
});

test("a wallet that does not answer does not undo the connection of another", async () => {
  const unknown = 424_242;
  const silent = new FakeNode(unknown);
  silent.hold("eth_chainId");
  const able = new FakeNode(unknown);
  able.mine(GAME);
  const visit = await openPage(linkTo(unknown));
  visit.page.change({ wallets: [walletOf(silent, "Silent")] });
  await visit.pass(1000);
  expect(silent.count("eth_chainId")).toBeGreaterThan(0);
  await connect(visit, able);
  const sources = new Set<unknown>();
  visit.page.onChange(({ source }) => void sources.add(source?.kind));
  // The page has given up the silent one by then.
  await visit.pass(20_000);
  able.mine({ moves: [4] });
  await visit.pass(5000);
  expect([...sources]).toEqual(["wallet"]);
  expect(visit.page.state.snapshot?.game?.moves).toEqual([4]);
});

test("the page says which of a chain's endpoints it reads from, also at the next table", async () => {
  const node = new FakeNode(11_155_111);
  const urls: string[] = [];
  const visit = await openPage("");
  serve((url) => {
    urls.push(url);
    if (urls[0] === url) throw new TypeError("failed to fetch");
    return node;
  });
  for (const search of [linkTo(node.chainId), "", linkTo(node.chainId)]) {
    visit.browser.visit(search);
    await visit.pass(5000);
    if (search === "") continue;
    expect(visit.page.state.snapshot?.code).toBe("table");
    expect(visit.page.state.source).toEqual({ kind: "endpoint", host: new URL(urls[1] ?? "").host });
  }
  expect(urls.filter((url) => url === urls[0])).toHaveLength(1);
});

test("the page looks at once for its own transaction, and after the contract has refused one", async () => {
  const node = new FakeNode(11_155_111);
  const { page, pass } = await openTable(node, GAME);
  void page.transactions.send({ kind: "move", cell: 4, number: 1n });
  // The next look would be due after three seconds.
  await pass(100);
  expect(page.state.snapshot?.game?.moves).toEqual([4]);
  node.mine({ number: 2n, moves: [] });
  void page.transactions.send({ kind: "newGame", players: [ALICE, BEN], replaces: 1n });
  await pass(100);
  expect([page.state.pending, page.state.snapshot?.game?.number]).toEqual([null, 2n]);
});
