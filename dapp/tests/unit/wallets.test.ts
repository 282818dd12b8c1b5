// Wallets: how they are found, connected, found again at the next visit, followed and switched.
import { afterEach, beforeEach, expect, test } from "vitest";
import { text } from "../../src/text.ts";
import { ALICE, BEN, CARLA, FakeNode, GAME, SEPOLIA } from "../support/node.ts";
import { announce, closeVisit, connect, linkTo, newStorages, notice } from "./support/page.ts";
import { openPage, openTable, serve, type Visit, walletOf } from "./support/page.ts";

let first: FakeNode;
let second: FakeNode;

beforeEach(() => ([first, second] = [new FakeNode(), new FakeNode().wallet(BEN)]));
afterEach(closeVisit);

/** A visit with two wallets, in a browser that knows which one the page has connected before. */
async function visitBoth(storages = newStorages()): Promise<Visit> {
  const visit = await openPage("", storages, { First: first, Second: second });
  await visit.pass(400);
  return visit;
}

function after(name: string) {
  const storages = newStorages();
  storages.local.setItem("tictactoe.wallet", JSON.stringify(`test.${name}`));
  return storages;
}

const named = ({ state }: Visit) => state.wallets.value.map(({ name }) => name);
const account = ({ state }: Visit) => state.connection.value?.accounts[0];

async function connectTo({ state, wallets, pass }: Visit, name: string): Promise<boolean> {
  const isConnected = await wallets.connect(state.wallets.value.find((wallet) => wallet.name === name) as never);
  await pass(10);
  return isConnected;
}

// -- discovery ------------------------------------------------------------------------

test("wallets are listed as announced, each once, also late ones", async () => {
  const visit = await openPage("");
  visit.wallets.startWallets();
  for (const name of ["First", "Second"]) announce(name, first);
  // The page may be connected to this one.
  const { value: listed } = visit.state.wallets;
  announce("First", second);
  expect(named(visit)).toEqual(["First", "Second"]);
  expect(visit.state.wallets.value[0]).toBe(listed[0]);
  expect(listed[0]).toMatchObject({ id: "test.First", icon: expect.any(String) });
});

test.each(["ethereum#initialized", "load"])("an old wallet is listed if no other is, also late (%s)", async (late) => {
  const visit = await openPage("");
  visit.wallets.startWallets();
  Object.assign(window, { ethereum: first });
  window.dispatchEvent(new Event(late));
  expect(visit.state.wallets.value).toMatchObject([{ id: "window.ethereum", name: "", icon: null }]);
  announce("Announced", second);
  expect(named(visit)).toEqual(["Announced"]);
});

// -- connecting -----------------------------------------------------------------------

test("a wallet that shows no account can be asked again, but not while it is asked", async () => {
  const visit = await visitBoth();
  first.overrides["eth_requestAccounts"] = () => [];
  expect([await connectTo(visit, "First"), account(visit)]).toEqual([false, undefined]);
  const confirm = first.hold("eth_requestAccounts");
  const asked = connectTo(visit, "First");
  expect(await connectTo(visit, "First")).toBe(false);
  confirm();
  expect([await asked, account(visit), first.count("eth_requestAccounts")]).toEqual([true, ALICE, 2]);
});

test("an account without coins is reported, and asked for again when the player comes back from a faucet", async () => {
  first.overrides["eth_getBalance"] = () => "0x0";
  const visit = await visitBoth();
  await connectTo(visit, "First");
  expect(visit.state.isBroke.value).toBe(true);
  first.overrides = {};
  visit.browser.setHidden(false);
  await visit.pass(10);
  expect(visit.state.isBroke.value).toBe(false);
});

// -- the next visit -------------------------------------------------------------------

test("of several wallets the last one reconnects without asking, until the player disconnects", async () => {
  const storages = newStorages();
  const visit = await visitBoth(storages);
  expect([first.asked, second.asked, account(visit)]).toEqual([[], [], undefined]);
  await connectTo(visit, "Second");
  second.asked.length = 0;
  const again = await visitBoth(storages);
  expect([account(again), first.asked]).toEqual([BEN, []]);
  expect(second.asked).toEqual(["eth_accounts", "eth_chainId", "eth_getBalance"]);
  // One that answers late does not replace the one that the player has connected since.
  const answer = second.hold("eth_accounts");
  const later = await visitBoth(storages);
  await connectTo(later, "First");
  answer();
  await later.pass(10);
  expect(account(later)).toBe(ALICE);
  later.wallets.disconnect();
  expect(account(await visitBoth(storages))).toBeUndefined();
});

