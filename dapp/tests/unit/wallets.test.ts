// Wallets: how they are found, connected, found again at the next visit, followed and switched; and wallets that report nonsense.
import { afterEach, expect, test } from "vitest";
import { text } from "../../src/text.ts";
import { ALICE, BEN, CARLA, FakeNode, GAME, SEPOLIA } from "./support/node.ts";
import { announce, closeVisit, ICON, linkTo, newStorages, notice, openPage, openTable } from "./support/page.ts";
import { serve, type Visit, walletOf } from "./support/page.ts";

afterEach(closeVisit);

const named = ({ state }: Visit): string[] => state.wallets.value.map(({ name }) => name);
const account = ({ state }: Visit): unknown => state.connection.value?.accounts[0];

async function connectTo({ state, wallets, pass }: Visit, name: string): Promise<boolean> {
  const isConnected = await wallets.connect(state.wallets.value.find((wallet) => wallet.name === name) as never);
  await pass(10);
  return isConnected;
}

/** Storages of a browser in which the page has connected this wallet before. */
function after(name: string): ReturnType<typeof newStorages> {
  const storages = newStorages();
  storages.local.setItem("tictactoe.wallet", JSON.stringify(`test.${name}`));
  return storages;
}

// -- discovery ------------------------------------------------------------------------

test("wallets are listed in the order of their announcements, each once, also late ones", async () => {
  const visit = await openPage("", newStorages(), { First: new FakeNode(), Second: new FakeNode() });
  for (const name of ["Late", "First"]) announce(name, new FakeNode());
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  expect(named(visit)).toEqual(["First", "Second", "Late"]);
  expect(visit.state.wallets.value[0]).toMatchObject({ id: "test.First", icon: ICON });
});

const bomb = (name: string, on: object = {}): object =>
  Object.defineProperty(on, name, {
    get() {
      throw new Error("bomb");
    },
  });

test("an announcement that lacks something, or throws, hides no other wallet", async () => {
  const visit = await openPage("");
  bomb("ethereum", window);
  visit.wallets.startWallets();
  const provider = new FakeNode();
  const whole = { uuid: "1", name: "x", rdns: "a.b" };
  for (const detail of [
    undefined,
    42,
    { info: null, provider },
    { info: whole },
    { info: whole, provider: {} },
    { info: { ...whole, uuid: undefined }, provider },
    { info: { ...whole, name: { toString: null } }, provider },
    { info: { ...whole, rdns: undefined }, provider },
    { info: bomb("uuid"), provider },
    bomb("info"),
  ])
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  announce("Honest", new FakeNode());
  expect(named(visit)).toEqual(["Honest"]);
});

test("an icon is drawn only if nobody has to be asked for it", async () => {
  const visit = await openPage("", newStorages(), {});
  const images = [ICON, "data:image/png;base64,AA=="];
  const others = "https://a.example/spy.png javascript:alert(1) data:text/html,<b> //a.example/x.png data:image/png!x";
  for (const icon of [...images, ...others.split(" "), "https://a.example/?data:image/png;base64,AA==", undefined])
    announce(String(icon), new FakeNode(), { icon });
  expect(visit.state.wallets.value.map(({ icon }) => icon).filter((icon) => icon !== null)).toEqual(images);
});

test.each([null, "ethereum#initialized", "load"])(
  "a wallet that only sets window.ethereum is found and remembered (late: %s)",
  async (late) => {
    const node = new FakeNode();
    const storages = newStorages();
    for (const day of [1, 2]) {
      const visit = await openPage("", storages);
      if (late === null) Object.assign(window, { ethereum: node });
      visit.wallets.startWallets();
      expect(named(visit)).toHaveLength(late === null ? 1 : 0);
      Object.assign(window, { ethereum: node });
      if (late !== null) window.dispatchEvent(new Event(late));
      await visit.pass(10);
      expect(visit.state.wallets.value).toMatchObject([{ id: "window.ethereum", name: "", icon: null }]);
      if (day === 1) await connectTo(visit, "");
      expect(account(visit)).toBe(ALICE);
    }
    expect(node.count("eth_requestAccounts")).toBe(1);
    // An announced wallet takes its place in the list.
    const visit = await openPage("", storages, { Announced: new FakeNode() });
    Object.assign(window, { ethereum: node });
    window.dispatchEvent(new Event("ethereum#initialized"));
    expect(named(visit)).toEqual(["Announced"]);
  },
);

// -- connecting -----------------------------------------------------------------------

