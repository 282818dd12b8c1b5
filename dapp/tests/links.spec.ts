// Links and addresses: opened, typed, listed, copied, shared; and the browser's Back.
import { ANNA, BEN, expect, fill, short, test, text } from "./support/page.ts";

test("a table opens by its address or link, is listed, and Back closes its dialog", async ({
  tab,
  page,
  home,
  node,
  table,
}) => {
  await tab.sit(node, ANNA);
  await table.play(ANNA, BEN, [4]);
  await tab.goto(home);
  const chain = page.getByLabel(text.home.chain, { exact: true });
  const address = page.getByLabel(text.home.address);
  await chain.selectOption(text.home.otherChain);
  await page.getByLabel(text.home.chainNumber).fill("one");
  await tab.button(text.home.open).click();
  await expect(tab.problem).toHaveText(text.home.badChain);
  await chain.selectOption(text.chain.local);
  await tab.button(text.home.open).click();
  await expect(tab.problem).toHaveText(text.home.badAddress);
  await expect(address).toBeFocused();
  await address.fill(`  ${table.address.toLowerCase()} `);
  await page.keyboard.press("Enter");
  await tab.expectBoard("....x....");
  expect(page.url()).toBe(table.link);

  await page.goBack();
  const mine = page.getByRole("listitem").filter({ hasText: text.home.recentTurn.theirs });
  const entry = fill(text.home.recentEntry, { opponent: short(BEN), chain: text.chain.local });
  await mine.getByRole("link", { name: entry }).click();
  await tab.expectBoard("....x....");
  // The form takes a link as well, whichever chain is chosen.
  await page.goBack();
  await expect(chain).toHaveValue("31337");
  await chain.selectOption("Ethereum");
  await address.fill(table.link);
  await page.keyboard.press("Enter");
  await tab.expectBoard("....x....");

  await tab.button(text.game.newGame).click();
  await expect(tab.dialog).toBeVisible();
  await page.goBack();
  await expect(tab.title).toHaveText(text.home.headline);
  await expect(tab.dialog).toBeHidden();
});

test("a link and an address are copied and shared; without a clipboard the page says so", async ({
  tab,
  page,
  node,
  table,
}) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  await tab.sit(node, ANNA);
  await tab.goto(table.link);
  // A device with a share sheet gets the invitation there.
  await expect(tab.button(text.game.share)).toBeVisible();
  await page.evaluate(() =>
    Object.assign(navigator, { share: async (data: object) => Object.assign(window, { data }) }),
  );
  await tab.button(text.invite.title).click();
  const invitation = { title: text.title, text: text.invite.message, url: await tab.invitation.inputValue() };
  expect(await page.evaluate(() => (window as unknown as { data: object }).data)).toEqual(invitation);
  await tab.button(text.game.share).click();
  await expect(tab.notice).toHaveText(text.game.copied);
  expect(await copied()).toBe(invitation.url);

  await table.newGame(ANNA, BEN);
  await expect(tab.cell(0)).not.toHaveAttribute("aria-disabled");
  await tab.button(new RegExp(short(BEN))).click();
  const card = page.locator(":popover-open");
  await expect(card).toContainText(BEN);
  await card.getByRole("button", { name: text.address.copy }).click();
  await expect(card).toContainText(text.address.copied);
  expect(await copied()).toBe(BEN);
  await page.keyboard.press("Escape");
  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await tab.button(text.game.share).click();
  await expect(tab.notice).toHaveText(text.game.notCopied);
});
