// What becomes of a move: asked, sent, mined, declined, refused, failed, replaced, forgotten.
import { encodeErrorResult, parseAbi } from "viem/utils";
import { REASONS } from "../src/generated/contract.ts";
import { en } from "../src/text/en.ts";
import { DEARER } from "./support/anvil.ts";
import { Anvil, board, expect, expectBoard, hint, nonceKnown, noticeOf, sit, sitAsX, square, test, title, type TestWallet } from "./support/fixtures.ts";

/** The page looks before it asks: what is to happen while the wallet asks has to wait until it does. */
const asks = (wallet: TestWallet): Promise<void> => expect.poll(() => wallet.count("eth_sendTransaction")).toBe(1);

const ERROR = parseAbi(["error Error(string)"]);
const encoded = (reason: string): string => encodeErrorResult({ abi: ERROR, args: [reason] });

test("a move shows at once, is told apart while it is asked and sent, and settles with its block", async ({ page, anvil, table, link }) => {
  const wallet = await sitAsX(page, anvil, table, link);
  let confirm = (): void => undefined;
  wallet.hold = new Promise<void>((resolve) => (confirm = resolve));
  await anvil.automine(false);
  await square(page, 4).click();
  await expect(square(page, 4)).toHaveAttribute("data-phase", "asking");
  await expect(square(page, 4)).toHaveAttribute("aria-label", "Centre, X, not settled yet");
  await expect(title(page)).toHaveText("Waiting for your wallet…");
  confirm();
  await expect(square(page, 4)).toHaveAttribute("data-phase", "sent");
  await expect(title(page)).toHaveText("On its way…");
  await expect(page.getByRole("button", { name: "New game" })).toBeDisabled();
  await anvil.mine();
  await expect(square(page, 4)).toHaveAttribute("data-phase", "settled");
  await expect(title(page)).toHaveText("O to move");
  await expect(hint(page)).toContainText("Waiting for 0x7099");
});

test("declining in the wallet is no error: the mark goes, and the turn stays", async ({ page, anvil, table, link }) => {
  const wallet = await sitAsX(page, anvil, table, link);
  wallet.declines = true;
  await square(page, 4).click();
  await expect(noticeOf(page)).toHaveText(en.failure.declined);
  await expect(page.locator("#notice")).toHaveAttribute("data-tone", "plain");
  expect(await board(page)).toBe(".........");
  await expect(title(page)).toHaveText("Your turn");
  wallet.declines = false;
  await square(page, 4).click();
  await expectBoard(page, "....x....");
  await expect(page.locator("#notice")).toBeHidden();
});

test("each reason of the contract has a plain sentence, however a wallet wraps it", async ({ page, anvil, table, link }) => {
  const wallet = await sitAsX(page, anvil, table, link);
  const shapes = [
    (reason: string) => ({ code: 3, message: `execution reverted: ${reason}`, data: encoded(reason) }),
    (reason: string) => ({ code: -32603, message: "Internal JSON-RPC error.", data: { code: 3, data: encoded(reason) } }),
    (reason: string) => ({ code: -32603, message: "x", data: { originalError: { code: 3, data: encoded(reason), message: "reverted" } } }),
    (reason: string) => ({ code: -32603, message: `VM Exception while processing transaction: reverted with reason string '${reason}'` }),
    (reason: string) => ({ code: -32000, message: `execution reverted: ${reason}` }),
  ];
  for (const [at, reason] of REASONS.entries()) {
    for (const shape of at === 0 ? shapes : [shapes[at % shapes.length] ?? shapes[0]]) {
      wallet.refusal = shape?.(reason) ?? null;
      await square(page, 4).click();
      await expect(noticeOf(page)).toHaveText(en.reason[reason]);
      expect(await board(page)).toBe(".........");
      await page.getByRole("button", { name: "Dismiss" }).click();
    }
  }
});

