// For everybody: by keyboard, by ear, small and large, light and dark, in another language, from right to left.
import { AxeBuilder } from "@axe-core/playwright";
import { de } from "../src/text/de.ts";
import { en } from "../src/text/en.ts";
import { allow, expect, expectBoard, linkTo, noticeOf, otherPage, sit, square, SQUARES, test, title } from "./support/fixtures.ts";
import type { Anvil } from "./support/fixtures.ts";
import type { Page } from "@playwright/test";

type Address = `0x${string}`;
interface Place {
  page: Page;
  host: string;
  anvil: Anvil;
  table: Address;
  link: string;
}

/** Every view of the page, and how to get there. */
const VIEWS: Record<string, (place: Place) => Promise<void>> = {
  "the start page": async ({ page, host }) => {
    await page.goto(host);
    await expect(page.locator("#home h1")).toBeVisible();
  },
  "a free table": async ({ page, link }) => {
    await page.goto(link);
    await expect(title(page)).toHaveText("A free table");
  },
  "a turn, with a warning": async ({ page, link, anvil, table }) => {
    await anvil.play(table, anvil.account(1), anvil.account(0), []);
    await page.goto(link);
    await expect(title(page)).toHaveText("X to move");
    await square(page, 0).click({ force: true });
    await expect(noticeOf(page)).toHaveText(en.reason["not your turn"]);
  },
  "a move on its way": async ({ page, link, anvil, table }) => {
    await anvil.play(table, anvil.account(0), anvil.account(1), [4, 0]);
    await page.goto(link);
    await anvil.automine(false);
    await square(page, 8).click();
    await expect(title(page)).toHaveText("On its way…");
  },
  "a win": async ({ page, link, anvil, table }) => {
    await anvil.rpc("anvil_dropAllTransactions");
    await anvil.automine(true);
    await anvil.play(table, anvil.account(0), anvil.account(1), [0, 3, 1, 4, 2]);
    await page.goto(link);
    await expect(title(page)).toHaveText("You win");
  },
  "the new game dialog": async ({ page, link, anvil, table }) => {
    await anvil.play(table, anvil.account(0), anvil.account(1), [0]);
    await page.goto(link);
    await page.getByRole("button", { name: "New game" }).click();
    await page.getByLabel("Your opponent's address").fill("0x12");
    await page.getByRole("button", { name: "End that game and begin" }).click();
    await expect(page.locator("#new-error")).toContainText("This is not an address");
  },
  "the wallet dialog": async ({ page, host }) => {
    await page.goto(host);
    await page.locator("#wallet").click();
    await expect(page.getByRole("dialog")).toBeVisible();
  },
  "giving up": async ({ page, link, anvil, table }) => {
    await anvil.play(table, anvil.account(0), anvil.account(1), []);
    await page.goto(link);
    await page.getByRole("button", { name: "Give up" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
  },
  "a link that is none": async ({ page, host }) => {
    await page.goto(`${host}?chain=x`);
    await expect(page.locator("#trouble")).toBeVisible();
  },
  "the question about an endpoint": async ({ page, host, anvil, table }) => {
    await page.goto(linkTo(host, anvil, table).replace("chain=31337", "chain=4242"));
    await expect(page.locator("#trouble")).toContainText("May this page contact");
  },
};

for (const scheme of ["light", "dark"] as const) {
  test(`no view breaks a rule of accessibility, in ${scheme}, and none is wider than 320 px allow`, async ({ page, host, anvil, table, link }) => {
    test.setTimeout(90_000);
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await sit(page, anvil, anvil.account(0));
    for (const [name, open] of Object.entries(VIEWS)) {
      await page.setViewportSize({ width: 1100, height: 900 });
      await open({ page, host, anvil, table, link });
      // The small screen has the same elements in another order: two views of it in one scheme are enough.
      const small = scheme === "light" && (name === "the start page" || name === "a win");
      for (const width of small ? [1100, 320] : [1100]) {
        await page.setViewportSize({ width, height: 900 });
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(violations.map(({ id, nodes }) => `${name}, ${width}: ${id} ${nodes.map(({ html }) => html.slice(0, 120)).join()}`)).toEqual([]);
      }
      await page.setViewportSize({ width: 320, height: 900 });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(`${name}: ${overflow}`).toBe(`${name}: 0`);
    }
  });
}

test("what can be pressed is large enough for a finger at 320 px", async ({ page, anvil, table, link, host }) => {
  await page.setViewportSize({ width: 320, height: 800 });
  await sit(page, anvil, anvil.account(0));
  await anvil.newGame(table, anvil.account(0), anvil.account(1));
  for (const [url, least] of [
    [link, 12],
    [host, 5],
  ] as const) {
    await page.goto(url);
    await expect(page.locator("h1:visible")).toBeVisible();
    const small = await page.locator("button:visible, select:visible, input:visible, a.brand").evaluateAll((controls) =>
      controls
        .map((control) => ({ name: control.id || control.className, box: control.getBoundingClientRect() }))
        .map(({ name, box }) => ({ name, size: Math.min(box.width, box.height) })),
    );
    expect(small.length).toBeGreaterThan(least);
    expect(small.filter(({ size }) => size < 44)).toEqual([]);
  }
});

test("a whole game by keyboard alone, from connecting to the win", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await allow(page, anvil);
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
  await expect(page.locator("#wallet")).toBeFocused();
  // To the new game: past the board.
  await press("Tab");
  await expect(focused).toHaveRole("gridcell");
  await press("Tab");
  await expect(focused).toHaveText("New game");
  await press("Space");
  await expect(page.getByLabel("X, moves first")).toBeFocused();
  await press("Tab");
  await page.keyboard.type(o);
  await press("Enter");
  await expect(title(page)).toHaveText("Your turn");
  await press("Shift+Tab");
  const at = async (cell: number): Promise<void> => expect(square(page, cell)).toBeFocused();
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
  // One stop in the tab order, whichever square it is.
  await expect(page.locator('[role="gridcell"][tabindex="0"]')).toHaveCount(1);
});

test("what a screen reader is told: the grid, its squares, moves, turns, ends and failures", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  const wallet = await sit(page, anvil, x);
  await anvil.newGame(table, x, o);
  await page.goto(link);
  await expect(title(page)).toHaveText("Your turn");
  const grid = page.getByRole("grid", { name: "Board" });
  await expect(grid.getByRole("row")).toHaveCount(3);
  await expect(grid.getByRole("gridcell")).toHaveCount(9);
  await expect(grid).toHaveAccessibleDescription(en.board.help);
  for (const [cell, name] of SQUARES.entries()) await expect(square(page, cell)).toHaveAccessibleName(`${name}, empty`);
  await expect(page.getByRole("status").filter({ hasText: "Your turn" })).toHaveCount(1);
  await square(page, 4).click();
  await expect(page.locator("#say")).toHaveText("X: Centre. X to move. You are watching.".replace(/X to.*/, "O to move. Waiting for 0x7099…79C8."));
  await expect(square(page, 4)).toHaveAccessibleName("Centre, X, last move");
  await expect(square(page, 4)).toHaveAttribute("aria-disabled", "true");
  await anvil.move(table, o, 0);
  await expect(page.locator("#say")).toHaveText("O: Top left. Your turn. You are X. Choose a square.");
  await expect(page).toHaveTitle("Your turn · Tic-tac-toe");
  wallet.declines = true;
  await square(page, 8).click();
  await expect(page.locator("#alert")).toHaveText(en.failure.declined);
  wallet.declines = false;
  for (const [mover, cell] of [[x, 5], [o, 1], [x, 3]] as const) await anvil.move(table, mover, cell);
  await expect(page.locator("#say")).toContainText("You win. Three in a row.");
  await expect(square(page, 3)).toHaveAccessibleName("Middle left, X, last move, in the winning line");
  await expect(page.locator("#score-label")).toHaveText("All rounds between these two: X's player won 1, O's player won 0, drawn 0.");
});

