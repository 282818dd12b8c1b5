// Wallets and links in a real page: wallets found, chosen, changed and switched, and the way to one on a phone; links and addresses
// opened, typed, listed, copied and shared. The rest is in Vitest.
import { walletApps } from "../src/walletapps.ts";
import { ALICE, BEN, CARLA, DECLINES, expect, fill, GAME, short, TABLE, test, text } from "./support/page.ts";

test("wallets come late, are declined, chosen, exchanged, switched and left", async ({ tab, page, node, link }) => {
  await tab.goto(link);
  await expect(tab.notice).toHaveText(text.game.connectToPlay);
  await expect(tab.account).toHaveText(text.header.noWallet);
  await tab.account.click();
  await expect(tab.dialog.getByRole("listitem")).toHaveText([
    new RegExp(text.wallet.install),
    fill(text.wallet.coins, { chain: text.chain.local }),
    text.wallet.back,
  ]);
  // Links into apps are for phones.
  await expect(tab.dialog.getByRole("link", { name: "MetaMask" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(tab.account).toBeFocused();
  // Only then the page has noticed that it is closed.
  await expect(page.locator("dialog")).toHaveCount(0);

  // A press on the board asks for a wallet.
  await tab.clickAnyway(4);
  const first = Object.assign(await tab.install(ALICE, { name: "First" }), { overrides: DECLINES });
  await tab.button("First").click();
  await expect(tab.problem).toHaveText(text.failure.declined);
  first.overrides = {};
  await tab.button("First").click();
  await expect(tab.title).toHaveText(text.status.host);

  node.mine(GAME);
  await expect(tab.title).toHaveText(text.status.yourTurn);
  await tab.account.click();
  const second = await tab.install(BEN, { name: "Second" });
  await expect(tab.wallets).toHaveText([`First${text.wallet.connected} · ${short(ALICE)}`, "Second"]);
  await expect(tab.dialog).toContainText(ALICE);
  await tab.button("Second").click();
  await expect(tab.account).toHaveText(short(BEN));
  await expect(tab.hint).toHaveText(fill(text.status.theirTurnHint, { mark: "O" }));
  second.answer("wallet_switchEthereumChain", [{ chainId: "0x1" }]);
  await expect(tab.notice).toHaveText(fill(text.game.switchHint, { chain: "Ethereum" }));
  await tab.button(fill(text.game.switchChain, { chain: text.chain.local })).click();
  await expect(tab.notice).toHaveCount(0);
  expect(second.chainId).toBe(node.chainId);
  second.emit("accountsChanged", [CARLA]);
  await expect(tab.hint).toHaveText(text.status.watchingAs);
  await tab.account.click();
  await tab.button(text.wallet.disconnect).click();
  await expect(tab.account).toHaveText(text.header.connect);
});

test("on a phone one tap opens the invitation in a wallet, and one plays", async ({ another, node, link }) => {
  const phone = { viewport: { width: 390, height: 664 }, isMobile: true, hasTouch: true };
  const tab = await another(phone);
  const { page } = tab;
  await tab.goto(`${link}&with=${ALICE}`);
  await expect(tab.title).toHaveText(text.status.invited);
  for (const { name, open } of walletApps)
    await expect(page.getByRole("link", { name })).toHaveAttribute("href", open(page.url()));
  await expect(tab.button(text.invite.play)).toHaveCount(0);
  const deep = (await page.getByRole("link", { name: "MetaMask" }).getAttribute("href")) ?? "";

  // The wallet opens what follows `dapp/`, over HTTPS; the test's host has HTTP only. Such wallets set window.ethereum.
  const inside = await another(phone);
  await inside.install(BEN, { lone: true });
  await inside.goto(deep.replace("https://link.metamask.io/dapp/", "http://"));
  await inside.button(text.invite.play).tap();
  await expect(inside.title).toHaveText(text.status.yourTurn);
  await inside.cell(4).tap();
  await inside.expectBoard("....x....");
  expect(node.game).toMatchObject({ x: BEN, o: ALICE, moves: [4] });
});

test("a table opens by its address or link, and is listed", async ({ tab, page, home, node, link }) => {
  await tab.sit(ALICE);
  node.mine({ ...GAME, moves: [4] });
  await tab.goto(home);
  const address = page.getByLabel(text.home.address);
  await page.getByText(text.home.openTitle).click();
  await page.getByLabel(text.home.chain, { exact: true }).selectOption(text.chain.local);
  await tab.button(text.home.open).click();
  await expect(tab.problem).toHaveText(text.home.badAddress);
  await expect(address).toBeFocused();
  await address.fill(`  ${TABLE.toLowerCase()} `);
  await page.keyboard.press("Enter");
  await tab.expectBoard("....x....");
  expect(page.url()).toBe(link);

  await page.goBack();
  const mine = page.getByRole("listitem").filter({ hasText: text.home.recentTurn.theirs });
  const entry = fill(text.home.recentEntry, { opponent: short(BEN), chain: text.chain.local });
  await mine.getByRole("link", { name: entry }).click();
  await tab.expectBoard("....x....");

  await tab.button(text.game.newGame).click();
  await expect(tab.dialog).toBeVisible();
  await page.goBack();
  await expect(tab.title).toHaveText(text.home.headline);
  await expect(tab.dialog).toBeHidden();
});

test("links and addresses are copied and shared, or the page says how", async ({ tab, page, another, node, link }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = async (name: string): Promise<string> => {
    await tab.button(name).click();
    await expect(tab.button(text.game.copied).first()).toBeVisible();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  await tab.sit(ALICE);
  await tab.goto(link);
  expect(await copied(text.game.share)).toBe(await tab.invitation.inputValue());
  node.mine(GAME);
  await expect(tab.title).toHaveText(text.status.yourTurn);
  expect(await copied(text.game.share)).toBe(link);
  await tab.button(new RegExp(short(BEN))).click();
  expect(await copied(text.address.copy)).toBe(BEN);

  // A device with a share sheet gets the link there.
  const device = await another();
  await device.page.addInitScript(() => {
    Object.assign(navigator, { share: async (data: object) => Object.assign(window, { data }) });
  });
  await device.goto(link);
  await device.button(text.invite.send).click();
  const data = await device.page.evaluate(() => (window as unknown as { data: object }).data);
  expect(data).toEqual({ title: text.title, text: text.invite.message, url: link });

  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await tab.button(text.game.share).click();
  await expect(page.getByText(text.game.notCopied)).toBeVisible();
});
