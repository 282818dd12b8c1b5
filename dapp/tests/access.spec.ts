// The keyboard, the screen reader, and what the player has chosen in the system. views.spec.ts checks every view.
import { ALICE, BEN, DECLINES, expect, HOME, LINK, TABLE, test, text } from "./support/page.ts";

test("a game with the keyboard alone, from the start page to the next", async ({ tab, page, node }) => {
  await tab.install(ALICE, { name: "Keys" });
  const focused = page.locator(":focus");
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const tabTo = async (words: string): Promise<void> => {
    for (let tabs = 0; tabs < 9 && (await focused.textContent()) !== words; tabs += 1) await press("Tab");
    await expect(focused).toHaveText(words);
  };
  await tab.open(HOME, text.home.headline);
  await press("Tab");
  await expect(focused).toHaveText(text.header.skip);
  await expect(focused).toHaveCSS("outline-style", "solid");
  await press("Enter");
  await expect(tab.cell(4)).toBeFocused();

  // The focus goes to what is wrong, to the heading of a new view, and back to what opened a dialog.
  await page.getByLabel(text.home.chain, { exact: true }).selectOption(text.chain.local);
  await tabTo(text.home.openTitle);
  await press("Enter", "Tab", "Tab");
  await expect(focused).toHaveText(text.home.open);
  await press("Enter");
  await expect(tab.problem).toHaveText(text.home.badAddress);
  await expect(page.getByLabel(text.home.address)).toBeFocused();
  await page.keyboard.type(` ${TABLE.toLowerCase()}`);
  await press("Enter");
  await expect(page).toHaveURL(LINK);
  await expect(tab.title).toBeFocused();
  await press("Shift+Tab");
  await expect(focused).toHaveText(text.header.connect);
  await press("Enter");
  await expect(focused).toHaveText("Keys");
  await press("Escape");
  await expect(page.locator("dialog")).toHaveCount(0);
  await expect(tab.account).toBeFocused();
  await press("Enter");
  await expect(focused).toHaveText("Keys");
  await press("Enter");
  await expect(tab.account).toHaveText(/0x1111/);
  await expect(tab.account).toBeFocused();
  await press("Tab");
  await expect(focused).toHaveRole("gridcell");
  await tabTo(text.invite.other);
  await press("Space");
  await expect(page.getByRole("radio", { name: "X" })).toBeFocused();
  await press("Tab");
  await page.keyboard.type(BEN);
  await press("Enter");
  await expect(tab.title).toHaveText(text.status.yourTurn);

  // The focus waits on the board. The arrows move it between the cells, and stop at the edge.
  await expect(tab.cell(4)).toBeFocused();
  const ways = "ArrowUp 1, ArrowUp 1, ArrowLeft 0, ArrowLeft 0, End 2, ArrowDown 5, Home 3, PageDown 6, Control+End 8";
  for (const way of `${ways}, PageUp 2, Control+Home 0`.split(", ")) {
    const [keys = "", cell] = way.split(" ");
    await press(keys);
    await expect(tab.cell(Number(cell))).toBeFocused();
  }
  await expect(page.locator('[role="gridcell"][tabindex="0"]')).toHaveCount(1);
  await press("Enter");
  await tab.expectBoard("x........");
  node.mine({ moves: [0, 4, 1, 5] });
  await expect(tab.title).toHaveText(text.status.yourTurn);
  await press("End", "Space");
  await expect(tab.title).toHaveText(text.status.youWin);
  await expect(tab.cell(2)).toBeFocused();
  await press("Tab");
  await expect(focused).toHaveText(text.game.rematch);
  await press("Enter");
  await expect(tab.players).toContainText("Game 2");
  await expect(tab.focusedCell).toHaveCount(1);
  expect(node.game).toMatchObject({ x: BEN, o: ALICE });
});

test("a screen reader gets the grid, moves, turns, results and failures", async ({ tab, page, node }) => {
  const wallet = await tab.openGame([], text.status.yourTurn);
  const grid = page.getByRole("grid", { name: text.board.label });
  await expect(grid.getByRole("row")).toHaveCount(3);
  await expect(grid).toHaveAccessibleDescription(text.board.help);
  for (const [cell, name] of text.cells.entries())
    await expect(tab.cell(cell)).toHaveAccessibleName(`${name}, ${text.board.empty}`);
  await tab.cell(4).click();
  await expect(tab.said).toHaveText("X: Centre. Your friend's turn. You are X.");
  await expect(tab.cell(4)).toHaveAccessibleName("Centre, X, last move");
  await expect(tab.cell(4)).toHaveAttribute("aria-disabled", "true");
  node.mine({ moves: [4, 0] });
  await expect(tab.said).toHaveText("O: Top left. Your turn. You are X. Choose a cell.");
  wallet.down = true;
  await expect(tab.alerted).toHaveText(text.game.nodeLost);
  wallet.down = false;
  await expect(tab.said).toContainText(text.say.nodeBack);
  wallet.overrides = DECLINES;
  await tab.clickAnyway(8);
  await expect(tab.alerted).toHaveText(text.failure.declined);
  node.mine({ moves: [4, 0, 5, 1, 3] });
  await expect(tab.said).toContainText("You win. Three in a row.");
  // What is over is not read again.
  await expect(tab.alerted).toHaveText("");
  await expect(tab.cell(3)).toHaveAccessibleName("Middle left, X, last move, in the winning line");
});

test("forced colours and reduced motion are respected", async ({ tab, page, node }) => {
  // The colour of text, which is black in Chromium.
  const black = /^(rgb\(0, 0, 0\)|color\(srgb 0 0 0\))$/;
  const seats = tab.players.locator(".seat");
  await page.emulateMedia({ forcedColors: "active" });
  await tab.openGame([0, 3, 1, 4], text.status.yourTurn);
  // Only the player on turn is marked.
  await expect(seats.first()).toHaveCSS("border-inline-start-color", black);
  await expect(seats.first()).not.toHaveCSS("border-inline-start-width", "0px");
  await expect(seats.last()).toHaveCSS("border-inline-start-width", "0px");
  node.mine({ moves: [0, 3, 1, 4, 2] });
  await expect(tab.lines).toHaveCSS("stroke", black);

  // Nothing moves, unless the player has nothing against it.
  await expect(tab.lines).toHaveCSS("animation-name", "none");
  await page.emulateMedia({ forcedColors: "none", reducedMotion: "no-preference" });
  await page.reload();
  await expect(tab.cell(0).locator("path").first()).toHaveCSS("animation-name", "draw");
});