test("a move that the chain would refuse never reaches the wallet's confirmation", async ({ page, anvil, table, link }) => {
  const x = anvil.account(0);
  const wallet = await sitAsX(page, anvil, table, link);
  // The page is kept from seeing that X has moved elsewhere.
  const [block, head] = [await anvil.rpc("eth_blockNumber"), await anvil.rpc("eth_getBlockByNumber", "latest", false)];
  wallet.overrides["eth_getBlockByNumber"] = () => head;
  await anvil.move(table, x, 0);
  await square(page, 4).click();
  await expect(noticeOf(page)).toHaveText(en.reason["not your turn"]);
  expect(wallet.count("eth_sendTransaction")).toBe(0);
  expect(await anvil.rpc("eth_blockNumber")).not.toBe(block);
});

test("other refusals: no funds, a busy wallet, a locked account, something unheard of, an answer that is none", async ({ page, anvil, table, link }) => {
  const wallet = await sitAsX(page, anvil, table, link);
  for (const [refusal, words] of [
    [{ code: -32003, message: "Insufficient funds for gas * price + value" }, en.failure.funds],
    [{ code: -32002, message: "Request of type already pending" }, en.failure.busy],
    [{ code: 4100, message: "unauthorized" }, en.failure.locked],
    [{ code: -32603, message: "<img src=x onerror=alert(1)> of a wallet" }, "The wallet refused: <img src=x onerror=alert(1)> of a wallet"],
    [{ code: -32603, message: `transaction failed ${"!".repeat(5000)}` }, `The wallet refused: transaction failed ${"!".repeat(141)}`],
    [{ code: 3, message: "execution reverted", data: "0x" }, en.failure.reverted],
    [{ code: 3, message: "execution reverted: something not of this contract" }, en.failure.reverted],
  ] as const) {
    wallet.refusal = refusal;
    await square(page, 4).click();
    await expect(noticeOf(page)).toHaveText(words);
    await page.getByRole("button", { name: "Dismiss" }).click();
  }
  wallet.refusal = null;
  wallet.overrides["eth_sendTransaction"] = () => "done!";
  await square(page, 4).click();
  await expect(noticeOf(page)).toHaveText(en.failure.nonsense);
  expect(await board(page)).toBe(".........");
});

test("an account without money is told so by the real node", async ({ page, anvil, table, link }) => {
  const poor = "0x00000000000000000000000000000000000000d5" as const;
  await anvil.rpc("anvil_impersonateAccount", poor);
  await sit(page, anvil, poor);
  await anvil.newGame(table, poor, anvil.account(1), anvil.account(1));
  await page.goto(link);
  await square(page, 0).click();
  await expect(noticeOf(page)).toHaveText(en.failure.funds);
});

test("a transaction that fails in its block is rolled back with the contract's reason", async ({ page, anvil, link }) => {
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

test("a game that was overwritten before the move was mined takes the mark back and changes nothing", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await sitAsX(page, anvil, table, link);
  await anvil.automine(false);
  await square(page, 4).click();
  await expect(title(page)).toHaveText("On its way…");
  // The dearer transaction goes first in the block; the move fails behind it.
  await anvil.newGame(table, x, o, anvil.account(3), { gasPrice: DEARER });
  await anvil.mine();
  expect((await anvil.game(table)).moveHistory).toEqual([]);
  await expect(noticeOf(page)).toHaveText(en.failure.overwritten);
  await expect(page.locator("#round")).toHaveText("Game 2");
  expect(await board(page)).toBe(".........");
});

test("a game that is overwritten while the wallet still asks takes the question back", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  const wallet = await sitAsX(page, anvil, table, link);
  wallet.hold = new Promise(() => null);
  await square(page, 4).click();
  await expect(title(page)).toHaveText("Waiting for your wallet…");
  await asks(wallet);
  await anvil.newGame(table, x, o);
  await expect(noticeOf(page)).toHaveText(en.failure.overwritten);
  await expect(title(page)).toHaveText("Your turn");
  expect(await board(page)).toBe(".........");
});

