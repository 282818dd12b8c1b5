// An invitation: one player sends a link, the other opens it and presses one button. No address is typed.
import type { Page } from "@playwright/test";
import { fill, text } from "../src/text.ts";
import { walletApps } from "../src/walletapps.ts";
import { type Address } from "./support/anvil.ts";
import {
  type Anvil,
  cellAt,
  expect,
  expectBoard,
  hint,
  noticeOf,
  otherPage,
  sit,
  test,
  TestWallet,
  title,
} from "./support/fixtures.ts";

const PHONE = { viewport: { width: 390, height: 664 }, isMobile: true, hasTouch: true };

/** The link that the page invites with, read from the card as a person reads it. */
const invitation = (page: Page): Promise<string> => page.getByLabel(text.invite.link, { exact: true }).inputValue();
const play = (page: Page) => page.getByRole("button", { name: text.invite.play, exact: true });

test("the guest opens the link, connects, presses one button, and the game begins", async ({
  page,
  browser,
  anvil,
  table,
  link,
}) => {
  const [host, guest] = [anvil.account(0), anvil.account(1)];
  await sit(page, anvil, host);
  await page.goto(link);
  await expect(page.getByRole("heading", { name: text.invite.title })).toBeVisible();
  const sent = await invitation(page);
  expect(new URL(sent).searchParams.get("with")).toBe(host);
  await expect(page.getByRole("img", { name: text.invite.code })).toBeVisible();

  const other = await otherPage(browser);
  const wallet = await TestWallet.install(other, anvil, { accounts: [guest] });
  await other.goto(sent);
  await expect(title(other)).toHaveText(text.status.invited);
  await play(other).click();
  // The wish to play outlives the choice of a wallet.
  await other.getByRole("button", { name: "Test wallet" }).click();
  await expect(title(other)).toHaveText(text.status.yourTurn);
  expect(wallet.count("eth_sendTransaction")).toBe(1);
  expect(await anvil.game(table)).toMatchObject({ gameId: 1n, playerX: guest, playerO: host });

  // The host's tab says when it is the host's turn, and only then.
  await expect(title(page)).toHaveText(fill(text.status.theirTurn, { mark: "X" }));
  await expect(page).not.toHaveTitle(/●/);
  await cellAt(other, 4).click();
  await expect(page).toHaveTitle(/^● Your turn/);
  await cellAt(page, 0).click();
  await expect(page).not.toHaveTitle(/●/);
  await other.context().close();
});

test("on a phone without a wallet, one tap opens the invitation in a wallet, and one button starts the game", async ({
  browser,
  anvil,
  table,
  link,
}) => {
  const [host, guest] = [anvil.account(0), anvil.account(1)];
  const sent = `${link}&with=${host}`;
  const phone = await otherPage(browser, PHONE);
  await phone.goto(sent);
  await expect(title(phone)).toHaveText(text.status.invited);
  for (const { name, open } of walletApps)
    await expect(phone.getByRole("link", { name })).toHaveAttribute("href", open(phone.url()));
  await expect(play(phone)).toHaveCount(0);
  const deep = (await phone.getByRole("link", { name: "MetaMask" }).getAttribute("href")) ?? "";
  await phone.context().close();

  // The wallet opens what follows `dapp/`, over HTTPS; the test's host has HTTP only.
  const inside = await otherPage(browser, PHONE);
  await TestWallet.install(inside, anvil, { accounts: [guest], lone: true });
  await inside.goto(deep.replace("https://link.metamask.io/dapp/", "http://"));
  await play(inside).tap();
  await expect(title(inside)).toHaveText(text.status.yourTurn);
  await cellAt(inside, 4).tap();
  await expectBoard(inside, "....x....");
  expect(await anvil.game(table)).toMatchObject({ playerX: guest, playerO: host, currentPlayer: 2 });
  await inside.context().close();
});

test("a computer without a wallet shows a code for the phone", async ({ page, anvil, link }) => {
  await page.goto(`${link}&with=${anvil.account(0)}`);
  await play(page).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText(text.wallet.none)).toBeVisible();
  await expect(dialog.getByRole("img", { name: text.wallet.code })).toBeVisible();
  await expect(dialog.getByRole("link", { name: "MetaMask" })).toHaveCount(0);
});

test("an invitation to a contract's address, or to a table in use, starts nothing", async ({
  page,
  anvil,
  table,
  link,
}) => {
  const wallet = await sit(page, anvil, anvil.account(1));
  await page.goto(`${link}&with=${table}`);
  await play(page).click();
  await expect(noticeOf(page)).toHaveText(text.reason["player is a contract"]);
  await anvil.newGame(table, anvil.account(0), anvil.account(2));
  await expect(hint(page)).toHaveText(text.status.watching);
  await expect(play(page)).toHaveCount(0);
  expect(wallet.count("eth_sendTransaction")).toBe(0);
});

