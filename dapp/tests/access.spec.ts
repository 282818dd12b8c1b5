// The keyboard, the screen reader, and what the player has chosen in the system. views.spec.ts checks every view.
import { ALICE, BEN, DECLINES, expect, GAME, test, text } from "./support/page.ts";

test("a game with the keyboard alone, from the start page to the next", async ({ tab, page, home, node, link }) => {
  await tab.install(ALICE, { name: "Keys" });
  const focused = page.locator(":focus");
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const tabTo = async (words: string): Promise<void> => {
    for (let tabs = 0; tabs < 9 && (await focused.textContent()) !== words; tabs += 1) await press("Tab");
    await expect(focused).toHaveText(words);
  };
  await tab.goto(home);
  await expect(tab.title).toBeVisible();
  await press("Tab");
  await expect(focused).toHaveText(text.header.skip);
  expect(await focused.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe("solid");
  await press("Enter");
  await expect(tab.cell(4)).toBeFocused();

  // The focus goes to the heading of a new view, and back to what opened a dialog.
  await page.getByText(text.home.openTitle).click();
  await page.getByLabel(text.home.address).fill(link);
  await press("Enter");
  await expect(tab.title).toHaveText(text.status.noGame);
  await expect(tab.title).toBeFocused();
  await press("Shift+Tab");
  await expect(focused).toHaveText(text.header.connect);
  await press("Enter");
  await expect(focused).toHaveText("Keys");
  await press("Enter");
  await expect(tab.dialog).toBeHidden();
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
  node.mine({ moves: [0, 4] });
  await expect(tab.title).toHaveText(text.status.yourTurn);
  await press("ArrowRight", "Space");
  await tab.expectBoard("xx..o....");
  node.mine({ moves: [0, 4, 1, 5] });
  await expect(tab.title).toHaveText(text.status.yourTurn);
  await press("ArrowRight", "Enter");
  await expect(tab.title).toHaveText(text.status.youWin);
  await expect(tab.cell(2)).toBeFocused();
  await press("Tab");
  await expect(focused).toHaveText(text.game.rematch);
  await press("Enter");
  await expect(tab.players).toContainText("Game 2");
  await expect(tab.focusedCell).toHaveCount(1);
  expect(node.game).toMatchObject({ x: BEN, o: ALICE });
});

test("a screen reader gets the grid, moves, turns, results and failures", async ({ tab, page, node, link }) => {
  const wallet = await tab.sit(ALICE);
  node.mine(GAME);
  await tab.goto(link);
  const grid = page.getByRole("grid", { name: text.board.label });
  await expect(grid.getByRole("row")).toHaveCount(3);
  await expect(grid).toHaveAccessibleDescription(text.board.help);
  await expect(tab.title).toHaveText(text.status.yourTurn);
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

test("forced colours and reduced motion are respected", async ({ tab, page, node, link }) => {
  await page.emulateMedia({ forcedColors: "active" });
  node.mine({ ...GAME, moves: [0, 3, 1, 4] });
  await tab.goto(link);
  await tab.expectBoard("xx.oo....");
  const style = (selector: string, name: string): Promise<string> =>
    page.locator(selector).evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name);
  const paper = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = "Canvas";
    return getComputedStyle(probe).color;
  });
  // Only the player on turn is marked.
  const edges = ["x", "o"].map(async (mark) => {
    const seat = `.seat[data-mark="${mark}"]`;
    const width = await style(seat, "border-inline-start-width");
    return width !== "0px" && (await style(seat, "border-inline-start-color")) !== paper;
  });
  expect(await Promise.all(edges)).toEqual([true, false]);
  node.mine({ moves: [0, 3, 1, 4, 2] });
  await tab.expectBoard("xxxoo....");
  // The winning line has the colour of text, which is black in Chromium.
  expect(await style(".board-wins path", "stroke")).toMatch(/^(rgb\(0, 0, 0\)|color\(srgb 0 0 0\))$/);

  // Nothing moves, unless the player has nothing against it.
  const moving = (): Promise<boolean> =>
    page.evaluate(() =>
      [...document.querySelectorAll("*")]
        .map((element) => getComputedStyle(element))
        .some(({ animationName, transitionDuration }) => animationName !== "none" || transitionDuration !== "0s"),
    );
  expect(await moving()).toBe(false);
  await page.emulateMedia({ forcedColors: "none", reducedMotion: "no-preference" });
  await page.reload();
  await tab.expectBoard("xxxoo....");
  const mark = tab.cell(0).locator("path").first();
  expect(await mark.evaluate((path) => getComputedStyle(path).animationName)).toBe("draw");
});