test("the page waits a second for the last wallet, which may come later", async () => {
  const node = new FakeNode(SEPOLIA);
  serve(node);
  const wake = node.hold("eth_accounts");
  const { state, pass } = await openPage(linkTo(SEPOLIA), after("Sleepy"), { Sleepy: node });
  await pass(999);
  expect([state.isReturning.value, state.source.value]).toEqual([true, null]);
  await pass(1);
  expect([state.isReturning.value, state.source.value]).toEqual([false, "endpoint"]);
  wake();
  await pass(1000);
  expect(state.source.value).toBe("wallet");
});

test("a wallet that is locked at the next visit reconnects when unlocked", async () => {
  first.overrides["eth_accounts"] = () => Promise.reject(new Error("locked"));
  const visit = await visitBoth(after("First"));
  expect([account(visit), visit.state.isReturning.value, visit.state.notice.value]).toEqual([undefined, false, null]);
  first.overrides = {};
  first.emit("accountsChanged", [ALICE]);
  await visit.pass(10);
  expect([account(visit), first.count("eth_requestAccounts")]).toEqual([ALICE, 0]);
});

// -- events ---------------------------------------------------------------------------

test("the page follows its wallet and no other, until that is locked", async () => {
  const visit = await visitBoth();
  const { connection } = visit.state;
  await connectTo(visit, "First");
  await connectTo(visit, "Second");
  second.emit("accountsChanged", [BEN, CARLA]);
  second.emit("chainChanged", "0x1");
  for (const accounts of [[ALICE], []]) first.emit("accountsChanged", accounts);
  first.emit("chainChanged", "0x5");
  expect(connection.value).toMatchObject({ wallet: { name: "Second" }, accounts: [BEN, CARLA], chain: 1 });
  second.overrides["eth_accounts"] = () => [];
  second.emit("accountsChanged", []);
  await visit.pass(100);
  expect(connection.value).toBeNull();
});

test.each([
  ["chainChanged", { chainId: "0x1" }],
  ["chainChanged", "137"],
  ["accountsChanged", ["nobody"]],
])("%s with nonsense disconnects: the page does not go on with what was before", async (event, value) => {
  const visit = await visitBoth();
  await connectTo(visit, "First");
  first.emit(event, value);
  expect(visit.state.connection.value).toBeNull();
});

// -- another chain --------------------------------------------------------------------

const UNKNOWN = { code: 4902, message: "Unrecognized chain ID" };

/** A player whose wallet is on chain 1 presses a cell of a table on another one. `answer` is the wallet's to a switch. */
async function switching(answer: (away: FakeNode) => unknown) {
  const visit = await openTable(first, GAME);
  const away = Object.assign(first.wallet(ALICE), { chainId: 1 });
  await connect(visit, away);
  away.overrides["wallet_switchEthereumChain"] = () => answer(away);
  void visit.transactions.send({ kind: "move", cell: 4, number: 1n });
  await visit.pass(10);
  return { visit, away };
}

test("a wallet that does not know the chain learns it before it sends", async () => {
  const added: unknown[] = [];
  const { visit, away } = await switching((wallet) => {
    wallet.overrides["wallet_addEthereumChain"] = ([chain]) => void added.push(chain);
    if (added.length === 0) throw UNKNOWN;
    wallet.chainId = 31_337;
  });
  await visit.pass(2000);
  const chain = { chainId: "0x7a69", chainName: "Local chain", rpcUrls: ["http://127.0.0.1:8545"] };
  expect(added).toMatchObject([chain]);
  expect([visit.state.connection.value?.chain, away.game.moves]).toEqual([31_337, [4]]);
});

test("a wallet that switches and stays where it is is reported, and asked for no transaction", async () => {
  const { visit, away } = await switching(() => null);
  expect([notice(visit), visit.state.pending.value, away.sent]).toEqual([text.failure.wrongChain, null, []]);
});

test("a player who disconnects, or connects another wallet, while the wallet switches, stays there", async () => {
  for (const connection of [null, { wallet: walletOf(second), accounts: [BEN], chain: 5 }]) {
    let release = (): void => undefined;
    const { visit, away } = await switching(() => new Promise<void>((resolve) => (release = resolve)));
    visit.state.connection.value = connection;
    away.chainId = 31_337;
    release();
    await visit.pass(100);
    expect(visit.state.connection.value).toBe(connection);
  }
});
