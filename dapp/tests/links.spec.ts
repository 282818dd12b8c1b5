// Links and tables: what a link opens, why it may not, which endpoints it contacts, how to deploy a table,
// and what chats and home screens show of the page.
import { text } from "../src/text.ts";
import {
  expect,
  expectBoard,
  sit,
  test,
  TestWallet,
  title,
  deploying,
  problem,
  trouble,
  tables,
} from "./support/fixtures.ts";

const TABLE = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

test("an invalid link is explained, and contacts nobody", async ({ page, host }) => {
  const asked: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(host) && !request.url().startsWith("data:")) asked.push(request.url());
  });
  for (const [query, words] of [
    [`?chain=<img src=x onerror=alert(1)>&table=${TABLE}`, text.trouble.chain],
    ["?chain=1&table=javascript:alert(1)", text.trouble.table],
    // Tables once had names.
    ["?chain=1&table=anna-and-ben", text.trouble.table],
  ] as const) {
    await page.goto(host + query);
    await expect(trouble(page)).toContainText(text.trouble.linkTitle);
    await expect(trouble(page)).toContainText(words);
  }
  expect(asked).toEqual([]);
  await page.getByRole("button", { name: text.trouble.home }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(text.home.headline);
  expect(new URL(page.url()).search).toBe("");
});

test("an unknown chain needs a wallet on that chain", async ({ page, host, anvil, table }) => {
  const wallet = await TestWallet.install(page, anvil, { name: "Traveller" });
  wallet.chainId = 1;
  const unknown = 424_242;
  await page.goto(`${host}?chain=${unknown}&table=${table}`);
  await expect(trouble(page)).toContainText(text.trouble.unknownTitle);
  wallet.chainId = unknown;
  wallet.chains.set(unknown, anvil);
  wallet.overrides["eth_chainId"] = () => `0x${unknown.toString(16)}`;
  await page.getByRole("button", { name: "Connect a wallet" }).click();
  await page.getByRole("button", { name: "Traveller" }).click();
  await expect(title(page)).toHaveText("A free table");
});

test("a table opens by its address or its link, and is listed on the start page", async ({
  page,
  host,
  anvil,
  table,
  link,
}) => {
  await sit(page, anvil, anvil.account(0));
  await anvil.play(table, anvil.account(0), anvil.account(1), [4]);
  await page.goto(host);
  await expect(tables(page)).toHaveCount(0);
  await page.getByLabel("Network", { exact: true }).selectOption("Local chain");
  await page.getByRole("button", { name: "Open the table" }).click();
  await expect(problem(page)).toHaveText(text.home.badAddress);
  await expect(page.getByLabel(text.home.address)).toBeFocused();
  await page.getByLabel(text.home.address).fill(`  ${table.toLowerCase()} `);
  await page.keyboard.press("Enter");
  await expectBoard(page, "....x....");
  expect(new URL(page.url()).searchParams.get("table")).toBe(table);
  await page.goBack();
  await expect(page.locator(".tables")).toContainText("0x7099…79C8 on Local chain");
  await expect(page.locator(".tables")).toContainText(text.home.recentTurn.theirs);
  await tables(page).click();
  await expectBoard(page, "....x....");
  // The form takes the link as well, whichever chain is chosen.
  await page.goBack();
  await expect(page.getByLabel("Network", { exact: true })).toHaveValue("31337");
  await page.getByLabel("Network", { exact: true }).selectOption("Ethereum");
  await page.getByLabel(text.home.address).fill(link);
  await page.getByRole("button", { name: "Open the table" }).click();
  await expectBoard(page, "....x....");
  await page.goto(host);
  await page.getByLabel("Network", { exact: true }).selectOption("Another network…");
  await page.getByLabel("Chain ID").fill("one");
  await page.getByRole("button", { name: "Open the table" }).click();
  await expect(problem(page)).toHaveText(text.home.badChain);
});

