// What the table's components draw, by value: whose turn, whose marks, which line, which links, which score.
import { type FunctionComponent, h } from "preact";
import { renderToString } from "preact-render-to-string";
import { afterEach, expect, test } from "vitest";
import { LOCAL_CHAIN } from "../../src/chains.ts";
import { type Address, type Hex, STATUSES } from "../../src/rules.ts";
import { fill, text } from "../../src/text.ts";
import type { BoardProps } from "../../src/view/Board.tsx";
import { ALICE, BEN, CARLA, type FakeGame, FakeNode, GAME } from "./support/node.ts";
import { closeVisit, linkTo, openPage, openTable, type Visit, walletOf } from "./support/table.ts";

afterEach(closeVisit);

/** The attributes of every element with a given one. */
function elements(html: string, attribute: string): Record<string, string>[] {
  const tags = [...html.matchAll(/<[a-z][^>]*>/g)].map(([tag]) => tag);
  const parsed = tags.map((tag) =>
    Object.fromEntries(
      [...tag.matchAll(/\s([\w-]+)(?:="([^"]*)")?/g)].map(([, name = "", value = ""]) => [name, value]),
    ),
  );
  return parsed.filter((found) => attribute in found);
}

const BOARD: BoardProps = { moves: [], pending: null, turn: null, choose: () => undefined };

async function drawBoard(props: Partial<BoardProps>): Promise<string> {
  await openTable(new FakeNode());
  const { Board } = await import("../../src/view/Board.tsx");
  return renderToString(h(Board, { ...BOARD, ...props }));
}

const cells = (html: string): Record<string, string>[] =>
  elements(html, "data-mark").concat(elements(html, "role").filter((cell) => !("data-mark" in cell)));
const marks = (html: string): string => {
  const all = elements(html, "role").filter(({ role }) => role === "gridcell");
  return all.map((cell) => cell["data-mark"] ?? ".").join("");
};

test("every mark is in its cell, and the last one is marked", async () => {
  const html = await drawBoard({ moves: [4, 0, 8, 2] });
  expect(marks(html)).toBe("o.o.x...x");
  expect(cells(html).filter((cell) => "data-last" in cell)).toMatchObject([
    { "aria-label": "Top right, O, last move" },
  ]);
  expect(elements(html, "data-phase").map((cell) => cell["data-phase"])).toEqual([
    "settled",
    "settled",
    "settled",
    "settled",
  ]);
});

test.each(["asking", "sent"] as const)("a mark that is not in a block yet is drawn as %s", async (phase) => {
  const html = await drawBoard({ moves: [4], pending: { cell: 7, mark: 2, phase } });
  expect(marks(html)).toBe("....x..o.");
  expect(elements(html, "data-phase").map((cell) => cell["data-phase"])).toEqual(["settled", phase]);
});

// By the cells, from the outer ends of the first to the outer end of the last.
test.each([
  [[0, 1, 2], "M16 50L284 50"],
  [[3, 4, 5], "M16 150L284 150"],
  [[6, 7, 8], "M16 250L284 250"],
  [[0, 3, 6], "M50 16L50 284"],
  [[1, 4, 7], "M150 16L150 284"],
  [[2, 5, 8], "M250 16L250 284"],
  [[0, 4, 8], "M16 16L284 284"],
  [[2, 4, 6], "M284 16L16 284"],
])("the line over %j goes through all three, in its winner's colour", async (line, path) => {
  const [a = 0, b = 0, c = 0] = line;
  const others = [0, 1, 2, 3, 4, 5, 6, 7, 8].filter((cell) => !line.includes(cell));
  // Two marks of the loser that make no line, and one more for O as the winner.
  for (const winner of ["x", "o"] as const) {
    const [d = 0, e = 0, f = 0] = others.filter((_, at) => at !== 2);
    const moves = winner === "x" ? [a, d, b, e, c] : [d, a, e, b, f, c];
    const html = await drawBoard({ moves });
    expect(elements(html, "data-win").map((cell) => cell["aria-label"]?.split(",").slice(0, 2).join())).toHaveLength(3);
    expect(elements(html, "pathLength").filter(({ class: name }) => name?.startsWith("ink-"))).toMatchObject([
      { d: path, class: `ink-${winner}` },
    ]);
    expect([...html.matchAll(/data-win/g)]).toHaveLength(3);
  }
});

test("two lines at once are both drawn", async () => {
  const html = await drawBoard({ moves: [0, 1, 2, 3, 6, 5, 8, 7, 4] });
  expect(
    elements(html, "pathLength")
      .filter(({ class: name }) => name === "ink-x")
      .map(({ d }) => d),
  ).toEqual(["M16 16L284 284", "M284 16L16 284"]);
  expect(elements(html, "data-win")).toHaveLength(5);
});

// -- the players ----------------------------------------------------------------

interface Seat {
  seat: string;
  turn: boolean;
  player: string;
  you: boolean;
  wins: string;
}

async function seats({ page }: Visit): Promise<Seat[]> {
  const { Players } = await import("../../src/view/Players.tsx");
  const html = renderToString(h(Players as FunctionComponent, {}));
  expect(html).toContain(page.state.snapshot?.game ? `Game ${page.state.snapshot.game.number}` : "");
  return [...html.matchAll(/<li class="seat row"([^>]*)>(.*?)<\/li>/gs)].map(([, attributes = "", content = ""]) => ({
    seat: /data-mark="(\w)"/.exec(attributes)?.[1] ?? "",
    turn: attributes.includes("data-turn"),
    player: /title="(0x\w+)"/.exec(content)?.[1] ?? "",
    you: content.includes('class="you"'),
    wins: /seat-wins[^>]*>(.*?)</s.exec(content)?.[1] ?? "",
  }));
}

test.each<[string, Partial<FakeGame>, Address[], "x" | "o" | null, string]>([
  ["X's first move", { moves: [] }, [ALICE], "x", "x"],
  ["O's reply", { moves: [4] }, [ALICE], "o", "x"],
  ["O's reply, seen by O", { moves: [4] }, [BEN], "o", "o"],
  ["X's third move", { moves: [4, 0] }, [CARLA], "x", ""],
  ["both sides", { moves: [4] }, [ALICE, BEN], "o", "xo"],
  ["a win", { moves: [0, 3, 1, 4, 2] }, [ALICE], null, "x"],
  ["a forfeit", { moves: [4], forfeited: true }, [BEN], null, "o"],
])("at %s the right player is on turn", async (_, game, accounts, turn, own) => {
  const node = new FakeNode();
  node.accounts = accounts;
  const visit = await openTable(node, { number: 3n, x: ALICE, o: BEN, ...game });
  visit.page.change({ score: { wins: [2, 5], draws: 1 } });
  expect(await seats(visit)).toEqual([
    { seat: "x", turn: turn === "x", player: ALICE, you: own.includes("x"), wins: "2" },
    { seat: "o", turn: turn === "o", player: BEN, you: own.includes("o"), wins: "5" },
  ]);
});

test("an unknown score is not drawn as one", async () => {
  const visit = await openTable(new FakeNode(), { number: 3n, x: ALICE, o: BEN, moves: [] });
  visit.page.change({ score: "unknown" });
  expect((await seats(visit)).map(({ wins }) => wins)).toEqual(["–", "–"]);
});

test("every move has the link of its own transaction, and none of another game", async () => {
  const node = new FakeNode(11_155_111);
  node.hold("eth_getLogs");
  const visit = await openTable(node, { number: 2n, x: ALICE, o: BEN, moves: [4, 0, 8] });
  const { Moves } = await import("../../src/view/Moves.tsx");
  const hashes = ["a1", null, "c3"].map((digits) => (digits === null ? null : (`0x${digits.repeat(32)}` as Hex)));
  const links = (number: bigint): (string | undefined)[][] => {
    visit.page.change({ links: { number, hashes } });
    const html = renderToString(h(Moves as FunctionComponent, {}));
    return [...html.matchAll(/<li data-mark="(\w)">(.*?)<\/li>/gs)].map(([, mark, content = ""]) => [
      mark,
      /href="([^"]*)"/.exec(content)?.[1],
    ]);
  };
  const explorer = "https://sepolia.etherscan.io/tx/";
  expect(links(2n)).toEqual([
    ["x", `${explorer}${hashes[0]}`],
    ["o", undefined],
    ["x", `${explorer}${hashes[2]}`],
  ]);
  expect(links(1n)).toEqual([
    ["x", undefined],
    ["o", undefined],
    ["x", undefined],
  ]);
});

