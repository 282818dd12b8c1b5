// The game: two players, a watcher, every ending, the score, and the transactions.
import { decodeFunctionData } from "viem/utils";
import { ABI } from "../src/generated/contract.ts";
import { text } from "../src/text.ts";
import {
  clickAnyway,
  expect,
  expectBoard,
  hint,
  otherPage,
  sit,
  cellAt,
  test,
  title,
  noticeBox,
  noticeOf,
  gameNumber,
  problem,
  movesIn,
} from "./support/fixtures.ts";

test("two players play a whole game, and a watcher without a wallet follows it", async ({
  page,
  browser,
  anvil,
  table,
  link,
}) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  const [pageO, watcher] = [await otherPage(browser), await otherPage(browser)];
  const wallet = await sit(page, anvil, x);
  await sit(pageO, anvil, o);
  await Promise.all([page.goto(link), pageO.goto(link), watcher.goto(link)]);
  await expect(title(page)).toHaveText("A free table");

  await page.getByRole("button", { name: "New game" }).click();
  await page.getByLabel("Your opponent's address").fill(o);
  await page.getByRole("button", { name: "Begin" }).click();
  await expect(title(page)).toHaveText("Your turn");
  await expect(hint(page)).toHaveText("You are X. Choose a cell.");
  await expect(title(pageO)).toHaveText("X to move");
  await expect(hint(watcher)).toHaveText("You are watching.");

  for (const [at, cell] of [0, 4, 1, 5, 2].entries()) {
    const mover = at % 2 === 0 ? page : pageO;
    await expect(title(mover)).toHaveText("Your turn");
    await cellAt(mover, cell).click();
  }
  for (const each of [page, pageO, watcher]) await expectBoard(each, "xxx.oo...");
  await expect(title(page)).toHaveText("You win");
  await expect(title(pageO)).toHaveText("You lose");
  await expect(title(watcher)).toHaveText("X wins");
  await expect(watcher.locator(".board-wins path")).toHaveCount(1);
  await expect(watcher.locator("[data-last]")).toHaveAttribute(
    "aria-label",
    "Top right, X, last move, in the winning line",
  );
  const moves = ["X Top left", "O Centre", "X Top centre", "O Middle right", "X Top right"];
  await expect(movesIn(watcher)).toHaveText(moves);
  expect((await anvil.game(table)).status).toBe(2);
  // The first game at a table names no game to replace.
  expect(decodeFunctionData({ abi: ABI, data: wallet.calldata[0] ?? "0x" })).toEqual({
    functionName: "newGame",
    args: [x, o],
  });
  await pageO.context().close();
  await watcher.context().close();
});

