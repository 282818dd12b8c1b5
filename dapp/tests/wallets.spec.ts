// Wallets in a real browser: the dialog, and a wallet that learns a chain. The rest is tested in Vitest.
import { CHAINS } from "../src/generated/chains.ts";
import { text } from "../src/text.ts";
import {
  readFrom,
  Anvil,
  expect,
  expectBoard,
  linkTo,
  noticeOf,
  sit,
  cellAt,
  test,
  TestWallet,
  title,
  walletsIn,
  source,
} from "./support/fixtures.ts";
import type { Page } from "@playwright/test";

const walletButton = (page: Page) => page.locator(".account");
const short = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

test("without a wallet the page explains how to get one, and watching works", async ({ page, anvil, table, link }) => {
  await anvil.play(table, anvil.account(0), anvil.account(1), [4]);
  await page.goto(link);
  await expectBoard(page, "....x....");
  await expect(walletButton(page)).toHaveText(text.header.noWallet);
  await expect(noticeOf(page)).toHaveText(text.game.connectToPlay);
  await walletButton(page).click();
  await expect(page.getByRole("dialog")).toContainText("This browser has no wallet.");
  await page.keyboard.press("Escape");
  await expect(walletButton(page)).toBeFocused();
});

test("a wallet that is announced late appears in the open dialog, and the connected one stays marked", async ({
  page,
  anvil,
  host,
}) => {
  await sit(page, anvil, anvil.account(0), { name: "First", rdns: "test.first" });
  const second = await TestWallet.install(page, anvil, { name: "Second", late: true, accounts: [anvil.account(1)] });
  await page.goto(host);
  await expect(walletButton(page)).toHaveText(short(anvil.account(0)));
  await walletButton(page).click();
  await second.announce();
  await expect(walletsIn(page)).toHaveText([`FirstConnected · ${short(anvil.account(0))}`, "Second"]);
  // The player's own address, whole, to give to somebody.
  await expect(page.getByRole("dialog").locator(".full-address")).toContainText(anvil.account(0));
  // The name of a wallet is beside the middle of its icon, unless there is a second line under it.
  const middle = async (selector: string): Promise<number> => {
    const box = await walletsIn(page).nth(1).locator(selector).boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0) / 2;
  };
  expect(Math.abs((await middle("bdi")) - (await middle("img")))).toBeLessThan(1.5);
  await page.getByRole("button", { name: "Second" }).click();
  await expect(walletButton(page)).toHaveText(short(anvil.account(1)));
});

test("a player who declines to connect can try again", async ({ page, anvil, host }) => {
  const wallet = await TestWallet.install(page, anvil, { name: "Shy" });
  wallet.declines = true;
  await page.goto(host);
  await walletButton(page).click();
  await page.getByRole("button", { name: "Shy" }).click();
  await expect(page.getByRole("dialog").getByRole("alert")).toHaveText(text.wallet.declined);
  wallet.declines = false;
  await page.getByRole("button", { name: "Shy" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(walletButton(page)).toHaveText(short(anvil.account(0)));
});

test("a player who wants a game and has no wallet connected gets the form after connecting", async ({
  page,
  anvil,
  link,
}) => {
  await TestWallet.install(page, anvil, { name: "Later" });
  await page.goto(link);
  await expect(title(page)).toHaveText("A free table");
  await cellAt(page, 4).click({ force: true });
  await page.getByRole("button", { name: "Later" }).click();
  await expect(page.getByLabel("Your opponent's address")).toBeVisible();
});

test("a chain that the wallet does not know is added to it with its public endpoints", async ({ page, host }) => {
  const strange = await Anvil.start(100);
  const table = await strange.deploy();
  await strange.newGame(table, strange.account(0), strange.account(1));
  const wallet = await sit(page, strange, strange.account(0));
  wallet.chainId = 1;
  wallet.chains = new Map();
  await readFrom(page, strange);
  await page.goto(linkTo(host, strange, table));
  await expect(title(page)).toHaveText("Your turn");
  await cellAt(page, 4).click();
  // The wallet refuses to add it.
  await expect(noticeOf(page)).toContainText("The wallet refused: cannot add");
  wallet.addable.set(strange.chainId, strange);
  await cellAt(page, 4).click();
  await expectBoard(page, "....x....");
  const added = wallet.asked.findLast(({ method }) => method === "wallet_addEthereumChain")?.params[0];
  expect(added).toMatchObject({
    chainName: "Gnosis",
    rpcUrls: CHAINS.find(({ id }) => id === strange.chainId)?.endpoints,
  });
  await strange.down();
});

test("a dialog that is cancelled while the wallet switches starts no game", async ({ page, anvil, table, link }) => {
  const wallet = await sit(page, anvil, anvil.account(0));
  wallet.chainId = 1;
  let agree = (): void => undefined;
  const agreed = new Promise<void>((resolve) => (agree = resolve));
  wallet.overrides["wallet_switchEthereumChain"] = async () => {
    await agreed;
    await wallet.wander(anvil.chainId);
    return null;
  };
  await page.goto(link);
  await page.getByRole("button", { name: "New game" }).click();
  await page.getByLabel("Your opponent's address").fill(anvil.account(1));
  await page.getByRole("button", { name: "Begin" }).click();
  await expect.poll(() => wallet.count("wallet_switchEthereumChain")).toBe(1);
  await page.getByRole("button", { name: "Cancel" }).click();
  agree();
  await expect(source(page)).toContainText("Read through Test wallet");
  // The page has seen the table through the wallet by then, and looks on.
  const looks = wallet.count("eth_getBlockByNumber");
  await expect.poll(() => wallet.count("eth_getBlockByNumber")).toBeGreaterThan(looks + 2);
  expect(wallet.count("eth_sendTransaction")).toBe(0);
  expect((await anvil.game(table)).gameId).toBe(0n);
});

test("a dialog about one table closes when the browser opens another", async ({ page, anvil, host, link }) => {
  await sit(page, anvil, anvil.account(0));
  await page.goto(host);
  await page.goto(link);
  await page.evaluate(() => history.pushState(null, "", location.href.replace("chain=31337", "chain=1")));
  await page.evaluate(() => window.dispatchEvent(new PopStateEvent("popstate")));
  await page.goBack();
  await expect(title(page)).toHaveText("A free table");
  await page.getByRole("button", { name: "New game" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.goForward();
  await expect(page.getByRole("dialog")).toBeHidden();
});