test("every status has its own title and hint, for each of the four who look", async () => {
  const games: Record<string, Partial<FakeGame>> = {
    in_progress: { moves: [] },
    x_won: { moves: [0, 3, 1, 4, 2] },
    o_won: { moves: [0, 3, 1, 4, 8, 5] },
    draw: { moves: [0, 1, 2, 4, 3, 5, 7, 6, 8] },
    x_forfeits: { moves: [], forfeited: true },
    o_forfeits: { moves: [0], forfeited: true },
  };
  const table: Record<string, string[]> = {};
  for (const status of STATUSES.slice(1)) {
    const node = new FakeNode();
    const visit = await openTable(node, { ...GAME, ...games[status] });
    expect(visit.page.state.snapshot?.game?.status).toBe(status);
    table[status] = [[ALICE], [BEN], [CARLA], [ALICE, BEN]].map((accounts) => {
      const { connection } = visit.page.state;
      if (connection) visit.page.change({ connection: { ...connection, accounts } });
      const { title, hint } = visit.page.words.statusText(visit.page.state);
      return `${title} ${hint}`;
    });
    closeVisit();
  }
  const words = text.status;
  const by = (sentence: string, mark: string): string => fill(sentence, { mark });
  const all = (titles: string[], hints: string[]): string[] =>
    titles.map((title, at) => `${title} ${hints[at] ?? hints[0]}`);
  const [xWins, oWins, xToMove] = [by(words.wins, "X"), by(words.wins, "O"), by(words.theirTurn, "X")];
  const waiting = fill(words.theirTurnHint, { player: `${ALICE.slice(0, 6)}…${ALICE.slice(-4)}` });
  expect(table).toEqual({
    in_progress: all(
      [words.yourTurn, xToMove, xToMove, xToMove],
      [by(words.yourTurnHint, "X"), waiting, words.watching, words.bothTurnHint],
    ),
    x_won: all([words.youWin, words.youLose, xWins, xWins], [words.line]),
    o_won: all([words.youLose, words.youWin, oWins, oWins], [words.line]),
    draw: all([words.draw, words.draw, words.draw, words.draw], [words.drawHint]),
    x_forfeits: all(
      [words.youLose, words.youWin, oWins, oWins],
      [words.youGaveUp, ...Array.from({ length: 3 }, () => by(words.gaveUp, "X"))],
    ),
    o_forfeits: all(
      [words.youWin, words.youLose, xWins, xWins],
      [by(words.gaveUp, "O"), words.youGaveUp, by(words.gaveUp, "O"), by(words.gaveUp, "O")],
    ),
  });
});

