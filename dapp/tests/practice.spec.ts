// Practice on the start page: a game of both sides by the rules, without a table.
import { text } from "../src/text.ts";
import { cellAt, clickAnyway, expect, expectBoard, test } from "./support/fixtures.ts";

const again = { name: text.game.rematch };

test("a win and a draw by both sides, without any request", async ({ page, host }) => {
  await page.goto(host);
  await page.waitForLoadState("networkidle");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const title = page.locator(".status h2");
  await expect(title).toHaveText(text.home.practise);
  for (const cell of [0, 3, 1, 4]) await cellAt(page, cell).click();
  // A cell that is taken, and a game that is over, take no mark.
  await clickAnyway(page, 0);
  await expect(title).toHaveText("X to move");
  await expect(page.getByRole("button", again)).toHaveCount(0);
  await cellAt(page, 2).click();
  await expect(title).toHaveText("X wins");
  await clickAnyway(page, 8);
  await expectBoard(page, "xxxoo....");
  await expect(page.locator(".board-wins path")).toHaveCount(1);
  await page.getByRole("button", again).press("Enter");
  await expectBoard(page, ".........");
  await expect(page.locator('[role="gridcell"]:focus')).toHaveCount(1);
  for (const cell of [4, 0, 2, 6, 3, 5, 1, 7, 8]) await cellAt(page, cell).click();
  await expect(title).toHaveText(text.status.draw);
  expect(asked).toEqual([]);
});

test("the way to a game with a friend is beside the board, also on a phone", async ({ page, host }) => {
  const friend = page.getByRole("button", { name: text.home.deployTitle });
  for (const [width, height] of [
    [320, 568],
    [390, 664],
    [844, 390],
    [1366, 625],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto(host);
    for (const part of [page.getByRole("grid"), friend]) {
      const box = await part.boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? Infinity), `${width} x ${height}`).toBeLessThanOrEqual(height);
    }
  }
  await friend.click();
  await expect(page.getByRole("button", { name: text.home.deploy, exact: true })).toBeFocused();
});
