// Links and addresses: opened, typed, listed, copied, shared; and the browser's Back.
import { ANNA, BEN, expect, fill, short, test, text } from "./support/page.ts";

test("a table opens by its address or link, and is listed", async ({ tab, page, home, table }) => {
  await tab.sit(ANNA);
  await table.play(ANNA, BEN, [4]);
  await tab.goto(home);
  const chain = page.getByLabel(text.home.openChain);
  const address = page.getByLabel(text.home.address);
  await page.getByText(text.home.openTitle).click();
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
  await page.getByText(text.home.openTitle).click();
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

test("links and addresses are copied and shared, or the page says how", async ({ tab, page, another, table }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = async (name: string): Promise<string> => {
    await tab.button(name).click();
    await expect(tab.button(text.game.copied).first()).toBeVisible();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  await tab.sit(ANNA);
  await tab.goto(table.link);
  await expect(tab.title).toHaveText(text.status.host);
  expect(await copied(text.game.share)).toBe(await tab.invitation.inputValue());
  await table.newGame(ANNA, BEN);
  await expect(tab.title).toHaveText(text.status.yourTurn);
  expect(await copied(text.game.share)).toBe(table.link);
  await tab.button(new RegExp(short(BEN))).click();
  await expect(page.getByText(BEN, { exact: true })).toBeVisible();
  expect(await copied(text.address.copy)).toBe(BEN);

  // A device with a share sheet gets the link there.
  const device = await another();
  await device.page.addInitScript(() => {
    Object.assign(navigator, { share: async (data: object) => Object.assign(window, { data }) });
  });
  await device.goto(table.link);
  await device.button(text.invite.send).click();
  const data = await device.page.evaluate(() => (window as unknown as { data: object }).data);
  expect(data).toEqual({ title: text.title, text: text.invite.message, url: table.link });

  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await tab.button(text.game.share).click();
  await expect(page.getByText(text.game.notCopied)).toBeVisible();
});
