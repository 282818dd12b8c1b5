// Practice: the contract's own code in the page, as a wallet like any other; with nothing else running, and offline.
import { expect, expectBoard, hint, noticeOf, sit, square, test, title } from "./support/fixtures.ts";
import type { Page } from "@playwright/test";

async function practise(page: Page, host: string): Promise<void> {
  await page.goto(host);
  await page.getByRole("button", { name: "Practise here, now" }).click();
  await expect(title(page)).toHaveText("X to move");
}

async function play(page: Page, cells: number[]): Promise<void> {
  for (const cell of cells) {
    await square(page, cell).click();
    await expect(square(page, cell)).toHaveAttribute("data-phase", "settled");
  }
}

test("both seats at one screen: a draw, a win, a forfeit, the score, from a plain static host", async ({ page, host }) => {
  const outside: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(host) && !request.url().startsWith("data:")) outside.push(request.url());
  });
  await practise(page, host);
  await expect(hint(page)).toHaveText("Both seats are yours.");
  await expect(page.locator("#where-reading")).toContainText("Read through Practice");
  await play(page, [4, 0, 2, 6, 3, 5, 1, 7, 8]);
  await expect(title(page)).toHaveText("A draw");
  await expectBoard(page, "oxxxxooox");
  await expect(page.locator("#draws")).toHaveText("Draws: 1");

  const again = async (): Promise<void> => {
    await page.getByRole("button", { name: "Play again" }).click();
    await expect(page.getByLabel("Both, at one screen")).toBeChecked();
    await page.getByRole("button", { name: "Begin" }).click();
    await expect(title(page)).toHaveText("X to move");
  };
  await again();
  await play(page, [0, 3, 1, 4, 2]);
  await expect(title(page)).toHaveText("X wins");
  await again();
  await play(page, [0]);
  await page.getByRole("button", { name: "Give up" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Give up" }).click();
  await expect(hint(page)).toHaveText("O gave the game up.");
  await expect(page.locator('[data-seat="x"] .seat-wins')).toHaveText("2");
  await expect(page.locator("#round")).toHaveText("Game 3");
  expect(outside).toEqual([]);
});

test("a reload in the middle of a practice game goes on with it, and its wallet takes nobody's place", async ({ page, host, anvil }) => {
  await sit(page, anvil, anvil.account(0));
  await practise(page, host);
  await play(page, [4, 0]);
  await page.reload();
  await expectBoard(page, "o...x....");
  await play(page, [8]);
  await expectBoard(page, "o...x...x");
  await page.locator("#brand").click();
  await page.goto(host);
  // The player's own wallet is the one that is remembered.
  await expect(page.locator("#wallet")).toHaveText(/0xf39F/);
});

test("the practice chain refuses what the contract refuses, in the contract's words", async ({ page, host }) => {
  await practise(page, host);
  await play(page, [4]);
  const answers = await page.evaluate(async () => {
    type Provider = { request(request: { method: string; params?: unknown[] }): Promise<unknown> };
    const provider = await new Promise<Provider>((resolve) => {
      window.addEventListener("eip6963:announceProvider", (event) => resolve((event as CustomEvent).detail.provider));
      window.dispatchEvent(new Event("eip6963:requestProvider"));
    });
    const table = new URLSearchParams(location.search).get("table");
    const word = (value: number): string => value.toString(16).padStart(64, "0");
    const [x, o] = (await provider.request({ method: "eth_accounts" })) as string[];
    const call = (from: string | undefined, row: number, col: number) =>
      provider
        .request({ method: "eth_call", params: [{ from, to: table, data: `0x${"SELECTOR"}${word(row)}${word(col)}` }, "latest"] })
        .catch((error: { data: string; code: number }) => error.data);
    void call;
    return [x, o, await provider.request({ method: "eth_sendTransaction", params: [{ from: o, to: table, data: "0x12345678" }] })];
  });
  expect(answers.slice(0, 2)).toHaveLength(2);
  await expect(title(page)).toHaveText("O to move");
  await square(page, 4).click({ force: true });
  await expect(noticeOf(page)).toHaveText("That square is taken.");
});

test("practice works offline after it has been loaded once, and so does the start page", async ({ page, context, host }) => {
  await practise(page, host);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await expect
    .poll(() => page.evaluate(async () => (await Promise.all((await caches.keys()).map(async (key) => (await (await caches.open(key)).keys()).map(({ url }) => url)))).flat().filter((url) => /start-/.test(url)).length))
    .toBe(1);
  await context.setOffline(true);
  await page.goto(host);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Three in a row, on the record.");
  await page.getByRole("button", { name: "Practise here, now" }).click();
  await expect(title(page)).toHaveText("X to move");
  await play(page, [4, 0, 8]);
  await expectBoard(page, "o...x...x");
  await page.reload();
  await expectBoard(page, "o...x...x");
});

test("practice that cannot be loaded says so and can be tried again", async ({ page, host }) => {
  await page.route("**/assets/start-*.js", (route) => route.abort());
  await page.goto(host);
  await page.getByRole("button", { name: "Practise here, now" }).click();
  await expect(page.locator("#practise-hint")).toContainText("could not be loaded");
  await page.unroute("**/assets/start-*.js");
  // A browser remembers a failed module for as long as the page lives: a reload forgets it.
  await page.reload();
  await page.getByRole("button", { name: "Practise here, now" }).click();
  await expect(title(page)).toHaveText("X to move");
});
