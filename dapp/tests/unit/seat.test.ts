// Who the player is at a table, what the page says and offers, and which mark may be placed: one row for each situation.
import { afterEach, expect, test } from "vitest";
import { knownChains, LOCAL_CHAIN } from "../../src/chains.ts";
import type { Address } from "../../src/rules.ts";
import { text } from "../../src/text.ts";
import { walletApps } from "../../src/walletapps.ts";
import { ALICE, BEN, CARLA, type FakeGame, FakeNode, GAME, TABLE } from "./support/node.ts";
import { closeVisit, linkTo, openPage, openTable, type Visit, walletOf } from "./support/table.ts";

afterEach(closeVisit);

const X_WON = { moves: [0, 3, 1, 4, 2] };
const [A, B] = [`${ALICE.slice(0, 6)}…${ALICE.slice(-4)}`, `${BEN.slice(0, 6)}…${BEN.slice(-4)}`];

/** What a player reads above the board, then the next step, the mark that may be placed, and what the page waits for. */
function summary({ page }: Visit): string {
  const { title, hint, step, turn, waits, isNeeded, result } = page.seat.value;
  const rest = [step, turn && `may place ${"XO"[turn - 1]}`, waits && "waits", isNeeded && "●", result];
  return [`${title}. ${hint}`, ...rest.filter(Boolean)].join(" | ");
}

test.each<[string, Partial<FakeGame> | null, Address[] | null, string, string]>([
  ["X at the first move", {}, [ALICE], "", "Your turn. You are X. Choose a cell. | may place X | ●"],
  ["X, as the second account", {}, [CARLA, ALICE], "", "Your turn. You are X. Choose a cell. | may place X | ●"],
  ["O at the first move", {}, [BEN], "", "Your friend's turn. You are O. | waits"],
  ["O at the second move", { moves: [4] }, [BEN], "", "Your turn. You are O. Choose a cell. | may place O | ●"],
  ["X at the second move", { moves: [4] }, [ALICE], "", "Your friend's turn. You are X. | waits"],
  ["both sides", { moves: [4] }, [ALICE, BEN], "", "O to move. You play both sides. | may place O"],
  ["a watcher", { moves: [4] }, [CARLA], "", "O to move. You are watching."],
  ["a watcher without a wallet", {}, null, "", "X to move. You are watching. | connect"],
  ["the reader of a used invitation", {}, [CARLA], BEN, `X to move. ${text.status.usedHint}`],
  ["the winner", X_WON, [ALICE], "", "You win. Three in a row. | again | won"],
  ["the loser", X_WON, [BEN], "", "You lose. Your friend has three in a row. | again | lost"],
  ["both sides at the end", X_WON, [BEN, ALICE], "", "X wins. Three in a row. | again | won"],
  [
    "the host after others' game",
    X_WON,
    [CARLA],
    "",
    `${text.status.host}. ${text.status.hostHint} | invite | waits | over`,
  ],
  ["a watcher at the end", X_WON, null, "", "X wins. Three in a row. | connect | over"],
  ["O as the winner", { moves: [0, 3, 1, 4, 8, 5] }, [BEN], "", "You win. Three in a row. | again | won"],
  ["a draw", { moves: [0, 1, 2, 4, 3, 5, 7, 6, 8] }, [BEN], "", "A draw. Nine marks and no line. | again | draw"],
  ["X who gave up", { forfeited: true }, [ALICE], "", "You lose. You gave up. | again | lost"],
  ["O whose opponent gave up", { forfeited: true }, [BEN], "", "You win. Your friend gave up. | again | won"],
  ["a watcher of a forfeit", { moves: [4], forfeited: true }, null, "", "X wins. O gave up. | connect | over"],
  ["the host", null, [ALICE], "", `${text.status.host}. ${text.status.hostHint} | invite | waits`],
  [
    "the host who opens the own invitation",
    null,
    [ALICE],
    ALICE,
    `${text.status.host}. ${text.status.hostHint} | invite | waits`,
  ],
  ["a guest", null, [ALICE], BEN, `You are invited. ${B} wants to play. You are X. | play`],
  ["a guest without a wallet", null, null, ALICE, `You are invited. ${A} wants to play. You are X. | play`],
  ["a guest after others' game", X_WON, [CARLA], BEN, `You are invited. ${B} wants to play. You are X. | play | over`],
  ["a player with an old invitation", X_WON, [ALICE], BEN, "You win. Three in a row. | again | won"],
  ["nobody at a free table", null, null, "", "A free table. Nobody plays here yet. | connect"],
])("%s", async (_, game, accounts, inviter, expected) => {
  const node = new FakeNode();
  if (game !== null) node.mine({ ...GAME, ...game });
  const visit = await openPage(linkTo(node.chainId) + (inviter && `&with=${inviter}`));
  visit.page.state.wallets.value = [walletOf(node)];
  await visit.pass(1000);
  // Without a connection, the table is read by the endpoint, which is not there.
  const { snapshot, connection, nodeStatus, source } = visit.page.state;
  snapshot.value = { head: { hash: "0x", number: 1 }, code: "table", game: await gameOf(node) };
  [nodeStatus.value, source.value] = ["connected", null];
  if (accounts !== null) connection.value = { wallet: walletOf(node), accounts, chain: node.chainId };
  expect(summary(visit)).toBe(expected);
});

