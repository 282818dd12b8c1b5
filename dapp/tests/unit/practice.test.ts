// The practice chain runs the contract's own code.
import { decodeErrorResult, encodeFunctionData, keccak256 } from "viem/utils";
import { afterEach, expect, test, vi } from "vitest";
import { ABI, RUNTIME_HASH } from "../../src/generated/contract.ts";
import { ACCOUNTS, createChain, TABLE } from "../../src/practice/chain.ts";
import type { Address, Hex } from "../../src/rules.ts";
import { closeVisit, openPage } from "./support/table.ts";

afterEach(closeVisit);

const [X, O] = ACCOUNTS;
const move = (row: number, col: number, gameId = 0n): Hex =>
  encodeFunctionData({ abi: ABI, functionName: "makeMove", args: [row, col, gameId] });
const newGame = (x: Address, o: Address, gameId = 0n): Hex =>
  encodeFunctionData({ abi: ABI, functionName: "newGame", args: [x, o, gameId] });

test("it reverts with the contract's reasons, and its answers are a node's", async () => {
  const chain = await createChain([], () => undefined);
  const ask = (method: string, ...params: unknown[]): Promise<unknown> =>
    chain.request({ method, params }).catch(({ code, data }: { code: number; data: unknown }) => ({ code, data }));
  expect(keccak256((await ask("eth_getCode", TABLE)) as Hex)).toBe(RUNTIME_HASH);
  for (const [from, data] of [
    [X, newGame(X, O)],
    [X, move(1, 1)],
  ] as const)
    await ask("eth_sendTransaction", { from, to: TABLE, data });
  for (const [from, data, reason] of [
    [X, move(0, 0), "not your turn"],
    [O, move(1, 1), "cell is taken"],
    [O, move(3, 0), "off the grid"],
    [O, move(0, 0, 7n), "not the current game"],
    [O, newGame(O, X, 7n), "not the current game"],
    [O, newGame(O, `0x${"0".repeat(40)}`), "player is the zero address"],
    [O, newGame(TABLE, O), "player is a contract"],
  ] as const) {
    const { code, data: output } = (await ask("eth_call", { from, to: TABLE, data }, "latest")) as {
      code: number;
      data: Hex;
    };
    expect([code, decodeErrorResult({ data: output, abi: [] as const }).args]).toEqual([3, [reason]]);
  }
  expect(await ask("eth_sendTransaction", { from: TABLE, to: TABLE, data: move(0, 0) })).toMatchObject({ code: 4100 });
  expect(await ask("personal_sign", "0x00", X)).toMatchObject({ code: -32_601 });
  // A transaction that reverts gets a block and a receipt.
  const hash = await ask("eth_sendTransaction", { from: O, to: TABLE, data: move(1, 1) });
  // O's first transaction.
  expect(await ask("eth_getTransactionByHash", hash)).toMatchObject({ from: O, nonce: "0x0" });
  expect(await ask("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x0", transactionHash: hash, from: O });
  // After a reload the same transactions give the same chain.
  const again = await createChain(chain.transactions(), () => undefined);
  expect(await again.request({ method: "eth_getBlockByNumber", params: ["latest", false] })).toEqual(
    await ask("eth_getBlockByNumber", "latest", false),
  );
});

test("in practice a move is shown without waiting", { timeout: 30_000 }, async () => {
  const { page, pass } = await openPage("");
  void page.session.practise();
  const isReady = (): void => expect(page.words.statusText(page.state).title).toBe("X to move");
  // The code is loaded first.
  await vi.waitFor(isReady, { timeout: 20_000 });
  void page.transactions.send({ kind: "move", cell: 4, number: 1n });
  await pass(0);
  expect(page.state.snapshot?.game?.moves).toEqual([4]);
});
