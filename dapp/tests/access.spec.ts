// Accessibility: keyboard, screen reader, reduced motion, another language, right to left. views.spec.ts checks every view.
import { text } from "../src/text.ts";
import {
  expect,
  expectBoard,
  sit,
  sitAsX,
  cellAt,
  CELL_NAMES,
  test,
  title,
  walletButton,
  brand,
  said,
  alerted,
} from "./support/fixtures.ts";

test("a whole game with the keyboard alone, from connecting to the win", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await sit(page, anvil, x, { trusted: false, name: "Keys" });
  await page.addInitScript(() => localStorage.removeItem("tictactoe.wallet"));
  await page.goto(link);
  await expect(title(page)).toHaveText("A free table");
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const focused = page.locator(":focus");
  await press("Tab");
  await expect(focused).toHaveText("Skip to the board");
  await press("Tab", "Tab");
  await expect(focused).toHaveText("Connect wallet");
  await press("Enter");
  await expect(focused).toHaveText("Keys");
  await press("Enter");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(walletButton(page)).toBeFocused();
  // Past the board to the new game.
  await press("Tab");
  await expect(focused).toHaveRole("gridcell");
  await press("Tab");
  await expect(focused).toHaveText(text.invite.title);
  for (let tabs = 0; tabs < 6 && (await focused.textContent()) !== text.invite.other; tabs += 1) await press("Tab");
  await press("Space");
  await expect(page.getByRole("radio", { name: "X" })).toBeFocused();
  await press("Tab");
  await page.keyboard.type(o);
  await press("Enter");
  await expect(title(page)).toHaveText("Your turn");
  await press("Shift+Tab");
  const at = async (cell: number): Promise<void> => expect(cellAt(page, cell)).toBeFocused();
  await at(4);
  await press("ArrowUp");
  await at(1);
  await press("ArrowUp", "ArrowLeft");
  await at(0);
  await press("ArrowLeft");
  await at(0);
  await press("End");
  await at(2);
  await press("ArrowDown", "Home");
  await at(3);
  await press("Control+End");
  await at(8);
  await press("Control+Home");
  await at(0);
  await press("Enter");
  await expectBoard(page, "x........");
  await at(0);
  await anvil.move(table, o, 4);
  await expect(title(page)).toHaveText("Your turn");
  await press("ArrowRight", "Space");
  await expectBoard(page, "xx..o....");
  await anvil.move(table, o, 5);
  await expect(title(page)).toHaveText("Your turn");
  await press("ArrowRight", "Enter");
  await expect(title(page)).toHaveText("You win");
  await at(2);
  // Exactly one cell is in the tab order.
  await expect(page.locator('[role="gridcell"][tabindex="0"]')).toHaveCount(1);
});

test("a screen reader gets the grid, the cells, the moves, the turns, the result and failures", async ({
  page,
  anvil,
  table,
  link,
}) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  const wallet = await sitAsX(page, anvil, table, link);
  const grid = page.getByRole("grid", { name: "Board" });
  await expect(grid.getByRole("row")).toHaveCount(3);
  await expect(grid.getByRole("gridcell")).toHaveCount(9);
  await expect(grid).toHaveAccessibleDescription(text.board.help);
  for (const [cell, name] of CELL_NAMES.entries())
    await expect(cellAt(page, cell)).toHaveAccessibleName(`${name}, empty`);
  await expect(page.getByRole("status").filter({ hasText: "Your turn" })).toHaveCount(1);
  await cellAt(page, 4).click();
  await expect(said(page)).toHaveText("X: Centre. O to move. Waiting for 0x7099…79C8.");
  await expect(cellAt(page, 4)).toHaveAccessibleName("Centre, X, last move");
  await expect(cellAt(page, 4)).toHaveAttribute("aria-disabled", "true");
  await anvil.move(table, o, 0);
  await expect(said(page)).toHaveText("O: Top left. Your turn. You are X. Choose a cell.");
  await expect(page).toHaveTitle("● Your turn · Tic-tac-toe");
  wallet.declines = true;
  await cellAt(page, 8).click();
  await expect(alerted(page)).toHaveText(text.failure.declined);
  wallet.declines = false;
  for (const [mover, cell] of [
    [x, 5],
    [o, 1],
    [x, 3],
  ] as const)
    await anvil.move(table, mover, cell);
  await expect(said(page)).toContainText("You win. Three in a row.");
  await expect(cellAt(page, 3)).toHaveAccessibleName("Middle left, X, last move, in the winning line");
  await expect(page.locator(".players")).toContainText(
    "All games between these two players: X's player won 1, O's player won 0, 0 drawn.",
  );
});

test("the focus is visible, and goes to the heading of a new view", async ({ page, host, link }) => {
  await page.goto(host);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.keyboard.press("Tab");
  const outline = await page.locator(":focus").evaluate((element) => getComputedStyle(element).outlineStyle);
  expect(outline).toBe("solid");
  await page.getByLabel(text.home.address).fill(link);
  await page.keyboard.press("Enter");
  await expect(title(page)).toBeFocused();
  await brand(page).click();
  await expect(page.getByRole("heading", { level: 1, name: text.home.headline })).toBeFocused();
});