async function gameOf(node: FakeNode) {
  const { readGame } = await import("../../src/contract.ts");
  const { clientOf } = await import("../../src/rpc.ts");
  return readGame(clientOf(node), TABLE, node.blocks.length - 1);
}

test("before there is a board the page says that it reads, or who does not answer", async () => {
  const visit = await openPage(linkTo(LOCAL_CHAIN));
  const { state, seat } = visit.page;
  expect(summary(visit)).toBe(`${text.status.reading}. ${text.status.readingHint} | connect`);
  await visit.pass(20_000);
  expect(summary(visit)).toBe(`${text.status.unreachable}. ${text.status.unreachableHint} | tryNow`);
  expect([seat.value.words, seat.value.isBad]).toEqual(["127.0.0.1:8545 does not answer. Trying again…", true]);
  visit.browser.visit(`${linkTo(987_654)}&with=${BEN}`);
  expect(seat.value.step).toBeNull();
  state.isReturning.value = true;
  visit.browser.visit(linkTo(987_654));
  expect(seat.value.step).toBeNull();
});

test("a move is dotted and the page needs the player while the wallet asks, and waits once it is sent", async () => {
  const node = new FakeNode();
  node.automine = false;
  const confirm = node.hold("eth_sendTransaction");
  const visit = await openTable(node, { ...GAME, moves: [4, 0] });
  void visit.page.transactions.send({ kind: "move", cell: 8, number: 1n });
  await visit.pass(100);
  expect(summary(visit)).toBe(`${text.status.asking}. ${text.status.askingHint} | ●`);
  expect(visit.page.seat.value.mark).toEqual({ cell: 8, mark: 1, phase: "asking" });
  confirm();
  await visit.pass(100);
  expect(summary(visit)).toBe(`${text.status.sent}. ${text.status.sentHint} | waits`);
  expect(visit.page.seat.value.mark).toEqual({ cell: 8, mark: 1, phase: "sent" });
});

test("while a rematch is on its way there is no next step, and a lost connection is named, with a board and without", async () => {
  const node = new FakeNode();
  node.automine = false;
  const visit = await openTable(node, { ...GAME, ...X_WON });
  const { state, seat } = visit.page;
  expect(seat.value.step).toBe("again");
  void visit.page.transactions.playAgain();
  await visit.pass(1000);
  expect([seat.value.step, seat.value.words]).toEqual([null, ""]);
  state.nodeStatus.value = "lost";
  expect([seat.value.step, seat.value.words, seat.value.isBad]).toEqual(["tryNow", text.game.nodeLost, true]);
});