/** One of the two people of the next test. */
interface Player {
  page: Page;
  wallet: TestWallet;
  account: Address;
}

/** Plays these cells, X first. */
async function playGame(
  players: readonly [Player, Player],
  cells: readonly number[],
  after: Record<number, () => Promise<void>> = {},
): Promise<void> {
  for (const [at, cell] of cells.entries()) {
    const { page } = players[at % 2 === 0 ? 0 : 1];
    await expect(title(page)).toHaveText(text.status.yourTurn);
    await cellAt(page, cell).click();
    await expect(cellAt(page, cell)).toHaveAttribute("data-phase", "settled");
    await after[at + 1]?.();
  }
}

async function person(page: Page, anvil: Anvil, account: Address): Promise<Player> {
  return { page, account, wallet: await sit(page, anvil, account) };
}

test("two people who know nothing but the link play three games, with a reload, a lost connection and a reorg", async ({
  page,
  browser,
  anvil,
  table,
  link,
}) => {
  test.slow();
  const host = await person(page, anvil, anvil.account(0));
  await page.goto(link);
  const sent = await invitation(page);
  const guest = await person(await otherPage(browser), anvil, anvil.account(1));
  await guest.page.goto(sent);
  await play(guest.page).click();
  const both = [host.page, guest.page];

  // The guest is X, reloads in the middle of the first game, and wins it.
  await playGame([guest, host], [0, 3, 1, 4, 2], {
    3: async () => {
      await guest.page.reload();
      await expectBoard(guest.page, "xx.o.....");
    },
  });
  await expect(title(guest.page)).toHaveText(text.status.youWin);
  await expect(title(host.page)).toHaveText(text.status.youLose);

  // Both press "Play again". One game starts, with the seats swapped; the host loses the connection in it and wins.
  await Promise.all(both.map((each) => each.getByRole("button", { name: text.game.rematch }).click()));
  await expect(title(host.page)).toHaveText(text.status.yourTurn);
  expect(await anvil.game(table)).toMatchObject({ gameId: 2n, playerX: host.account, playerO: guest.account });
  await playGame([host, guest], [0, 3, 1, 4, 2], {
    2: async () => {
      const down = (): never => {
        throw { code: -32603, message: "failed to fetch" };
      };
      host.wallet.overrides = { eth_getBlockByNumber: down, eth_chainId: down };
      await expect(noticeOf(host.page)).toHaveText(text.game.nodeLost);
      host.wallet.overrides = {};
      await expect(noticeOf(host.page)).toHaveCount(0);
    },
  });
  await expect(title(host.page)).toHaveText(text.status.youWin);

  // The chain takes two moves of the third game back. They are played again, and the game is drawn.
  await guest.page.getByRole("button", { name: text.game.rematch }).click();
  await expect(title(guest.page)).toHaveText(text.status.yourTurn);
  await playGame([guest, host], [0, 1]);
  const before = await anvil.rpc("evm_snapshot");
  await playGame([guest, host], [8, 4]);
  for (const each of both) await expectBoard(each, "xo..o...x");
  await anvil.rpc("evm_revert", before);
  for (const each of both) await expect(noticeOf(each)).toHaveText(fill(text.failure.reorg, { moves: "2 moves" }));
  await playGame([guest, host], [2, 4, 7, 3, 5, 8, 6]);
  for (const each of both) await expect(title(each)).toHaveText(text.status.draw);
  expect(await anvil.game(table)).toMatchObject({ gameId: 3n, playerX: guest.account, status: 4 });
  const sum = fill(text.game.scoreLabel, { x: 1, o: 1, draws: 1 });
  for (const each of both) await expect(each.getByText(sum)).toHaveCount(1);
  await guest.page.context().close();
});

test("an address has a card with the whole of it, to copy", async ({ page, context, anvil, table, link }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await sit(page, anvil, x);
  await anvil.newGame(table, x, o);
  await page.goto(link);
  await page.locator('.seat[data-mark="o"]').getByRole("button").click();
  const card = page.locator(":popover-open");
  await expect(card).toContainText(o);
  await card.getByRole("button", { name: text.address.copy }).click();
  await expect(card).toContainText(text.address.copied);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(o);
});

test("the share sheet gets the invitation", async ({ page, anvil, link }) => {
  await page.addInitScript(() => {
    const shared: unknown[] = [];
    Object.assign(window, { shared });
    Object.assign(navigator, { share: async (data: unknown) => void shared.push(data) });
  });
  await sit(page, anvil, anvil.account(0));
  await page.goto(link);
  await page.getByRole("button", { name: text.invite.title }).click();
  const url = await invitation(page);
  expect(await page.evaluate(() => (window as unknown as { shared: unknown[] }).shared)).toEqual([
    { title: text.title, text: text.invite.message, url },
  ]);
});