test.each([
  ["a table", "", text.game.connectToPlay],
  ["an invitation, which has a button of its own", `&with=${BEN}`, ""],
])("while the game at %s is read, a player without a wallet is offered to connect", async (_, query, words) => {
  const { page } = await openPage(linkTo(987_654) + query);
  const { nextStep } = await import("../../src/view/play.ts");
  expect(page.state.snapshot).toBeNull();
  expect(nextStep().words).toBe(words);
  // Nobody can connect what is not there.
  expect(nextStep().button?.label).toBe((words && text.header.noWallet) || undefined);
});

// -- sentences ------------------------------------------------------------------

test("a cell's name says its mark, whether it is the last one, in a line, or not in a block yet", async () => {
  const { page } = await openPage("");
  const { cellLabel } = page.words;
  const moves = [0, 3, 1, 4, 2];
  const names = [0, 1, 2, 3, 8].map((cell) => cellLabel(cell, moves, null, new Set([0, 1, 2])));
  expect(names).toEqual([
    "Top left, X, in the winning line",
    "Top centre, X, in the winning line",
    "Top right, X, last move, in the winning line",
    "Middle left, O",
    "Bottom right, empty",
  ]);
  const pending = { cell: 8, mark: 2, phase: "sent" } as const;
  expect([7, 8].map((cell) => cellLabel(cell, [0], pending, new Set()))).toEqual([
    "Bottom centre, empty",
    "Bottom right, O, not in a block yet",
  ]);
});

test("a chain has its name, or its number", async () => {
  const { page } = await openPage("");
  expect([LOCAL_CHAIN, 11_155_111, 424_242].map(page.words.chainName)).toEqual([
    "Local chain",
    "Sepolia",
    "chain 424242",
  ]);
});

test("before there is a board the page says that it reads, or that nothing answers; then what it waits for", async () => {
  const { page } = await openPage("");
  const said = (): string[] => Object.values(page.words.statusText(page.state));
  expect(said()).toEqual([text.status.reading, text.status.readingHint]);
  page.change({ nodeStatus: "lost" });
  expect(said()).toEqual([text.status.unreachable, text.status.unreachableHint]);
  closeVisit();
  const visit = await openTable(new FakeNode(), GAME);
  const of = ({ page: now }: Visit): string[] => Object.values(now.words.statusText(now.state));
  visit.page.change({ nodeStatus: "lost" });
  const yourTurn = of(visit);
  expect(yourTurn[0]).toBe(text.status.yourTurn);
  for (const [phase, kind, words] of [
    ["asking", "move", [text.status.asking, text.status.askingHint]],
    ["sent", "move", [text.status.sent, text.status.sentHint]],
    ["sent", "deploy", yourTurn],
  ] as const) {
    visit.page.change({ pending: { action: { kind }, phase } as never });
    expect(of(visit)).toEqual(words);
  }
});

test("a guest reads who invites", async () => {
  const node = new FakeNode();
  const { page, pass } = await openPage(`${linkTo(node.chainId)}&with=${BEN}`);
  page.change({ connection: { wallet: walletOf(node), accounts: [ALICE], chain: node.chainId } });
  await pass(1000);
  expect(page.words.statusText(page.state)).toEqual({
    title: text.status.invited,
    hint: fill(text.status.invitedHint, { player: page.words.short(BEN) }),
  });
});

test("a reorg's notice counts the moves that it took back", async () => {
  const { page } = await openPage("");
  expect([0, 1, 2].map((moves) => page.words.noticeText({ kind: "reorg", moves }))).toEqual([
    text.failure.reorgNone,
    "The network replaced its latest blocks, which took back 1 move. This is the board now.",
    "The network replaced its latest blocks, which took back 2 moves. This is the board now.",
  ]);
  expect(page.words.noticeText({ kind: "notCopied" })).toBe(text.game.notCopied);
});
