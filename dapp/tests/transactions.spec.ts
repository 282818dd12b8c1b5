// The outcomes of a transaction: included, declined, refused, reverted, replaced, dropped.
import { decodeFunctionData, encodeErrorResult, parseAbi } from "viem/utils";
import { ABI, REASONS } from "../src/generated/contract.ts";
import { en } from "../src/text/en.ts";
import { DEARER, PRICE } from "./support/anvil.ts";
import { Anvil, board, expect, expectBoard, hint, nonceKnown, noticeOf, otherPage, sit, sitAsX, cellAt, test, title, type TestWallet } from "./support/fixtures.ts";
import type { Page } from "@playwright/test";

/** Until the wallet has the request. Before that the page simulates the transaction. */
const asks = (wallet: TestWallet): Promise<void> => expect.poll(() => wallet.count("eth_sendTransaction")).toBe(1);

const ERROR = parseAbi(["error Error(string)"]);
const encoded = (reason: string): string => encodeErrorResult({ abi: ERROR, args: [reason] });

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
  await expect(page.locator("#notice")).toHaveAttribute("data-tone", "plain");
  expect(await board(page)).toBe(".........");
  await expect(title(page)).toHaveText("Your turn");
  wallet.declines = false;
  await cellAt(page, 4).click();
  await expectBoard(page, "....x....");
  await expect(page.locator("#notice")).toBeHidden();
});

test("each reason of the contract has its sentence, in every form that wallets use", async ({ page, anvil, table, link }) => {
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
      await cellAt(page, 4).click();
      await expect(noticeOf(page)).toHaveText(en.reason[reason]);
      expect(await board(page)).toBe(".........");
      await page.getByRole("button", { name: "Dismiss" }).click();
    }
  }
});

test("the page does not ask the wallet about a move that would revert", async ({ page, anvil, table, link }) => {
  const x = anvil.account(0);
  const wallet = await sitAsX(page, anvil, table, link);
  // The page does not see that X has moved from elsewhere.
  const [block, head] = [await anvil.rpc("eth_blockNumber"), await anvil.rpc("eth_getBlockByNumber", "latest", false)];
  wallet.overrides["eth_getBlockByNumber"] = () => head;
  await anvil.move(table, x, 0);
  await cellAt(page, 4).click();
  await expect(noticeOf(page)).toHaveText(en.reason["not your turn"]);
  expect(wallet.count("eth_sendTransaction")).toBe(0);
  expect(await anvil.rpc("eth_blockNumber")).not.toBe(block);
});

test("every other refusal has a sentence", async ({ page, anvil, table, link }) => {
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
    await cellAt(page, 4).click();
    await expect(noticeOf(page)).toHaveText(words);
    await page.getByRole("button", { name: "Dismiss" }).click();
  }
  wallet.refusal = null;
  wallet.overrides["eth_sendTransaction"] = () => "done!";
  await cellAt(page, 4).click();
  await expect(noticeOf(page)).toHaveText(en.failure.invalidAnswer);
  expect(await board(page)).toBe(".........");
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

test("a move for a game that has been replaced changes nothing, and its mark disappears", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  await sitAsX(page, anvil, table, link);
  await anvil.automine(false);
  await cellAt(page, 4).click();
  await expect(title(page)).toHaveText("On its way…");
  // The transaction with the higher fee goes first in the block, and the move reverts after it.
  await anvil.newGame(table, x, o, anvil.account(3), { gasPrice: DEARER });
  await anvil.mine();
  expect((await anvil.game(table)).moveHistory).toEqual([]);
  await expect(noticeOf(page)).toHaveText(en.failure.overwritten);
  await expect(page.locator("#number")).toHaveText("Game 2");
  expect(await board(page)).toBe(".........");
});

test("a game that is replaced while the wallet asks ends the waiting", async ({ page, anvil, table, link }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  const wallet = await sitAsX(page, anvil, table, link);
  wallet.hold = new Promise(() => null);
  await cellAt(page, 4).click();
  await expect(title(page)).toHaveText("Waiting for your wallet…");
  await asks(wallet);
  await anvil.newGame(table, x, o);
  await expect(noticeOf(page)).toHaveText(en.failure.overwritten);
  await expect(title(page)).toHaveText("Your turn");
  expect(await board(page)).toBe(".........");
});

test("a move from the same account elsewhere ends the waiting for this one", async ({ page, anvil, table, link }) => {
  const x = anvil.account(0);
  const wallet = await sitAsX(page, anvil, table, link);
  wallet.hold = new Promise(() => null);
  await cellAt(page, 4).click();
  await expect(title(page)).toHaveText("Waiting for your wallet…");
  await asks(wallet);
  await anvil.move(table, x, 0);
  await expect(noticeOf(page)).toHaveText(en.failure.taken);
  await expectBoard(page, "x........");
});