test("a pending deployment survives a reload and another view, and can be given up", async ({
  page,
  host,
  anvil,
  table,
  link,
}) => {
  await sit(page, anvil, anvil.account(0));
  const button = page.getByRole("button", { name: "Set up a table on Local chain" });
  const hint = deploying(page);
  await page.goto(host);
  await anvil.automine(false);
  await button.click();
  await expect(hint).toContainText(text.home.deploySent);
  await page.reload();
  await expect(hint).toContainText(text.home.deploySent);
  await page.getByLabel(text.home.address).fill(link);
  await page.keyboard.press("Enter");
  await expect(title(page)).toHaveText("A free table");
  await anvil.mine();
  await page.goBack();
  await expect(title(page)).toHaveText("A free table");
  const opened = new URL(page.url()).searchParams;
  expect([opened.get("chain"), opened.get("table") === table]).toEqual(["31337", false]);

  // The offer to stop comes later, so that it is not under the pointer that has just pressed the button.
  await page.clock.install();
  await page.goto(host);
  await button.click();
  await expect(hint).toContainText(text.home.deploySent);
  await expect(page.getByRole("button", { name: "Stop waiting" })).toBeHidden();
  await page.clock.fastForward(30_000);
  await page.getByRole("button", { name: "Stop waiting" }).click();
  await anvil.mine();
  await page.reload();
  await expect(button).toBeEnabled();
  await expect(hint).not.toContainText(text.home.deploySent);
  expect(page.url()).toBe(host);
});

test("a player deploys a table, starts a game there, and the link opens it", async ({ page, host, anvil }) => {
  const wallet = await TestWallet.install(page, anvil, { name: "Builder", rdns: "test.builder" });
  await page.goto(host);
  await page.getByRole("button", { name: "Set up a table" }).click();
  await page.getByRole("button", { name: "Builder" }).click();
  wallet.declines = true;
  await page.getByRole("button", { name: "Set up a table on Local chain" }).click();
  await expect(deploying(page).getByRole("alert")).toHaveText(text.failure.declined);
  wallet.declines = false;
  await anvil.automine(false);
  await page.getByRole("button", { name: "Set up a table on Local chain" }).click();
  await expect(deploying(page).getByRole("status")).toHaveText(text.home.deploySent);
  await anvil.mine();
  await expect(title(page)).toHaveText("A free table");
  await anvil.automine(true);
  const params = new URL(page.url()).searchParams;
  expect(params.get("chain")).toBe("31337");
  await page.getByRole("button", { name: "New game" }).click();
  await page.getByLabel("Your opponent's address").fill(anvil.account(1));
  await page.getByRole("button", { name: "Begin" }).click();
  await expect(title(page)).toHaveText("Your turn");
  expect((await anvil.game(params.get("table") as `0x${string}`)).gameId).toBe(1n);
});

test("on a test network a link leads to free coins", async ({ page, host, anvil }) => {
  const wallet = await sit(page, anvil, anvil.account(0));
  await page.goto(host);
  await expect(page.getByRole("button", { name: "Set up a table on Local chain" })).toBeVisible();
  // A local node needs no faucet, and the coins of Polygon are not free.
  const faucets = page.getByRole("link", { name: /^Free coins/ });
  await expect(faucets).toHaveCount(0);
  await wallet.wander(11_155_111);
  await expect(faucets).toHaveText("Free coins for Sepolia");
  await expect(faucets).toHaveAttribute("href", /^https:\/\/ethereum\.org\//);
  await wallet.wander(137);
  await expect(faucets).toHaveCount(0);
});

test("the icon for home screens and the preview of a link exist, in their sizes", async ({ page, host, request }) => {
  await page.goto(host);
  const head = (name: string): Promise<string | null> =>
    page.locator(`meta[property="${name}"]`).getAttribute("content");
  const preview = ((await head("og:image")) ?? "").split("/").at(-1) ?? "";
  const sizes = `${await head("og:image:width")}x${await head("og:image:height")}`;
  const touch = (await page.locator('link[rel="apple-touch-icon"]').getAttribute("href")) ?? "";
  for (const [src, size] of [
    [preview, sizes],
    [touch, "180x180"],
  ] as const) {
    const picture = await (await request.get(host + src)).body();
    expect([src, `${picture.readUInt32BE(16)}x${picture.readUInt32BE(20)}`]).toEqual([src, size]);
  }
});
