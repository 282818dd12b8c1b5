// The outcomes of a transaction: included, declined, refused, reverted, replaced, dropped.
import { decodeFunctionData } from "viem/utils";
import { ABI } from "../src/generated/contract.ts";
import { en } from "../src/text/en.ts";
import { DEARER } from "./support/anvil.ts";
import { Anvil, board, expect, expectBoard, hint, nonceKnown, noticeOf, otherPage, sit, sitAsX, cellAt, test, title, noticeBox, gameNumber } from "./support/fixtures.ts";
import type { Page } from "@playwright/test";

test("a move shows at once, dotted while it is asked and sent, and settles with its block", async ({ page, anvil, table, link }) => {
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

test("declining in the wallet is no error, and the player can move again", async ({ page, anvil, table, link }) => {
  const wallet = await sitAsX(page, anvil, table, link);
  wallet.declines = true;
  await cellAt(page, 4).click();
  await expect(noticeOf(page)).toHaveText(en.failure.declined);
  await expect(noticeBox(page)).toHaveAttribute("data-tone", "plain");
  expect(await board(page)).toBe(".........");
  await expect(title(page)).toHaveText("Your turn");
  wallet.declines = false;
  await cellAt(page, 4).click();
  await expectBoard(page, "....x....");
  await expect(noticeBox(page)).toBeHidden();
});

test("an account without money gets the sentence for it from a real node", async ({ page, anvil, table, link }) => {
  const poor = "0x00000000000000000000000000000000000000d5" as const;
  await anvil.rpc("anvil_impersonateAccount", poor);
  await sit(page, anvil, poor);
  await anvil.newGame(table, poor, anvil.account(1), anvil.account(1));
  await page.goto(link);
  await cellAt(page, 0).click();
  await expect(noticeOf(page)).toHaveText(en.failure.funds);
});

test("a transaction that reverts in its block shows the contract's reason", async ({ page, anvil, link }) => {
  const opponent = anvil.account(6);
  await sit(page, anvil, anvil.account(0));
  await page.goto(link);
  await page.getByRole("button", { name: "New game" }).click();
  await page.getByLabel("Your opponent's address").fill(opponent);
  await anvil.automine(false);
  await page.getByRole("button", { name: "Begin" }).click();
  await expect(title(page)).toHaveText("On its way…");
  // Between the check and the block the opponent becomes a contract.
  await anvil.rpc("anvil_setCode", opponent, "0x00");
  await anvil.mine();
  await expect(noticeOf(page)).toHaveText(en.reason["player is a contract"]);
  await expect(title(page)).toHaveText("A free table");
  await anvil.rpc("anvil_setCode", opponent, "0x");
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

test("a reload keeps a pending move that no node has shown yet", async ({ page, anvil, table, link }) => {
  const wallet = await sitAsX(page, anvil, table, link);
  wallet.overrides["eth_getTransactionByHash"] = () => null;
  await anvil.automine(false);
  await cellAt(page, 4).click();
  await expect(title(page)).toHaveText("On its way…");
  await page.reload();
  await expect(title(page)).toHaveText("On its way…");
  await expect(cellAt(page, 4)).toHaveAttribute("data-phase", "sent");
  await anvil.mine();
  await expectBoard(page, "....x....");
  await expect(title(page)).toHaveText("O to move");
});

test.describe("when both players ask for the next game", () => {
  /** A finished game. The page's player has the dialog for the next one open, and `next` are the players of that game. */
  async function ended(page: Page, anvil: Anvil, table: `0x${string}`, link: string) {
    const [x, o] = [anvil.account(0), anvil.account(1)];
    const wallet = await sit(page, anvil, x);
    await anvil.play(table, x, o, [0, 3, 1, 4, 2]);
    await page.goto(link);
    await expect(title(page)).toHaveText("You win");
    await page.getByRole("button", { name: "Play again" }).click();
    return { wallet, x, o, next: [o, x] as const };
  }

  const begin = (page: Page): Promise<void> => page.getByRole("button", { name: "Begin" }).click();

  test("two presses at once make one game, and the slower player sees the faster one's", async ({ page, browser, anvil, table, link }) => {
    const { wallet, o } = await ended(page, anvil, table, link);
    const slower = await otherPage(browser);
    const slowerWallet = await sit(slower, anvil, o);
    await slower.goto(link);
    await slower.getByRole("button", { name: "Play again" }).click();
    await anvil.automine(false);
    await begin(page);
    await expect(title(page)).toHaveText("On its way…");
    await begin(slower);
    await expect(title(slower)).toHaveText("On its way…");
    await anvil.mine();
    // Both transactions are in the block: the first one started the game, the second one reverted.
    expect((await anvil.receipts(wallet.sent, slowerWallet.sent)).toSorted()).toEqual(["0x0", "0x1"]);
    const { gameId, playerX } = await anvil.game(table);
    expect(gameId).toBe(2n);
    const [first, second] = playerX === o ? [page, slower] : [slower, page];
    await expect(gameNumber(first)).toHaveText("Game 2");
    await expect(noticeBox(first)).toBeHidden();
    await expect(noticeOf(second)).toHaveText(en.failure.started.opponent);
    await expect(noticeBox(second)).toHaveAttribute("data-tone", "plain");
    await expect(gameNumber(second)).toHaveText("Game 2");
    for (const each of [wallet, slowerWallet]) {
      expect(each.calldata.map((data) => decodeFunctionData({ abi: ABI, data }).args?.at(2))).toEqual([1n]);
    }
    await slower.context().close();
  });

  test("a dialog that is still open gives way to the opponent's game", async ({ page, anvil, table, link }) => {
    const { wallet, o, next } = await ended(page, anvil, table, link);
    await anvil.newGame(table, ...next, o);
    await expect(gameNumber(page)).toHaveText("Game 2");
    await begin(page);
    await expect(page.getByRole("dialog")).toBeHidden();
    await expect(noticeOf(page)).toHaveText(en.failure.started.opponent);
    await expect(noticeBox(page)).toHaveAttribute("data-tone", "plain");
    await expect(title(page)).toHaveText("X to move");
    expect(wallet.count("eth_sendTransaction")).toBe(0);
  });

  test("a next game between other players is reported as an error", async ({ page, anvil, table, link }) => {
    await ended(page, anvil, table, link);
    await anvil.automine(false);
    await begin(page);
    await expect(title(page)).toHaveText("On its way…");
    await anvil.newGame(table, anvil.account(3), anvil.account(4), anvil.account(3), { gasPrice: DEARER });
    await anvil.mine();
    await expect(noticeOf(page)).toHaveText(en.failure.started.others);
    await expect(noticeBox(page)).toHaveAttribute("data-tone", "bad");
    await expect(gameNumber(page)).toHaveText("Game 2");
  });
});

test("a new game that is sped up starts under its new hash", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  const wallet = await sit(page, anvil, x);
  await page.goto(link);
  await page.getByRole("button", { name: "New game" }).click();
  await page.getByLabel("Your opponent's address").fill(o);
  await anvil.automine(false);
  await page.getByRole("dialog").locator("[type=submit]").click();
  await expect(title(page)).toHaveText("On its way…");
  const { nonce } = (await anvil.rpc("eth_getTransactionByHash", wallet.sent[0])) as { nonce: string };
  await nonceKnown(page, "pending");
  await anvil.newGame(table, x, o, x, { nonce, gasPrice: DEARER });
  await anvil.mine();
  await expect(title(page)).toHaveText("Your turn");
  await expect(noticeBox(page)).toBeHidden();
  await expect(gameNumber(page)).toHaveText("Game 1");
});

test("the focus stays on a button while it is disabled", async ({ page, anvil, link }) => {
  await sit(page, anvil, anvil.account(0));
  await page.goto(link);
  const button = page.getByRole("button", { name: "New game" });
  await expect(button).toBeEnabled();
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Your opponent's address").fill(anvil.account(1));
  await anvil.automine(false);
  await page.keyboard.press("Enter");
  await expect(title(page)).toHaveText("On its way…");
  await expect(button).toBeDisabled();
  await expect(button).toBeFocused();
  // It does nothing.
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeHidden();
  await anvil.mine();
  await expect(button).toBeEnabled();
  await expect(button).toBeFocused();
});
