// An invitation: one player sends a link, the other opens it and presses one button. Nobody types an address.
import type { Page } from "@playwright/test";
import { en } from "../src/text/en.ts";
import { allow, cellAt, expect, otherPage, sit, test, TestWallet, title } from "./support/fixtures.ts";

/** The link that the page invites with, read from the card as a person reads it. */
const invitation = (page: Page): Promise<string> => page.getByLabel(en.invite.link).inputValue();

test("the guest opens the link, connects, presses one button, and the game begins", async ({ page, browser, anvil, table, link }) => {
  const [host, guest] = [anvil.account(0), anvil.account(1)];
  await sit(page, anvil, host);
  await page.goto(link);
  await expect(page.getByRole("heading", { name: en.invite.title })).toBeVisible();
  const sent = await invitation(page);
  expect(new URL(sent).searchParams.get("with")).toBe(host);
  await expect(page.getByRole("img", { name: en.invite.code })).toBeVisible();

  const other = await otherPage(browser);
  await allow(other, anvil);
  const wallet = await TestWallet.install(other, anvil, { accounts: [guest] });
  await other.goto(sent);
  await expect(title(other)).toHaveText(en.status.invited);
  await other.getByRole("button", { name: en.invite.play, exact: true }).click();
  // The wish to play outlives the choice of a wallet.
  await other.getByRole("button", { name: "Test wallet" }).click();
  await expect(title(other)).toHaveText(en.status.yourTurn);
  expect(wallet.count("eth_sendTransaction")).toBe(1);
  expect(await anvil.game(table)).toMatchObject({ gameId: 1n, playerX: guest, playerO: host });
  await cellAt(other, 4).click();
  await expect(title(page)).toHaveText(en.status.yourTurn);
  await expect(page).toHaveTitle(/^● Your turn/);
  await other.context().close();
});
