import { allow, board, expect, expectBoard, hint, noticeOf, otherPage, sit, SQUARES, square, test, title } from "./support/fixtures.ts";

test("two people with a wallet each play a whole game while a third watches without one", async ({ page, browser, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  const [pageO, watcher] = [await otherPage(browser), await otherPage(browser)];
  await sit(page, anvil, x);
  await sit(pageO, anvil, o);
  await allow(watcher, anvil);
  await Promise.all([page.goto(link), pageO.goto(link), watcher.goto(link)]);
  await expect(title(page)).toHaveText("A free table");

  await page.getByRole("button", { name: "New game" }).click();
  await page.getByLabel("Your opponent's address").fill(o);
  await page.getByRole("button", { name: "Begin" }).click();
  await expect(title(page)).toHaveText("Your turn");
  await expect(hint(page)).toHaveText("You are X. Choose a square.");
  await expect(title(pageO)).toHaveText("X to move");
  await expect(hint(watcher)).toHaveText("You are watching.");

  for (const [at, cell] of [0, 4, 1, 5, 2].entries()) {
    const mover = at % 2 === 0 ? page : pageO;
    await expect(title(mover)).toHaveText("Your turn");
    await square(mover, cell).click();
  }
  for (const everyone of [page, pageO, watcher]) await expectBoard(everyone, "xxx.oo...");
  await expect(title(page)).toHaveText("You win");
  await expect(title(pageO)).toHaveText("You lose");
  await expect(title(watcher)).toHaveText("X wins");
  await expect(watcher.locator(".board-wins path")).toHaveCount(1);
  await expect(watcher.locator("#history li")).toHaveText([
    "X Top left",
    "O Centre",
    "X Top centre",
    "O Middle right",
    "X Top right",
  ]);
  await expect(page.locator('[data-seat="x"] .seat-wins')).toHaveText("1");
  await expect(page.locator('[data-seat="o"] .seat-wins')).toHaveText("0");
  expect((await anvil.game(table)).status).toBe(2);
  void board;
  void noticeOf;
  void SQUARES;
});