test("after \"Stop waiting\" a late block still shows the move", async ({ page, anvil, table, link }) => {
  await sitAsX(page, anvil, table, link);
  await anvil.automine(false);
  await cellAt(page, 4).click();
  await expect(title(page)).toHaveText("On its way…");
  await page.getByRole("button", { name: "Stop waiting" }).click();
  await expectBoard(page, ".........");
  await anvil.mine();
  await expectBoard(page, "....x....");
});

test.describe("in the mempool", () => {
  async function sendFour(page: Page, anvil: Anvil, table: `0x${string}`, link: string) {
    const wallet = await sitAsX(page, anvil, table, link);
    await anvil.automine(false);
    await cellAt(page, 4).click();
    await expect(title(page)).toHaveText("On its way…");
    const hash = wallet.sent[0] ?? "";
    const { nonce } = (await anvil.rpc("eth_getTransactionByHash", hash)) as { nonce: string };
    await nonceKnown(page, "pending");
    return { wallet, hash, nonce };
  }

  test("a transaction that the network drops is reported", async ({ page, anvil, table, link }) => {
    const { hash } = await sendFour(page, anvil, table, link);
    await anvil.rpc("anvil_dropTransaction", hash);
    await expect(noticeOf(page)).toHaveText(en.failure.dropped, { timeout: 10_000 });
    expect(await board(page)).toBe(".........");
    await expect(title(page)).toHaveText("Your turn");
  });

  test("one that is cancelled in the wallet is reported, and its mark disappears", async ({ page, anvil, table, link }) => {
    const { nonce } = await sendFour(page, anvil, table, link);
    await anvil.send(anvil.account(0), anvil.account(0), "0x", { nonce, gasPrice: DEARER });
    await anvil.mine();
    await expect(noticeOf(page)).toHaveText(en.failure.replaced, { timeout: 10_000 });
    expect(await board(page)).toBe(".........");
  });

  test("one that is sped up settles under its new hash", async ({ page, anvil, table, link }) => {
    const { wallet, hash, nonce } = await sendFour(page, anvil, table, link);
    const faster = await anvil.move(table, anvil.account(0), 4, { nonce, gasPrice: DEARER });
    expect(faster).not.toBe(hash);
    expect(await anvil.rpc("eth_getTransactionByHash", hash)).toBeNull();
    // Longer than the page waits before it reports a dropped one.
    await page.waitForTimeout(6500);
    await expect(title(page)).toHaveText("On its way…");
    await expect(page.locator("#notice")).toBeHidden();
    // A block includes it, and the page has not seen that block yet.
    const head = await anvil.rpc("eth_getBlockByNumber", "latest", false);
    wallet.overrides["eth_getBlockByNumber"] = () => head;
    await anvil.mine();
    await page.waitForTimeout(6500);
    await expect(title(page)).toHaveText("On its way…");
    delete wallet.overrides["eth_getBlockByNumber"];
    await expectBoard(page, "....x....");
    await expect(page.locator("#notice")).toBeHidden();
  });

  test("a reload keeps the pending move", async ({ page, anvil, table, link }) => {
    await sendFour(page, anvil, table, link);
    await page.reload();
    await expect(title(page)).toHaveText("On its way…");
    await expect(cellAt(page, 4)).toHaveAttribute("data-phase", "sent");
    await anvil.mine();
    await expectBoard(page, "....x....");
    await expect(title(page)).toHaveText("O to move");
    await page.reload();
    await expectBoard(page, "....x....");
  });
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

  async function expectNextGame(page: Page, notice: string): Promise<void> {
    await expect(noticeOf(page)).toHaveText(notice);
    await expect(page.locator("#notice")).toHaveAttribute("data-tone", "plain");
    await expect(page.locator("#number")).toHaveText("Game 2");
    await expect(title(page)).toHaveText("X to move");
  }

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
    await expect(first.locator("#number")).toHaveText("Game 2");
    await expect(first.locator("#notice")).toBeHidden();
    await expect(noticeOf(second)).toHaveText(en.failure.started.opponent);
    await expect(second.locator("#notice")).toHaveAttribute("data-tone", "plain");
    await expect(second.locator("#number")).toHaveText("Game 2");
    for (const each of [wallet, slowerWallet]) {
      expect(each.calldata.map((data) => decodeFunctionData({ abi: ABI, data }).args?.at(2))).toEqual([1n]);
    }
    await slower.context().close();
  });

  test("a dialog that is still open gives way to the opponent's game", async ({ page, anvil, table, link }) => {
    const { wallet, o, next } = await ended(page, anvil, table, link);
    await anvil.newGame(table, ...next, o);
    await expect(page.locator("#number")).toHaveText("Game 2");
    await begin(page);
    await expect(page.getByRole("dialog")).toBeHidden();
    await expectNextGame(page, en.failure.started.opponent);
    expect(wallet.count("eth_sendTransaction")).toBe(0);
  });

  test("a page that has not seen the opponent's game yet does not ask the wallet", async ({ page, anvil, table, link }) => {
    const { wallet, o, next } = await ended(page, anvil, table, link);
    const head = await anvil.rpc("eth_getBlockByNumber", "latest", false);
    wallet.overrides["eth_getBlockByNumber"] = () => head;
    await anvil.newGame(table, ...next, o);
    // The node is behind for the page's own look, and up to date for the simulation.
    wallet.overrides["eth_call"] = ([call, block]) => {
      const isSimulation = (call as { from?: string }).from !== undefined;
      if (isSimulation) delete wallet.overrides["eth_getBlockByNumber"];
      return anvil.rpc("eth_call", call, isSimulation ? "latest" : block);
    };
    await begin(page);
    await expectNextGame(page, en.failure.started.opponent);
    expect(wallet.count("eth_sendTransaction")).toBe(0);
  });

  test("a wallet that still asks should decline", async ({ page, anvil, table, link }) => {
    const { wallet, o, next } = await ended(page, anvil, table, link);
    wallet.hold = new Promise(() => null);
    await begin(page);
    await expect(title(page)).toHaveText("Waiting for your wallet…");
    await asks(wallet);
    await anvil.newGame(table, ...next, o);
    await expectNextGame(page, `${en.failure.started.opponent} ${en.failure.declineThere}`);
  });

  test("the player's own game is recognised before the wallet returns its hash", async ({ page, anvil, table, link }) => {
    const { wallet } = await ended(page, anvil, table, link);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    wallet.overrides["eth_sendTransaction"] = async ([transaction]) => {
      const { chainId: _, ...rest } = transaction as Record<string, unknown>;
      const hash = await anvil.rpc("eth_sendTransaction", { gas: "0x4c4b40", gasPrice: PRICE, ...rest });
      await held;
      return hash;
    };
    await begin(page);
    await expect(page.locator("#number")).toHaveText("Game 2");
    await expect(title(page)).toHaveText("X to move");
    answer();
    await page.waitForTimeout(300);
    await expect(title(page)).toHaveText("X to move");
    await expect(page.locator("#notice")).toBeHidden();
  });

  test("a pending transaction that no node shows ends with the opponent's game", async ({ page, anvil, table, link }) => {
    const { wallet, o, next } = await ended(page, anvil, table, link);
    // Some wallets send transactions to block builders only.
    wallet.overrides["eth_sendTransaction"] = () => `0x${"ab".repeat(32)}`;
    await begin(page);
    await expect(title(page)).toHaveText("On its way…");
    await anvil.newGame(table, ...next, o);
    await expectNextGame(page, en.failure.started.opponent);
  });

  test("the opponent's game is not taken for the player's cancelled one", async ({ page, anvil, table, link }) => {
    const { wallet, x, o, next } = await ended(page, anvil, table, link);
    await anvil.automine(false);
    await begin(page);
    await expect(title(page)).toHaveText("On its way…");
    const { nonce } = (await anvil.rpc("eth_getTransactionByHash", wallet.sent[0])) as { nonce: string };
    await nonceKnown(page, "pending");
    await anvil.send(x, x, "0x", { nonce, gasPrice: DEARER });
    await anvil.newGame(table, ...next, o);
    await anvil.mine();
    await expectNextGame(page, en.failure.started.opponent);
  });

  test("where no logs are available, the receipt decides", async ({ page, anvil, table, link }) => {
    const { wallet, o, next } = await ended(page, anvil, table, link);
    wallet.overrides["eth_getLogs"] = () => {
      throw { code: -32601, message: "no logs" };
    };
    await anvil.automine(false);
    await begin(page);
    await expect(title(page)).toHaveText("On its way…");
    // The higher fee puts the opponent's transaction first.
    await anvil.newGame(table, ...next, o, { gasPrice: DEARER });
    await anvil.mine();
    await expectNextGame(page, en.failure.started.opponent);
  });

  test("a next game between other players is reported as an error", async ({ page, anvil, table, link }) => {
    await ended(page, anvil, table, link);
    await anvil.automine(false);
    await begin(page);
    await expect(title(page)).toHaveText("On its way…");
    await anvil.newGame(table, anvil.account(3), anvil.account(4), anvil.account(3), { gasPrice: DEARER });
    await anvil.mine();
    await expect(noticeOf(page)).toHaveText(en.failure.started.others);
    await expect(page.locator("#notice")).toHaveAttribute("data-tone", "bad");
    await expect(page.locator("#number")).toHaveText("Game 2");
  });

  test("the first game replaces none, so the page warns that the open request would end it", async ({ page, anvil, table, link }) => {
    const [x, o] = [anvil.account(0), anvil.account(1)];
    const wallet = await sit(page, anvil, x);
    wallet.hold = new Promise(() => null);
    await page.goto(link);
    await page.getByRole("button", { name: "New game" }).click();
    await page.getByLabel("Your opponent's address").fill(o);
    await begin(page);
    await asks(wallet);
    await anvil.newGame(table, x, o, o);
    await expect(noticeOf(page)).toHaveText(en.failure.begun);
    await expect(title(page)).toHaveText("Your turn");
  });
});

test("a new game that is sped up starts under its new hash, and a cancelled one is reported", async ({ page, anvil, table, link }) => {
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
    await expect(page.locator("#number")).toHaveText("Game 1");
  }
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
