// Practice: the contract's own code runs in the page, behind the interface of a wallet.
import { text } from "../src/text.ts";
import {
  expect,
  expectBoard,
  hint,
  sit,
  cellAt,
  test,
  title,
  walletButton,
  gameNumber,
  draws,
  walletsIn,
  source,
  brand,
  score,
  practise,
} from "./support/fixtures.ts";
import type { Page } from "@playwright/test";

async function play(page: Page, cells: number[]): Promise<void> {
  for (const cell of cells) {
    await cellAt(page, cell).click();
    await expect(cellAt(page, cell)).toHaveAttribute("data-phase", "settled");
  }
}

test("a practice session from a static host: a draw, a win, a forfeit and the score", async ({ page, host }) => {
  const outside: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(host) && !request.url().startsWith("data:")) outside.push(request.url());
  });
  await practise(page, host);
  await expect(hint(page)).toHaveText("You play both sides.");
  await expect(source(page)).toContainText("Read through Practice");
  await expect(page.getByRole("button", { name: "Copy the link" })).toBeHidden();
  await play(page, [4, 0, 2, 6, 3, 5, 1, 7, 8]);
  await expect(title(page)).toHaveText("A draw");
  await expectBoard(page, "oxxxxooox");
  await expect(draws(page)).toHaveText("Draws: 1");

  const again = async (button: string): Promise<void> => {
    // There is nobody else on this chain, so the page asks for no address.
    await page.getByRole("button", { name: button }).click();
    await expect(title(page)).toHaveText("X to move");
  };
  await again("Play again");
  await play(page, [0, 3, 1, 4, 2]);
  await expect(title(page)).toHaveText("X wins");
  await again("New game");
  await play(page, [0]);
  await page.getByRole("button", { name: "Give up" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Give up" }).click();
  await expect(hint(page)).toHaveText("O gave up.");
  // The marks swap with every game.
  await expect(score(page)).toHaveText(["1", "1"]);
  await expect(gameNumber(page)).toHaveText("Game 3");
  expect(outside).toEqual([]);
});

test("a practice game survives a reload, and the player's own wallet is back after it", async ({
  page,
  host,
  anvil,
}) => {
  await sit(page, anvil, anvil.account(0));
  await practise(page, host);
  await play(page, [4, 0]);
  await page.reload();
  await expectBoard(page, "o...x....");
  await brand(page).click();
  await expect(walletButton(page)).toHaveText(/0xf39F/);
  await walletButton(page).click();
  await page.getByRole("button", { name: "Practice" }).click();
  await expectBoard(page, "o...x....");
  await play(page, [8]);
  // Also after its own "Disconnect".
  await walletButton(page).click();
  await page.getByRole("button", { name: "Disconnect" }).click();
  await brand(page).click();
  await expect(walletButton(page)).toHaveText(/0xf39F/);
  await page.reload();
  await expect(walletButton(page)).toHaveText(/0xf39F/);
});

test("after practice, a player without a wallet still reads how to get one", async ({ page, host, link }) => {
  await practise(page, host);
  await page.evaluate((search) => {
    history.pushState(null, "", search);
    window.dispatchEvent(new PopStateEvent("popstate"));
  }, new URL(link).search);
  await expect(title(page)).toHaveText("A free table");
  await expect(walletButton(page)).toHaveText(text.header.noWallet);
  await walletButton(page).click();
  await expect(page.getByRole("dialog")).toContainText(text.wallet.none);
  await expect(walletsIn(page)).toHaveCount(0);
});

test("practice works over plain HTTP, without crypto.randomUUID", async ({ page, host }) => {
  await practise(page, host.replace("127.0.0.1", "plain.test"));
  expect(await page.evaluate(() => isSecureContext)).toBe(false);
  await play(page, [4, 0, 8]);
  await page.reload();
  await expectBoard(page, "o...x...x");
});

test("practice that does not load can be tried again", async ({ page, host }) => {
  await page.route("**/assets/start-*.js", (route) => route.abort());
  await page.goto(host);
  await cellAt(page, 4).click();
  await expect(page.locator(".home").getByRole("status").first()).toContainText("did not load");
  await page.unroute("**/assets/start-*.js");
  await cellAt(page, 0).click();
  await expectBoard(page, "x........");
});
