// Who the player is at a table, what the page says and offers, and which mark may be placed: one row for each situation.
import { afterEach, beforeEach, expect, test } from "vitest";
import { LOCAL_CHAIN } from "../../src/chains.ts";
import type { Address } from "../../src/rules.ts";
import { fill, text } from "../../src/text.ts";
import { chainName, short, spending } from "../../src/words.ts";
import { ALICE, BEN, CARLA, type FakeGame, FakeNode, GAME } from "../support/node.ts";
import { closeVisit, connect, linkTo, openPage, openTable, serve, type Visit } from "./support/page.ts";

let node: FakeNode;

beforeEach(() => (node = new FakeNode()));
afterEach(closeVisit);

const { status } = text;
const X_WON = { moves: [0, 3, 1, 4, 2] };
const HOST = `${status.host}. ${status.hostHint} | invite | waits`;
const invited = (by: Address): string => `You are invited. ${short(by)} wants to play. You are X. | play`;

/** What a player reads above the board, then the next step, the mark that may be placed, and what the page waits for. */
function summary({ seat }: Visit): string {
  const { title, hint, step, turn, waits, isNeeded } = seat.value;
  const rest = [step, turn && `may place ${"XO"[turn - 1]}`, waits && "waits", isNeeded && "●"];
  return [`${title}. ${hint}`, ...rest.filter(Boolean)].join(" | ");
}

test.each<[string, Partial<FakeGame> | null, Address[] | null, string, string]>([
  ["X at the first move", {}, [ALICE], "", "Your turn. You are X. Choose a cell. | may place X | ●"],
  ["X, as the second account", {}, [CARLA, ALICE], "", "Your turn. You are X. Choose a cell. | may place X | ●"],
  ["O at the second move", { moves: [4] }, [BEN], "", "Your turn. You are O. Choose a cell. | may place O | ●"],
  ["X at the second move", { moves: [4] }, [ALICE], "", "Your friend's turn. You are X. | waits"],
  ["both sides", { moves: [4] }, [ALICE, BEN], "", "O to move. You play both sides. | may place O"],
  ["a watcher", { moves: [4] }, [CARLA], "", `O to move. ${status.watchingAs}`],
  ["a watcher without a wallet", {}, null, "", "X to move. You are watching. | connect"],
  ["the reader of a used invitation", {}, [CARLA], BEN, `X to move. This invitation is used. ${status.watchingAs}`],
  ["the winner", X_WON, [ALICE], "", "You win. Three in a row. | again"],
  ["the loser", X_WON, [BEN], "", "You lose. Your friend has three in a row. | again"],
  ["both sides at the end", X_WON, [BEN, ALICE], "", "X wins. Three in a row. | again"],
  ["the host after others' game", X_WON, [CARLA], "", HOST],
  ["a draw", { moves: [0, 1, 2, 4, 3, 5, 7, 6, 8] }, [BEN], "", "A draw. Nine marks and no line. | again"],
  ["X who gave up", { forfeited: true }, [ALICE], "", "You lose. You gave up. | again"],
  ["O whose opponent gave up", { forfeited: true }, [BEN], "", "You win. Your friend gave up. | again"],
  ["a watcher of a forfeit", { moves: [4], forfeited: true }, null, "", "X wins. O gave up. | connect"],
  ["the host", null, [ALICE], "", HOST],
  ["the host who opens the own invitation", null, [ALICE], ALICE, HOST],
  ["a guest", null, [ALICE], BEN, invited(BEN)],
  ["a guest without a wallet", null, null, ALICE, invited(ALICE)],
  ["a player with an old invitation", X_WON, [ALICE], BEN, "You win. Three in a row. | again"],
  ["nobody at a free table", null, null, "", "A free table. Nobody plays here yet. | connect"],
])("%s", async (_, game, accounts, inviter, expected) => {
  if (game !== null) node.mine({ ...GAME, ...game });
  serve(node);
  const visit = await openPage(linkTo(node.chainId) + (inviter && `&with=${inviter}`));
  if (accounts !== null) node.accounts = accounts;
  if (accounts !== null) await connect(visit, node);
  await visit.pass(1000);
  expect(summary(visit)).toBe(expected);
});

test("before there is a board the page says that it reads, or who does not answer", async () => {
  const visit = await openPage(linkTo(LOCAL_CHAIN));
  const { state, seat } = visit;
  expect(summary(visit)).toBe(`${status.reading}. ${status.readingHint} | connect`);
  await visit.pass(20_000);
  expect(summary(visit)).toBe(`${status.unreachable}. ${status.unreachableHint} | tryNow`);
  expect([seat.value.words, seat.value.isBad]).toEqual(["No answer from a node of the network. Trying again…", true]);
  visit.browser.visit(`${linkTo(987_654)}&with=${BEN}`);
  expect(seat.value.step).toBeNull();
  state.isReturning.value = true;
  visit.browser.visit(linkTo(987_654));
  expect(seat.value.step).toBeNull();
});

test("the page needs the player while the wallet asks, and waits once it is sent; a lost connection is named", async () => {
  node.automine = false;
  const confirm = node.hold("eth_sendTransaction");
  const visit = await openTable(node, { ...GAME, moves: [4, 0] });
  void visit.transactions.send({ kind: "move", cell: 8, number: 1n });
  await visit.pass(100);
  expect(summary(visit)).toBe(`${status.asking}. ${status.askingHint} | ●`);
  confirm();
  await visit.pass(100);
  expect(summary(visit)).toBe(`${status.sent}. ${status.sentHint} | waits`);
  visit.state.nodeStatus.value = "lost";
  const { step, words, isBad } = visit.seat.value;
  expect([step, words, isBad]).toEqual(["tryNow", text.game.nodeLost, true]);
});

test("a notice says what it is about, and only what went wrong is marked as bad", async () => {
  const { state, seat } = await openPage("");
  for (const kind of ["declined", "begun", "overwritten", "dropped"] as const) {
    state.notice.value = { kind };
    expect([seat.value.words, seat.value.isBad]).toEqual([text.failure[kind], kind === "dropped"]);
  }
  for (const [moves, words] of [text.reorg.none, fill(text.reorg.some, { moves: "1 move" })].entries()) {
    state.notice.value = { kind: "reorg", moves };
    expect([seat.value.words, seat.value.isBad]).toEqual([words, false]);
  }
});

test("a button that spends coins says so where they have a price", () => {
  const labels = [LOCAL_CHAIN, 11_155_111, 1, 424_242].map((chain) => spending(chainName(chain), chain));
  expect(labels).toEqual(["Local chain", "Sepolia", "Ethereum, with real money", "chain 424242, with real money"]);
});