test("a move made with the same account elsewhere wins over the one still waiting", async ({ page, anvil, table, link }) => {
  const x = anvil.account(0);
  const wallet = await sitAsX(page, anvil, table, link);
  wallet.hold = new Promise(() => null);
  await square(page, 4).click();
  await expect(title(page)).toHaveText("Waiting for your wallet…");
  await asks(wallet);
  await anvil.move(table, x, 0);
  await expect(noticeOf(page)).toHaveText(en.failure.taken);
  await expectBoard(page, "x........");
});

test("waiting can be given up, and a block that comes later is still seen", async ({ page, anvil, table, link }) => {
  await sitAsX(page, anvil, table, link);
  await anvil.automine(false);
  await square(page, 4).click();
  await expect(title(page)).toHaveText("On its way…");
  await page.getByRole("button", { name: "Stop waiting" }).click();
  await expectBoard(page, ".........");
  await anvil.mine();
  await expectBoard(page, "....x....");
});

test.describe("in the mempool", () => {
  async function sendFour(page: import("@playwright/test").Page, anvil: Anvil, table: `0x${string}`, link: string) {
    const wallet = await sitAsX(page, anvil, table, link);
    await anvil.automine(false);
    await square(page, 4).click();
    await expect(title(page)).toHaveText("On its way…");
    const hash = wallet.sent[0] ?? "";
    const { nonce } = (await anvil.rpc("eth_getTransactionByHash", hash)) as { nonce: string };
    await nonceKnown(page, "pending");
    return { wallet, hash, nonce };
  }

  test("a transaction that the network forgets is given up, with a word", async ({ page, anvil, table, link }) => {
    const { hash } = await sendFour(page, anvil, table, link);
    await anvil.rpc("anvil_dropTransaction", hash);
    await expect(noticeOf(page)).toHaveText(en.failure.dropped, { timeout: 10_000 });
    expect(await board(page)).toBe(".........");
    await expect(title(page)).toHaveText("Your turn");
  });

  test("one that is cancelled by another with its nonce is rolled back", async ({ page, anvil, table, link }) => {
    const { nonce } = await sendFour(page, anvil, table, link);
    await anvil.send(anvil.account(0), anvil.account(0), "0x", { nonce, gasPrice: DEARER });
    await anvil.mine();
    await expect(noticeOf(page)).toHaveText(en.failure.replaced, { timeout: 10_000 });
    expect(await board(page)).toBe(".........");
  });

  test("one that is sped up is waited for as long as it takes, and settles under its new hash", async ({ page, anvil, table, link }) => {
    const { wallet, hash, nonce } = await sendFour(page, anvil, table, link);
    const faster = await anvil.move(table, anvil.account(0), 4, { nonce, gasPrice: DEARER });
    expect(faster).not.toBe(hash);
    expect(await anvil.rpc("eth_getTransactionByHash", hash)).toBeNull();
    // Longer than it takes to give a forgotten one up.
    await page.waitForTimeout(6500);
    await expect(title(page)).toHaveText("On its way…");
    await expect(page.locator("#notice")).toBeHidden();
    // A block has it, and the page does not know that block yet.
    const head = await anvil.rpc("eth_getBlockByNumber", "latest", false);
    wallet.overrides["eth_getBlockByNumber"] = () => head;
    await anvil.mine();
    await page.waitForTimeout(6500);
    await expect(title(page)).toHaveText("On its way…");
    delete wallet.overrides["eth_getBlockByNumber"];
    await expectBoard(page, "....x....");
    await expect(page.locator("#notice")).toBeHidden();
  });

  test("a reload in mid-move keeps the move on its way, and settles it", async ({ page, anvil, table, link }) => {
    await sendFour(page, anvil, table, link);
    await page.reload();
    await expect(title(page)).toHaveText("On its way…");
    await expect(square(page, 4)).toHaveAttribute("data-phase", "sent");
    await anvil.mine();
    await expectBoard(page, "....x....");
    await expect(title(page)).toHaveText("O to move");
    await page.reload();
    await expectBoard(page, "....x....");
  });
});

