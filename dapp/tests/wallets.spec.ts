// Wallets and links in a real page: wallets found, chosen, changed and switched, and the way to one on a phone; tables listed, links
// and addresses copied and shared. The rest is in Vitest.
import { ALICE, BEN, CARLA, DECLINES, expect, fill, GAME, HOME, LINK, short, test, text } from "./support/page.ts";

const { status } = text;

test("wallets come late, are declined, chosen, exchanged, switched and left", async ({ tab, node }) => {
  await tab.open(`${LINK}&with=${BEN}`, status.invited);
  await tab.button(text.invite.play).click();
  await expect(tab.dialog).toContainText(fill(text.wallet.coins, { chain: text.chain.local }));
  const first = Object.assign(await tab.install(ALICE, { name: "First" }), { overrides: DECLINES });
  await tab.button("First").click();
  await expect(tab.problem).toHaveText(text.failure.declined);
  first.overrides = {};
  await tab.button("First").click();
  await expect(tab.title).toHaveText(status.yourTurn);

  await tab.account.click();
  const second = await tab.install(BEN, { name: "Second" });
  await expect(tab.wallets).toHaveText([`First${text.wallet.connected} · ${short(ALICE)}`, "Second"]);
  await expect(tab.dialog).toContainText(ALICE);
  await tab.button("Second").click();
  await expect(tab.account).toHaveText(short(BEN));
  await expect(tab.hint).toHaveText(fill(status.theirTurnHint, { mark: "O" }));
  await expect(tab.said).toContainText(fill(status.theirTurnHint, { mark: "O" }));
  second.answer("wallet_switchEthereumChain", [{ chainId: "0x1" }]);
  await expect(tab.notice).toHaveText(fill(text.game.switchHint, { chain: "Ethereum" }));
  await tab.button(fill(text.game.switchChain, { chain: text.chain.local })).click();
  await expect(tab.notice).toHaveCount(0);
  expect(second.chainId).toBe(node.chainId);
  second.emit("accountsChanged", [CARLA]);
  await expect(tab.hint).toContainText(status.watchingAs);
  await tab.account.click();
  await tab.button(text.wallet.disconnect).click();
  await expect(tab.account).toHaveText(text.header.connect);
  // A press on the board asks for a wallet.
  await tab.clickAnyway(4);
  await expect(tab.wallets).toHaveText(["First", "Second"]);
});

test("in a wallet on a phone, one tap accepts the invitation, and one plays", async ({ another, node }) => {
  const phone = await another({ viewport: { width: 390, height: 664 }, isMobile: true, hasTouch: true });
  await phone.install(BEN);
  await phone.open(`${LINK}&with=${ALICE}`, status.invited);
  await phone.button(text.invite.play).tap();
  await expect(phone.title).toHaveText(status.yourTurn);
  await phone.cell(4).tap();
  await phone.expectBoard("....x....");
  expect(node.game).toMatchObject({ x: BEN, o: ALICE, moves: [4] });
});

test("a table is listed, and its link and players are copied and shared", async ({ tab, page, another, node }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = async (name: string): Promise<string> => {
    await tab.button(name).click();
    await expect(tab.button(text.game.copied).first()).toBeVisible();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  await tab.sit(ALICE);
  await tab.open(LINK, status.host);
  expect(await copied(text.game.share)).toBe(await tab.invitation.inputValue());
  node.mine(GAME);
  await expect(tab.title).toHaveText(status.yourTurn);
  expect(await copied(text.game.share)).toBe(LINK);
  await tab.button(new RegExp(short(BEN))).click();
  expect(await copied(text.address.copy)).toBe(BEN);

  // A device with a share sheet gets the link there.
  const device = await another();
  await device.page.addInitScript(() => {
    Object.assign(navigator, { share: async (data: object) => Object.assign(window, { data }) });
  });
  await device.page.goto(LINK);
  await device.button(text.invite.send).click();
  const data = await device.page.evaluate("data");
  expect(data).toEqual({ title: text.title, text: text.invite.message, url: LINK });

  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await tab.button(text.game.share).click();
  await expect(page.getByText(text.game.notCopied)).toBeVisible();

  // The start page lists the table, and Back closes a dialog.
  await page.getByRole("link", { name: text.title }).click();
  await expect(page).toHaveURL(HOME);
  const entry = fill(text.home.recentEntry, { opponent: short(BEN), chain: text.chain.local });
  await page.getByRole("link", { name: entry }).click();
  await expect(page).toHaveURL(LINK);
  await tab.button(text.game.newGame).click();
  await expect(tab.dialog).toBeVisible();
  await page.goBack();
  await expect(tab.title).toHaveText(text.home.headline);
  await expect(tab.dialog).toBeHidden();
  // All of it in place: what the test has changed in the page is still there.
  expect(await page.evaluate(() => navigator.clipboard)).toBeUndefined();
});