test("the focus is visible, and a view begins at its heading", async ({ page, host }) => {
  await page.goto(host);
  await page.keyboard.press("Tab");
  const outline = await page.locator(":focus").evaluate((element) => getComputedStyle(element).outlineStyle);
  expect(outline).toBe("solid");
  await page.getByRole("button", { name: "Practise here, now" }).click();
  await expect(title(page)).toBeFocused();
  await page.locator("#brand").click();
  await expect(page.getByRole("heading", { level: 1, name: en.home.headline })).toBeFocused();
});

test("German: by the browser's wish, by choice, remembered, in every corner", async ({ browser, page, host, anvil, table, link }) => {
  const context = await browser.newContext({ locale: "de-AT", viewport: { width: 320, height: 800 } });
  const german = await context.newPage();
  await sit(german, anvil, anvil.account(0));
  await anvil.newGame(table, anvil.account(0), anvil.account(1));
  await german.goto(link);
  await expect(title(german)).toHaveText(de.status.yourTurn);
  await expect(german.locator("html")).toHaveAttribute("lang", "de");
  await expect(square(german, 4)).toHaveAccessibleName("Mitte, leer");
  for (const url of [link, host]) {
    await german.goto(url);
    await expect(german.locator("h1:visible")).toBeVisible();
    expect(await german.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  }
  await context.close();

  await page.goto(host);
  await page.getByLabel("Language").selectOption("Deutsch");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(de.home.headline);
  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(de.home.headline);
  await page.getByLabel("Sprache").selectOption("English");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(en.home.headline);
});

test("a translation has the same sentences with the same blanks, and none is left in English", () => {
  const flat = (tree: object, path = ""): [string, string][] =>
    Object.entries(tree).flatMap(([key, value]: [string, unknown]) =>
      typeof value === "string" ? [[`${path}${key}`, value]] : flat(value as object, `${path}${key}.`),
    );
  const blanks = (sentence: string): string[] => (sentence.match(/\{\w+\}/g) ?? []).toSorted();
  const german = new Map(flat(de));
  const english = flat(en);
  expect([...german.keys()]).toEqual(english.map(([key]) => key));
  for (const [key, sentence] of english) expect([key, blanks(german.get(key) ?? "")]).toEqual([key, blanks(sentence)]);
  const same = english.filter(([key, sentence]) => german.get(key) === sentence).map(([key]) => key);
  // Only what holds nothing but blanks or the same word in both.
  expect(same).toEqual(["board.mark", "game.block", "say.move", "say.turn"]);
});

test("from right to left nothing overflows, and the board keeps its sides", async ({ page, anvil, table, link }) => {
  await page.setViewportSize({ width: 320, height: 800 });
  await sit(page, anvil, anvil.account(0));
  await anvil.newGame(table, anvil.account(0), anvil.account(1));
  await page.goto(link);
  await expect(title(page)).toHaveText("Your turn");
  await page.evaluate(() => (document.documentElement.dir = "rtl"));
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  const [left, right] = [await square(page, 0).boundingBox(), await square(page, 2).boundingBox()];
  expect(left?.x).toBeLessThan(right?.x ?? 0);
  const heading = await page.locator("#players-title").boundingBox();
  expect(heading?.x).toBeGreaterThan(160);
});

test("who asked for less motion gets none; who did not sees the marks drawn", async ({ page, browser, anvil, table, link }) => {
  await anvil.play(table, anvil.account(0), anvil.account(1), [4]);
  await allow(page, anvil);
  await page.goto(link);
  await expectBoard(page, "....x....");
  const animation = (at: Page) => square(at, 4).locator("path").first().evaluate((path) => getComputedStyle(path).animationName);
  expect(await animation(page)).toBe("none");
  const lively = await otherPage(browser);
  await lively.emulateMedia({ reducedMotion: "no-preference" });
  await allow(lively, anvil);
  await lively.goto(link);
  await expectBoard(lively, "....x....");
  expect(await animation(lively)).toBe("draw");
  await lively.context().close();
});