test("a reload keeps also what no node has shown yet", async ({ page, anvil, table, link }) => {
  const wallet = await sitAsX(page, anvil, table, link);
  wallet.overrides["eth_getTransactionByHash"] = () => null;
  await anvil.automine(false);
  await square(page, 4).click();
  await expect(title(page)).toHaveText("On its way…");
  await page.reload();
  await expect(title(page)).toHaveText("On its way…");
  await expect(square(page, 4)).toHaveAttribute("data-phase", "sent");
  await anvil.mine();
  await expectBoard(page, "....x....");
  await expect(title(page)).toHaveText("O to move");
});

test.describe("when both players ask for the next round", () => {
  async function ended(page: import("@playwright/test").Page, anvil: Anvil, table: `0x${string}`, link: string) {
    const [x, o] = [anvil.account(0), anvil.account(1)];
    const wallet = await sit(page, anvil, x);
    await anvil.play(table, x, o, [0, 3, 1, 4, 2]);
    await page.goto(link);
    await expect(title(page)).toHaveText("You win");
    await page.getByRole("button", { name: "Play again" }).click();
    return { wallet, next: [o, x] as const };
  }

  test("the one whose wallet still asks is told that the game has begun", async ({ page, anvil, table, link }) => {
    const { wallet, next } = await ended(page, anvil, table, link);
    wallet.hold = new Promise(() => null);
    await page.getByRole("button", { name: "Begin" }).click();
    await expect(title(page)).toHaveText("Waiting for your wallet…");
    await asks(wallet);
    await anvil.newGame(table, ...next);
    await expect(noticeOf(page)).toHaveText(en.failure.begun);
    await expect(title(page)).toHaveText("X to move");
  });

  test("the one whose transaction is on its way is not told that it is settled", async ({ page, anvil, table, link }) => {
    const { wallet, next } = await ended(page, anvil, table, link);
    // As wallets do that show it to block builders only.
    wallet.overrides["eth_sendTransaction"] = () => `0x${"ab".repeat(32)}`;
    await page.getByRole("button", { name: "Begin" }).click();
    await expect(title(page)).toHaveText("On its way…");
    await anvil.newGame(table, ...next);
    await expect(page.locator("#round")).toHaveText("Game 2");
    await page.waitForTimeout(500);
    await expect(title(page)).toHaveText("On its way…");
    await page.getByRole("button", { name: "Stop waiting" }).click();
    await expect(title(page)).toHaveText("X to move");
  });
});

test("a new game that is sped up has begun under its new hash; one that is cancelled has not", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  const wallet = await sit(page, anvil, x);
  await page.goto(link);
  for (const sped of [true, false]) {
    await page.getByRole("button", { name: "New game" }).click();
    await page.getByLabel("Your opponent's address").fill(o);
    await page.getByLabel("X, moves first").check();
    await anvil.automine(false);
    await page.locator("#new-begin").click();
    await expect(title(page)).toHaveText("On its way…");
    const hash = wallet.sent.at(-1);
    const { nonce } = (await anvil.rpc("eth_getTransactionByHash", hash)) as { nonce: string };
    await nonceKnown(page, "pending");
    const dearer = { nonce, gasPrice: DEARER };
    await (sped ? anvil.newGame(table, x, o, x, dearer) : anvil.send(x, x, "0x", dearer));
    await anvil.mine();
    await anvil.automine(true);
    if (sped) await expect(title(page)).toHaveText("Your turn");
    else await expect(noticeOf(page)).toHaveText(en.failure.replaced, { timeout: 10_000 });
    await expect(page.locator("#notice")).toBeVisible({ visible: !sped });
    await expect(page.locator("#round")).toHaveText("Game 1");
  }
});

test("the focus stays on a button that can do nothing for a while", async ({ page, anvil, link }) => {
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
  // And it does nothing.
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeHidden();
  await anvil.mine();
  await expect(button).toBeEnabled();
  await expect(button).toBeFocused();
});