test("every transaction names its game, and the wallet signs nothing else", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  const wallet = await sit(page, anvil, x);
  await anvil.play(table, x, o, [4, 0]);
  await anvil.play(table, x, o, []);
  await page.goto(link);
  await expect(title(page)).toHaveText("Your turn");
  await cellAt(page, 8).click();
  await expectBoard(page, "........x");
  await anvil.move(table, o, 0);
  await expect(title(page)).toHaveText("Your turn");
  const giveUp = page.getByRole("button", { name: "Give up" });
  await giveUp.click();
  await expect(page.getByRole("dialog")).toContainText("O wins at once");
  await page.getByRole("button", { name: "Play on" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(giveUp).toBeFocused();
  await giveUp.click();
  await page.getByRole("dialog").getByRole("button", { name: "Give up" }).click();
  await expect(title(page)).toHaveText("You lose");
  await expect(hint(page)).toHaveText("You gave up.");
  await page.getByRole("button", { name: "Play again" }).click();
  await expect(title(page)).toHaveText("X to move");

  const transactions = wallet.asked
    .filter(({ method }) => method === "eth_sendTransaction")
    .map(({ params }) => params[0]) as {
    to: string;
    data: `0x${string}`;
    value?: string;
    from: string;
  }[];
  expect(transactions.map(({ to, from }) => [from, to])).toEqual([
    [x, table],
    [x, table],
    [x, table],
  ]);
  const calls = transactions.map(({ data }) => decodeFunctionData({ abi: ABI, data }));
  expect(calls).toEqual([
    { functionName: "makeMove", args: [2, 2, 2n] },
    { functionName: "forfeit", args: [2n] },
    { functionName: "newGame", args: [o, x, 2n] },
  ]);
  expect(transactions.every(({ value }) => value === undefined)).toBe(true);
  expect(wallet.asked.filter(({ method }) => /sign|eth_sendRaw|wallet_grant|permit/i.test(method))).toEqual([]);
});

test("a watcher sees every way a game can end", async ({ page, anvil, table, link }) => {
  const players = [anvil.account(2), anvil.account(3)] as const;
  await page.goto(link);
  for (const [cells, forfeits, words, hints, lines] of [
    [[0, 3, 1, 4, 2], false, "X wins", "Three in a row.", 1],
    [[0, 3, 1, 4, 8, 5], false, "O wins", "Three in a row.", 1],
    [[0, 1, 2, 3, 6, 5, 8, 7, 4], false, "X wins", "Three in a row.", 2],
    [[0, 1, 2, 4, 3, 5, 7, 6, 8], false, "A draw", text.status.drawHint, 0],
    [[], true, "O wins", "X gave up.", 0],
    [[0], true, "X wins", "O gave up.", 0],
  ] as const) {
    await anvil.play(table, ...players, [...cells]);
    if (forfeits) await anvil.forfeit(table, players[cells.length % 2 === 0 ? 0 : 1]);
    await expect(title(page)).toHaveText(words);
    await expect(hint(page)).toHaveText(hints);
    await expect(page.locator(".board-wins path")).toHaveCount(lines);
    await expect(movesIn(page)).toHaveCount(cells.length);
  }
});

test("one account plays both sides", async ({ page, anvil, table, link }) => {
  await sit(page, anvil, anvil.account(0));
  await page.goto(link);
  await page.getByRole("button", { name: "New game" }).click();
  await page.getByRole("radio", { name: text.newGame.seatBoth }).check();
  await expect(page.getByLabel("Your opponent's address")).toBeHidden();
  await page.getByRole("button", { name: "Begin" }).click();
  await expect(title(page)).toHaveText("X to move");
  await cellAt(page, 0).click();
  await expect(title(page)).toHaveText("O to move");
  await cellAt(page, 1).click();
  await expectBoard(page, "xo.......");
  expect((await anvil.game(table)).moveHistory).toHaveLength(2);
});

test("before a game in progress is replaced, the page warns, and again if the game has changed", async ({
  page,
  anvil,
  table,
  link,
}) => {
  const [x, o, other] = [anvil.account(0), anvil.account(1), anvil.account(2)];
  await sit(page, anvil, x);
  await anvil.play(table, x, o, [4]);
  await page.goto(link);
  await page.getByRole("button", { name: "New game" }).click();
  await expect(page.getByRole("dialog")).toContainText("is not over");
  await anvil.newGame(table, other, o);
  await expect(gameNumber(page)).toHaveText("Game 2");
  await page.getByRole("button", { name: text.newGame.beginOver }).click();
  await expect(problem(page)).toHaveText(text.newGame.changed);
  expect((await anvil.game(table)).gameId).toBe(2n);
  await page.getByRole("button", { name: text.newGame.beginOver }).click();
  await expect(gameNumber(page)).toHaveText("Game 3");
});

test("an opponent who cannot play is refused without a transaction, and one who has delegated under EIP-7702 is accepted", async ({
  page,
  anvil,
  table,
  link,
}) => {
  const wallet = await sit(page, anvil, anvil.account(0));
  const delegated = anvil.account(6);
  await page.goto(link);
  await page.getByRole("button", { name: "New game" }).click();
  const input = page.getByLabel("Your opponent's address");
  for (const [value, words] of [
    ["0x1234", "This is not an address"],
    ["", "This is not an address"],
    ["vitalik.eth", "This is not an address"],
    ["0x70997970c51812dc3A010C7d01b50e0d17dc79C8", "This is not an address"],
    [`0x${"0".repeat(40)}`, "belongs to nobody"],
    [anvil.account(0), "This is your own address"],
    [table, "There is a contract at this address"],
  ] as const) {
    await input.fill(value);
    await expect(problem(page)).toHaveText("");
    await page.getByRole("button", { name: "Begin" }).click();
    await expect(problem(page)).toContainText(words);
    await expect(input).toHaveAttribute("aria-invalid", "true");
  }
  expect(wallet.count("eth_sendTransaction")).toBe(0);
  await anvil.rpc("anvil_setCode", delegated, `0xef0100${"12".repeat(20)}`);
  await input.fill(delegated.toLowerCase());
  await page.getByRole("button", { name: "Begin" }).click();
  await expect(title(page)).toHaveText("Your turn");
  expect((await anvil.game(table)).playerO).toBe(delegated);
  await anvil.rpc("anvil_setCode", delegated, "0x");
});

test("the copied link opens the same table, and without clipboard access the page says where the link is", async ({
  page,
  context,
  anvil,
  table,
  link,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await anvil.play(table, anvil.account(0), anvil.account(1), [4]);
  await page.goto(link);
  await page.getByRole("button", { name: "Copy the link" }).click();
  await expect(noticeOf(page)).toHaveText(text.game.copied);
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(link);
  await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await page.goto(copied);
  await expectBoard(page, "....x....");
  await page.getByRole("button", { name: "Copy the link" }).click();
  await expect(noticeOf(page)).toHaveText(text.game.notCopied);
});

test("a click on a cell that cannot be played shows the reason", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  const wallet = await sit(page, anvil, x);
  await anvil.play(table, x, o, [4]);
  await page.goto(link);
  await expect(title(page)).toHaveText("O to move");
  await clickAnyway(page, 0);
  await expect(noticeOf(page)).toHaveText("It is not your turn.");
  await anvil.move(table, o, 0);
  await expect(title(page)).toHaveText("Your turn");
  await expect(noticeBox(page)).toBeHidden();
  await clickAnyway(page, 0);
  await expect(noticeOf(page)).toHaveText("That cell is taken.");
  await anvil.forfeit(table, x);
  await expect(title(page)).toHaveText("You lose");
  await clickAnyway(page, 8);
  await expect(noticeOf(page)).toHaveText("The game is over. Start a new one to move.");
  expect(wallet.count("eth_sendTransaction")).toBe(0);
});