test("a player who declines or shows no account can try again, and a wallet that is asked already is not asked again", async () => {
  const node = new FakeNode();
  const visit = await openPage("", newStorages(), { Shy: node });
  for (const [answer, expected] of [
    [Promise.reject(Object.assign(new Error("No."), { code: 4001 })), 4001],
    [["<script>", 7], undefined],
    [[], false],
  ] as const) {
    node.overrides["eth_requestAccounts"] = () => answer;
    expect(await connectTo(visit, "Shy").catch((error: { code?: number }) => error.code)).toBe(expected);
    expect(account(visit)).toBeUndefined();
  }
  const confirm = node.hold("eth_requestAccounts");
  const first = connectTo(visit, "Shy");
  expect(await connectTo(visit, "Shy")).toBe(false);
  await visit.pass(60_000);
  confirm();
  await visit.pass(10);
  expect([await first, account(visit), node.count("eth_requestAccounts")]).toEqual([true, ALICE, 4]);
});

test("only a balance of 0 is reported, and asked for again when the player comes back from a faucet", async () => {
  const node = new FakeNode();
  const visit = await openPage("", newStorages(), { Empty: node });
  await connectTo(visit, "Empty");
  const { isBroke } = visit.state;
  for (const [balance, expected] of [
    ["0x1", false],
    ["0x0", true],
    ["nonsense", false],
    [`0x${"f".repeat(64)}`, false],
    ["0x00", true],
  ] as const) {
    node.overrides["eth_getBalance"] = () => balance;
    await visit.wallets.readBalance();
    expect([balance, isBroke.value]).toEqual([balance, expected]);
  }
  node.overrides = {};
  visit.browser.setHidden(false);
  await visit.pass(10);
  expect(isBroke.value).toBe(false);
  // Of another account.
  node.balance = 0n;
  node.emit("accountsChanged", [BEN]);
  await visit.pass(10);
  expect(isBroke.value).toBe(true);
});

// -- the next visit -------------------------------------------------------------------

test("of several wallets the last one reconnects without asking, until the player disconnects", async () => {
  const nodes = { First: new FakeNode(), Second: Object.assign(new FakeNode(), { accounts: [BEN] }) };
  const storages = newStorages();
  const visit = async (): Promise<Visit> => {
    const opened = await openPage("", storages, nodes);
    await opened.pass(400);
    return opened;
  };
  const first = await visit();
  expect([nodes.First.asked, nodes.Second.asked, account(first)]).toEqual([[], [], undefined]);
  await connectTo(first, "Second");
  nodes.Second.asked.length = 0;
  const again = await visit();
  expect([account(again), nodes.First.asked]).toEqual([BEN, []]);
  expect(nodes.Second.asked).toEqual(["eth_accounts", "eth_chainId", "eth_getBalance"]);
  again.wallets.disconnect();
  expect(account(await visit())).toBeUndefined();
});

test.each([false, true])(
  "the page waits a second for the last wallet (there: %s), and reads through an endpoint until it answers",
  async (isThere) => {
    const node = new FakeNode(SEPOLIA);
    serve(node);
    const wake = node.hold("eth_accounts");
    const visit = await openPage(linkTo(SEPOLIA), after("Sleepy"), isThere ? { Sleepy: node } : {});
    const { source, isReturning } = visit.state;
    await visit.pass(999);
    expect([isReturning.value, source.value]).toEqual([true, null]);
    await visit.pass(1);
    expect([isReturning.value, source.value?.kind]).toEqual([false, "endpoint"]);
    wake();
    await visit.pass(1000);
    expect(source.value).toMatchObject(isThere ? { kind: "wallet", name: "Sleepy" } : { kind: "endpoint" });
  },
);

test("a wallet that throws or is locked at the next visit is not connected, and reconnects when it is unlocked", async () => {
  const node = new FakeNode();
  const visitNext = async (): Promise<Visit> => {
    const visit = await openPage("", after("Locked"), { Locked: node });
    await visit.pass(400);
    expect([account(visit), visit.state.isReturning.value, notice(visit)]).toEqual([undefined, false, ""]);
    return visit;
  };
  node.overrides["eth_accounts"] = () => Promise.reject(Object.assign(new Error("locked"), { code: 4100 }));
  await visitNext();
  Object.assign(node, { overrides: {}, accounts: [] });
  const visit = await visitNext();
  node.accounts = [CARLA];
  node.emit("accountsChanged", [CARLA]);
  await visit.pass(10);
  expect([account(visit), node.count("eth_requestAccounts")]).toEqual([CARLA, 0]);
});

test("a wallet that reconnects late does not replace the one that the player has connected since", async () => {
  const [slow, chosen] = [new FakeNode(), Object.assign(new FakeNode(), { accounts: [BEN] })];
  const answer = slow.hold("eth_accounts");
  const visit = await openPage("", after("Slow"), { Slow: slow, Chosen: chosen });
  await connectTo(visit, "Chosen");
  answer();
  await visit.pass(10);
  expect(account(visit)).toBe(BEN);
  // Nor is it asked again when other wallets appear.
  slow.asked.length = 0;
  announce("Another", new FakeNode());
  await visit.pass(10);
  expect(slow.asked).toEqual([]);
});