test("on every screen the turn, the board and the next step are in the window", async ({
  page,
  anvil,
  table,
  link,
}) => {
  await sit(page, anvil, anvil.account(0));
  await anvil.play(table, anvil.account(0), anvil.account(1), [0, 3, 1, 4, 2]);
  await page.goto(link);
  const next = page.getByRole("button", { name: text.game.rematch });
  for (const [width, height] of [
    [320, 568],
    [390, 664],
    [844, 390],
    [1280, 720],
    [1366, 625],
    [1920, 1080],
    [2560, 1440],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const part of [title(page), page.getByRole("grid"), next]) {
      const box = await part.boundingBox();
      expect(box?.y, `${width} x ${height}`).toBeGreaterThanOrEqual(0);
      expect((box?.y ?? 0) + (box?.height ?? Infinity), `${width} x ${height}`).toBeLessThanOrEqual(height);
    }
    // The board is as large as the window allows: a third of a large one, and never smaller than a hand needs.
    expect((await page.getByRole("grid").boundingBox())?.width, `${width} x ${height}`).toBeGreaterThan(
      Math.min(width, height) * 0.55,
    );
  }
});

test("the dialog for a new game fits into the window, even with a game to end and an error", async ({
  page,
  anvil,
  table,
  link,
}) => {
  await sit(page, anvil, anvil.account(0));
  await anvil.play(table, anvil.account(0), anvil.account(1), [4]);
  await page.goto(link);
  await page.getByRole("button", { name: text.game.newGame }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("0x12");
  await dialog.getByRole("button", { name: text.newGame.beginOver }).click();
  await expect(dialog.getByRole("alert")).toHaveText(text.newGame.badAddress);
  for (const [width, height] of [
    [390, 664],
    [844, 390],
    [1366, 625],
  ] as const) {
    await page.setViewportSize({ width, height });
    expect(await dialog.evaluate((box) => box.scrollHeight - box.clientHeight), `${width} x ${height}`).toBe(0);
  }
});

test("from 320 px to 3840 px, and on a phone with text of 200 %, nothing is wider than the window", async ({
  page,
  anvil,
  table,
  link,
  host,
}) => {
  await sit(page, anvil, anvil.account(0));
  await anvil.newGame(table, anvil.account(0), anvil.account(1));
  for (const url of [host, link]) {
    await page.goto(url);
    await expect(page.locator("h1:visible")).toBeVisible();
    for (const width of [320, 360, 416, 480, 640, 768, 832, 833, 1024, 1280, 1920, 3840]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), String(width)).toBe(width);
    }
    await page.setViewportSize({ width: 390, height: 664 });
    await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${url} at 200 %`).toBe(390);
    // An address does not run under the score.
    for (const seat of await page.locator(".seat").all()) {
      const [who, wins] = [
        await seat.locator(".seat-who").boundingBox(),
        await seat.locator(".seat-wins").boundingBox(),
      ];
      expect((who?.x ?? 0) + (who?.width ?? 0)).toBeLessThanOrEqual(wins?.x ?? 0);
    }
  }
});

test("in forced colours only the player on turn is marked, and the winning line has the colour of text", async ({
  page,
  anvil,
  table,
  link,
}) => {
  await page.emulateMedia({ forcedColors: "active" });
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await anvil.play(table, x, o, [0, 3, 1, 4]);
  await page.goto(link);
  await expectBoard(page, "xx.oo....");
  const style = (
    selector: string,
    property: "borderInlineStartColor" | "borderInlineStartWidth" | "stroke",
  ): Promise<string> =>
    page
      .locator(selector)
      .first()
      .evaluate((element, name) => getComputedStyle(element)[name], property);
  const paper = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = "Canvas";
    return getComputedStyle(probe).color;
  });
  const isMarked = async (seat: string): Promise<boolean> =>
    (await style(seat, "borderInlineStartWidth")) !== "0px" && (await style(seat, "borderInlineStartColor")) !== paper;
  expect([await isMarked('.seat[data-mark="x"]'), await isMarked('.seat[data-mark="o"]')]).toEqual([true, false]);
  await anvil.move(table, x, 2);
  await expectBoard(page, "xxxoo....");
  // Black in Chromium's forced colours.
  expect(await style(".board-wins path", "stroke")).toMatch(/^(rgb\(0, 0, 0\)|color\(srgb 0 0 0\))$/);
});

test("marks are animated, except with reduced motion", async ({ page, anvil, table, link }) => {
  await anvil.play(table, anvil.account(0), anvil.account(1), [4]);
  await page.goto(link);
  await expectBoard(page, "....x....");
  const animation = () =>
    cellAt(page, 4)
      .locator("path")
      .first()
      .evaluate((path) => getComputedStyle(path).animationName);
  expect(await animation()).toBe("none");
  const moving = await page.evaluate(
    () =>
      [...document.querySelectorAll("*")]
        .map((element) => getComputedStyle(element))
        .filter(({ animationName, transitionDuration }) => animationName !== "none" || transitionDuration !== "0s")
        .length,
  );
  expect(moving).toBe(0);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await page.reload();
  await expectBoard(page, "....x....");
  expect(await animation()).toBe("draw");
});
