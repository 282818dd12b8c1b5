// A transaction in a real browser and on a real node. Its other endings are tested in Vitest.
import { decodeFunctionData } from "viem/utils";
import { ABI } from "../src/generated/contract.ts";
import { text } from "../src/text.ts";
import {
  type Anvil,
  expect,
  expectBoard,
  hint,
  nonceKnown,
  noticeOf,
  otherPage,
  sit,
  sitAsX,
  cellAt,
  test,
  title,
  noticeBox,
} from "./support/fixtures.ts";
import type { Page } from "@playwright/test";

test("a move shows at once, dotted while it is asked and sent, and settles with its block", async ({
  page,
  anvil,
  table,
  link,
}) => {
  const wallet = await sitAsX(page, anvil, table, link);
  let confirm = (): void => undefined;
  wallet.hold = new Promise<void>((resolve) => (confirm = resolve));
  await anvil.automine(false);
  await cellAt(page, 4).click();
  await expect(cellAt(page, 4)).toHaveAttribute("data-phase", "asking");
  await expect(cellAt(page, 4)).toHaveAttribute("aria-label", "Centre, X, not in a block yet");
  await expect(title(page)).toHaveText("Waiting for your wallet…");
  confirm();
  await expect(cellAt(page, 4)).toHaveAttribute("data-phase", "sent");
  await expect(title(page)).toHaveText("On its way…");
  await expect(page.getByRole("button", { name: "New game" })).toBeDisabled();
  await anvil.mine();
  await expect(cellAt(page, 4)).toHaveAttribute("data-phase", "settled");
  await expect(title(page)).toHaveText("O to move");
  await expect(hint(page)).toContainText("Waiting for 0x7099");
});

test("an account without money gets the sentence for it from a real node", async ({ page, anvil, table, link }) => {
  const poor = "0x00000000000000000000000000000000000000d5" as const;
  await anvil.rpc("anvil_impersonateAccount", poor);
  await sit(page, anvil, poor);
  await anvil.newGame(table, poor, anvil.account(1), anvil.account(1));
  await page.goto(link);
  await cellAt(page, 0).click();
  await expect(noticeOf(page)).toHaveText(text.failure.funds);
});

test("a reload keeps the pending move", async ({ page, anvil, table, link }) => {
  await sitAsX(page, anvil, table, link);
  await anvil.automine(false);
  await cellAt(page, 4).click();
  await expect(title(page)).toHaveText("On its way…");
  await nonceKnown(page, "pending");
  await page.reload();
  await expect(title(page)).toHaveText("On its way…");
  await expect(cellAt(page, 4)).toHaveAttribute("data-phase", "sent");
  await anvil.mine();
  await expectBoard(page, "....x....");
  await expect(title(page)).toHaveText("O to move");
  await page.reload();
  await expectBoard(page, "....x....");
});

test.describe("when both players want the next game", () => {
  /** A finished game. `next` are the players of the game after it. */
  async function ended(page: Page, anvil: Anvil, table: `0x${string}`, link: string) {
    const [x, o] = [anvil.account(0), anvil.account(1)];
    const wallet = await sit(page, anvil, x);
    await anvil.play(table, x, o, [0, 3, 1, 4, 2]);
    await page.goto(link);
    await expect(title(page)).toHaveText("You win");
    return { wallet, o, next: [o, x] as const };
  }

  const press = (page: Page, name: string): Promise<void> => page.getByRole("button", { name }).click();

  test("two presses at once make one game, and the slower player sees the faster one's", async ({
    page,
    browser,
    anvil,
    table,
    link,
  }) => {
    const { wallet, o } = await ended(page, anvil, table, link);
    const slower = await otherPage(browser);
    const slowerWallet = await sit(slower, anvil, o);
    await slower.goto(link);
    await anvil.automine(false);
    await press(page, text.game.rematch);
    await expect(title(page)).toHaveText(text.status.sent);
    await press(slower, text.game.rematch);
    await expect(title(slower)).toHaveText(text.status.sent);
    await anvil.mine();
    // Both transactions are in the block: the first one started the game, the second one reverted.
    expect((await anvil.receipts(wallet.sent, slowerWallet.sent)).toSorted()).toEqual(["0x0", "0x1"]);
    // The seats are swapped.
    expect(await anvil.game(table)).toMatchObject({ gameId: 2n, playerX: o });
    for (const each of [page, slower]) await expect(each.locator(".players")).toContainText("Game 2");
    for (const each of [page, slower]) await expect(noticeOf(each)).toHaveCount(0);
    for (const each of [wallet, slowerWallet]) {
      expect(each.calldata.map((data) => decodeFunctionData({ abi: ABI, data }).args?.at(2))).toEqual([1n]);
    }
    await slower.context().close();
  });

  test("a dialog that is still open gives way to the opponent's game", async ({ page, anvil, table, link }) => {
    const { wallet, o, next } = await ended(page, anvil, table, link);
    await press(page, text.game.newGame);
    await anvil.newGame(table, ...next, o);
    await expect(page.locator(".players")).toContainText("Game 2");
    await press(page, text.newGame.begin);
    await expect(page.getByRole("dialog")).toBeHidden();
    await expect(noticeOf(page)).toHaveText(text.failure.overwritten);
    await expect(noticeBox(page)).not.toHaveClass(/bad/);
    expect(wallet.count("eth_sendTransaction")).toBe(0);
  });
});
