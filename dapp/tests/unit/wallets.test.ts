// Wallets that report nonsense, or throw it.
import { afterEach, expect, test } from "vitest";
import { ALICE, BEN, FakeNode } from "./support/node.ts";
import { closeVisit, linkTo, openPage, openTable, walletOf } from "./support/table.ts";

afterEach(closeVisit);

test.each([
  ...[["<script>"], [7], [null], [[]], ["0x12"], [`${ALICE}00`], "0x", { length: 1 }].map((value) => ["accountsChanged", value] as const),
  ...["one", "0x", {}, null, -1, 1e300, `0x${"f".repeat(64)}`].map((value) => ["chainChanged", value] as const),
])("after %s with %j the wallet is not connected", async (event, value) => {
  const node = new FakeNode();
  const { page, pass } = await openPage(linkTo(node.chainId));
  const wallet = walletOf(node);
  await page.wallets.connect(wallet);
  expect(page.state.connection).toMatchObject({ accounts: [ALICE], chain: node.chainId });
  node.emit(event, value);
  await pass(10);
  expect(page.state.connection).toBeNull();
  expect(await page.wallets.connect(wallet)).toBe(true);
  node.emit("accountsChanged", [BEN]);
  node.emit("chainChanged", "0x1");
  expect(page.state.connection).toMatchObject({ accounts: [BEN], chain: 1 });
});

test("a wallet with invalid accounts is not connected", async () => {
  const node = new FakeNode();
  node.overrides["eth_requestAccounts"] = () => ["<script>", 7];
  const { page } = await openPage("");
  await expect(page.wallets.connect(walletOf(node))).rejects.toThrow();
  expect(page.state.connection).toBeNull();
});

test("after anything that a wallet throws, the player can move again", async () => {
  const node = new FakeNode();
  const { page, pass } = await openTable(node, { number: 1n, x: ALICE, o: BEN, moves: [] });
  const bomb = Object.defineProperty({}, "message", {
    get() {
      throw new Error("bomb");
    },
  });
  const things: unknown[] = [null, undefined, 42, "words", Symbol("s"), Object.create(null), bomb, { message: { toString: null } }];
  for (const thing of things) {
    node.overrides["eth_sendTransaction"] = () => {
      throw thing;
    };
    await page.transactions.send({ kind: "move", cell: 4, number: 1n });
    expect(page.state.pending).toBeNull();
    expect(page.state.notice).toMatchObject({ kind: "failure", failure: { kind: "refused" } });
  }
  node.overrides = {};
  void page.transactions.send({ kind: "move", cell: 4, number: 1n });
  await pass(1000);
  expect(page.state.snapshot?.game?.moves).toEqual([4]);
  expect(page.state.notice).toBeNull();
});