// -- events ---------------------------------------------------------------------------

test("the page follows the wallet to other accounts and chains; nonsense disconnects, and nobody hears a wallet that was replaced", async () => {
  const [first, second] = [new FakeNode(), new FakeNode()];
  const visit = await openPage("", newStorages(), { First: first, Second: second });
  const { connection } = visit.state;
  const nonsense: Record<string, unknown[]> = {
    accountsChanged: [["<script>"], [7], [[]], ["0x12"], [`${ALICE}00`], []],
    chainChanged: ["one", "0x", {}, null, -1, 1e300],
  };
  for (const [event, values] of Object.entries(nonsense)) {
    for (const value of values) {
      await connectTo(visit, "First");
      first.emit("accountsChanged", [BEN, CARLA]);
      first.emit("chainChanged", "0x1");
      expect(connection.value).toMatchObject({ accounts: [BEN, CARLA], chain: 1 });
      first.emit(event, value);
      expect([value, connection.value]).toEqual([value, null]);
      await visit.pass(10);
    }
  }
  await connectTo(visit, "Second");
  for (const value of [[], [CARLA], "nonsense"]) first.emit("accountsChanged", value);
  first.emit("chainChanged", "0x1");
  await visit.pass(100);
  expect(connection.value).toMatchObject({ wallet: { name: "Second" }, accounts: [ALICE], chain: 31_337 });
});

// -- another chain --------------------------------------------------------------------

/** A wallet on chain 1, at a table on another one. */
async function elsewhere(): Promise<{ visit: Visit; away: FakeNode; send: () => Promise<void> }> {
  const node = new FakeNode();
  const visit = await openTable(node, GAME);
  const away = Object.assign(new FakeNode(1), { blocks: node.blocks });
  visit.state.connection.value = { wallet: walletOf(away), accounts: [ALICE], chain: 1 };
  return { visit, away, send: () => visit.transactions.send({ kind: "move", cell: 4, number: 1n }) };
}

const UNKNOWN = { code: 4902, message: "Unrecognized chain ID" };

test.each<[string, object | null]>([
  ["knows the chain is switched", null],
  ["does not know it learns it first", UNKNOWN],
  ["wraps its errors does so, too", { code: -32_603, message: "Internal", data: { originalError: UNKNOWN } }],
])("a wallet that %s before it sends", async (_, unknown) => {
  const { visit, away, send } = await elsewhere();
  let isKnown = unknown === null;
  away.overrides["wallet_switchEthereumChain"] = () => {
    if (!isKnown) throw unknown;
    away.chainId = 31_337;
  };
  away.overrides["wallet_addEthereumChain"] = () => void (isKnown = true);
  void send();
  await visit.pass(2000);
  expect(away.count("wallet_switchEthereumChain")).toBe(unknown === null ? 1 : 2);
  const added = away.requests.filter(({ method }) => method === "wallet_addEthereumChain");
  const chain = { chainId: "0x7a69", chainName: "Local chain", rpcUrls: ["http://127.0.0.1:8545"] };
  expect(added.map(({ params }) => params?.[0])).toMatchObject(unknown === null ? [] : [chain]);
  expect([visit.state.connection.value?.chain, away.game.moves]).toEqual([31_337, [4]]);
});

test.each<[string, unknown, string]>([
  ["declines to switch", { code: 4001, message: "No." }, text.failure.declined],
  ["refuses to add the chain", UNKNOWN, "The wallet refused: cannot add"],
  ["switches and stays where it is", null, text.failure.wrongChain],
])("a wallet that %s is reported, and asked for no transaction", async (_, thrown, words) => {
  const { visit, away, send } = await elsewhere();
  away.overrides["wallet_switchEthereumChain"] = () => {
    if (thrown !== null) throw thrown;
  };
  away.overrides["wallet_addEthereumChain"] = () => Promise.reject(new Error("cannot add"));
  await send();
  expect([notice(visit), visit.state.pending.value, away.sent]).toEqual([words, null, []]);
});

test("a player who disconnects while the wallet switches stays disconnected", async () => {
  const { visit, away, send } = await elsewhere();
  const release = away.hold("wallet_switchEthereumChain", () => void (away.chainId = 31_337));
  const sending = send();
  await visit.pass(10);
  visit.wallets.disconnect();
  release();
  await sending;
  expect([visit.state.connection.value, notice(visit)]).toEqual([null, ""]);
});