test("a wallet on another chain gets one sentence and one step, and a player with another account reads which to choose", async () => {
  const visit = await openTable(new FakeNode(), GAME);
  const { state, seat } = visit.page;
  const connection = state.connection.value ?? { wallet: walletOf(new FakeNode()), accounts: [], chain: 0 };
  state.connection.value = { ...connection, chain: 1 };
  expect([seat.value.words, seat.value.step, seat.value.isBad]).toEqual([
    "Your wallet is on Ethereum.",
    "switch",
    false,
  ]);
  state.connection.value = { ...connection, accounts: [CARLA] };
  expect(seat.value.hint).toBe(`You are watching. You play here as ${A}: choose that account in your wallet.`);
  state.connection.value = null;
  expect(seat.value.hint).toBe(text.status.watching);
});

test("a notice says what it is about, and only what went wrong is marked as bad", async () => {
  const { page } = await openPage("");
  const { state, seat } = page;
  const said = (notice: typeof state.notice.value): [string, boolean] => {
    state.notice.value = notice;
    return [seat.value.words, seat.value.isBad];
  };
  const reorg = "The network replaced its latest blocks, which took back";
  expect(said({ kind: "reorg", moves: 0 })).toEqual([text.reorg.none, false]);
  expect(said({ kind: "reorg", moves: 1 })).toEqual([`${reorg} 1 move. This is the board now.`, false]);
  expect(said({ kind: "reorg", moves: 2 })).toEqual([`${reorg} 2 moves. This is the board now.`, false]);
  for (const kind of ["declined", "begun", "overwritten"] as const)
    expect(said({ kind: "failure", failure: { kind } })).toEqual([text.failure[kind], false]);
  expect(said({ kind: "failure", failure: { kind: "dropped" } })).toEqual([text.failure.dropped, true]);
});

test("a cell's name says its mark, whether it is the last one, in a line, or not in a block yet", async () => {
  const { page } = await openPage("");
  const { cellLabel } = page.words;
  const names = [0, 1, 2, 3, 8].map((cell) => cellLabel(cell, [0, 3, 1, 4, 2], null, new Set([0, 1, 2])));
  expect(names).toEqual([
    "Top left, X, in the winning line",
    "Top centre, X, in the winning line",
    "Top right, X, last move, in the winning line",
    "Middle left, O",
    "Bottom right, empty",
  ]);
  const pending = { cell: 8, mark: 2, phase: "sent" } as const;
  expect(cellLabel(8, [0], pending, new Set())).toBe("Bottom right, O, not in a block yet");
});

test("a button that spends coins says so where they have a price", async () => {
  const { spending, chainName } = (await openPage("")).page.words;
  const labels = [LOCAL_CHAIN, 11_155_111, 1, 424_242].map((chain) => spending(chainName(chain), chain));
  expect(labels).toEqual(["Local chain", "Sepolia", "Ethereum, with real money", "chain 424242, with real money"]);
  // The page offers the free ones first.
  const testnets = knownChains.filter(({ id }) => id !== LOCAL_CHAIN).map(({ testnet }) => testnet);
  expect(testnets).toEqual(testnets.toSorted((a, b) => Number(b) - Number(a)));
});

test("a wallet's link opens the whole link of the page, with the invitation", () => {
  const page = `https://play.example/game/?chain=1&table=${TABLE}&with=${ALICE}`;
  const [metamask, trust, base] = walletApps.map(({ open }) => new URL(open(page)));
  expect(metamask?.href).toBe(`https://link.metamask.io/dapp/play.example/game/?chain=1&table=${TABLE}&with=${ALICE}`);
  expect(trust?.href).toMatch(/^https:\/\/link\.trustwallet\.com\/open_url\?coin_id=60&url=https%3A%2F%2Fplay/);
  expect(trust?.searchParams.get("url")).toBe(page);
  expect(base?.href).toMatch(/^https:\/\/go\.cb-w\.com\/dapp\?cb_url=https%3A/);
  expect(base?.searchParams.get("cb_url")).toBe(page);
});
