// Wallets: how they are found, connected, found again at the next visit, followed and switched; and wallets that report nonsense.
import { afterEach, expect, test } from "vitest";
import { text } from "../../src/text.ts";
import { newStorages, type Storages } from "./support/browser.ts";
import { ALICE, BEN, CARLA, FakeNode, GAME } from "./support/node.ts";
import { closeVisit, linkTo, notice, openPage, openTable, serve, type Visit, walletOf } from "./support/table.ts";

afterEach(closeVisit);

const MOVE = { kind: "move", cell: 4, number: 1n } as const;
const ICON = "data:image/svg+xml,%3Csvg/%3E";

/** As an extension announces a wallet (EIP-6963), now and whenever the page asks. */
function announce(name: string, provider: unknown, info: object = {}): void {
  const detail = { info: { uuid: `uuid ${name}`, name, rdns: `test.${name}`, icon: ICON, ...info }, provider };
  const dispatch = (): unknown => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", dispatch);
  dispatch();
}

/** A visit in a browser with these wallets. The page has connected one of them before. */
async function visitWith(
  nodes: Record<string, FakeNode>,
  { last, storages = newStorages(), search = "" }: { last?: string; storages?: Storages; search?: string } = {},
): Promise<Visit> {
  if (last !== undefined) storages.local.setItem("tictactoe.wallet", JSON.stringify(`test.${last}`));
  const visit = await openPage("", storages);
  for (const [name, node] of Object.entries(nodes)) announce(name, node);
  visit.page.wallets.startWallets();
  if (search !== "") visit.browser.visit(search);
  await visit.pass(400);
  return visit;
}

const named = ({ page }: Visit): string[] => page.state.wallets.value.map(({ name }) => name);
const account = ({ page }: Visit): unknown => page.state.connection.value?.accounts[0];

async function connectTo({ page, pass }: Visit, name: string): Promise<boolean> {
  const found = page.state.wallets.value.find((wallet) => wallet.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  const isConnected = await page.wallets.connect(found);
  await pass(10);
  return isConnected;
}

// -- discovery ------------------------------------------------------------------------

test("wallets are listed in the order of their announcements, each once, also late ones", async () => {
  const visit = await visitWith({ First: new FakeNode(), Second: new FakeNode() });
  announce("Late", new FakeNode());
  announce("First", new FakeNode());
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  expect(named(visit)).toEqual(["First", "Second", "Late"]);
  expect(visit.page.state.wallets.value[0]).toMatchObject({ id: "test.First", icon: ICON });
});

const bomb = {
  get(): never {
    throw new Error("bomb");
  },
};
const provider = { request: async (): Promise<unknown[]> => [] };

test("an announcement that lacks something, or throws, hides no other wallet", async () => {
  const visit = await openPage("");
  Object.defineProperty(window, "ethereum", { ...bomb, configurable: true });
  visit.page.wallets.startWallets();
  for (const detail of [
    undefined,
    42,
    { info: null, provider },
    { info: {}, provider },
    { info: { uuid: "1", name: "x", rdns: "a.b" } },
    { info: { uuid: "2", name: "x", rdns: "a.b" }, provider: {} },
    { info: { uuid: "3", name: { toString: null }, rdns: "a.b" }, provider },
    { info: { uuid: "4", name: "x" }, provider },
    Object.defineProperty({}, "info", bomb),
    { info: Object.defineProperty({}, "uuid", bomb), provider },
  ])
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  announce("Honest", new FakeNode());
  expect(named(visit)).toEqual(["Honest"]);
});

test("an icon is drawn only if nobody has to be asked for it", async () => {
  const visit = await visitWith({});
  const images = [ICON, "data:image/png;base64,AA=="];
  const others = "https://a.example/spy.png javascript:alert(1) data:text/html,<b> //a.example/x.png data:image/png!x";
  for (const icon of [...images, ...others.split(" "), "https://a.example/?data:image/png;base64,AA==", undefined])
    announce(String(icon), new FakeNode(), { icon });
  expect(visit.page.state.wallets.value.map(({ icon }) => icon).filter((icon) => icon !== null)).toEqual(images);
});

test.each([null, "ethereum#initialized", "load"])(
  "a wallet that only sets window.ethereum is found and remembered (late: %s)",
  async (late) => {
    const node = new FakeNode();
    const storages = newStorages();
    for (const day of [1, 2]) {
      const visit = await openPage("", storages);
      if (late === null) Object.assign(window, { ethereum: node });
      visit.page.wallets.startWallets();
      expect(visit.page.state.wallets.value).toHaveLength(late === null ? 1 : 0);
      Object.assign(window, { ethereum: node });
      if (late !== null) window.dispatchEvent(new Event(late));
      await visit.pass(10);
      expect(visit.page.state.wallets.value).toMatchObject([{ id: "window.ethereum", name: "", icon: null }]);
      if (day === 1) await connectTo(visit, "");
      expect(account(visit)).toBe(ALICE);
    }
    expect(node.count("eth_requestAccounts")).toBe(1);
    // An announced wallet takes its place in the list.
    const visit = await visitWith({ Announced: new FakeNode() }, { storages });
    Object.assign(window, { ethereum: node });
    window.dispatchEvent(new Event("ethereum#initialized"));
    expect(named(visit)).toEqual(["Announced"]);
  },
);

// -- connecting -----------------------------------------------------------------------

test("a player who declines or shows no account can try again, and a wallet that is asked already is not asked again", async () => {
  const node = new FakeNode();
  const visit = await visitWith({ Shy: node });
  node.fail("eth_requestAccounts", { code: 4001, message: "No." });
  await expect(connectTo(visit, "Shy")).rejects.toMatchObject({ code: 4001 });
  node.overrides["eth_requestAccounts"] = () => ["<script>", 7];
  await expect(connectTo(visit, "Shy")).rejects.toThrow();
  node.overrides["eth_requestAccounts"] = () => [];
  expect([await connectTo(visit, "Shy"), account(visit)]).toEqual([false, undefined]);
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
  const visit = await visitWith({ Empty: node });
  await connectTo(visit, "Empty");
  const { isBroke } = visit.page.state;
  for (const [balance, expected] of [
    ["0x1", false],
    ["0x0", true],
    ["nonsense", false],
    [`0x${"f".repeat(64)}`, false],
    ["0x00", true],
  ] as const) {
    node.overrides["eth_getBalance"] = () => balance;
    await visit.page.wallets.readBalance();
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
  const nodes = { First: new FakeNode(), Second: new FakeNode() };
  nodes.Second.accounts = [BEN];
  const storages = newStorages();
  const visit = await visitWith(nodes, { storages });
  expect([nodes.First.asked, nodes.Second.asked, account(visit)]).toEqual([[], [], undefined]);
  await connectTo(visit, "Second");
  nodes.Second.asked.length = 0;
  const again = await visitWith(nodes, { storages });
  expect(account(again)).toBe(BEN);
  expect([nodes.First.asked, nodes.Second.asked]).toEqual([[], ["eth_accounts", "eth_chainId", "eth_getBalance"]]);
  again.page.wallets.disconnect();
  expect(account(await visitWith(nodes, { storages }))).toBeUndefined();
});

test("the page waits a second for the last wallet to appear and to answer, and reads through an endpoint until it does", async () => {
  for (const isThere of [false, true]) {
    const node = new FakeNode(11_155_111);
    node.mine(GAME);
    serve(node);
    const wake = node.hold("eth_accounts");
    const visit = await visitWith(isThere ? { Sleepy: node } : {}, { last: "Sleepy", search: linkTo(node.chainId) });
    const { source, isReturning } = visit.page.state;
    await visit.pass(599);
    expect([isReturning.value, source.value]).toEqual([true, null]);
    await visit.pass(1);
    expect([isReturning.value, source.value?.kind]).toEqual([false, "endpoint"]);
    wake();
    await visit.pass(1000);
    expect(source.value).toMatchObject(isThere ? { kind: "wallet", name: "Sleepy" } : { kind: "endpoint" });
    closeVisit();
  }
});

test("a wallet that throws or is locked at the next visit is not connected and not reported, and reconnects when it is unlocked", async () => {
  const node = new FakeNode();
  node.fail("eth_accounts", { code: 4100, message: "locked" });
  let visit = await visitWith({ Locked: node }, { last: "Locked" });
  expect([account(visit), visit.page.state.isReturning.value, notice(visit)]).toEqual([undefined, false, ""]);
  Object.assign(node, { overrides: {}, accounts: [] });
  visit = await visitWith({ Locked: node }, { last: "Locked" });
  expect([account(visit), visit.page.state.isReturning.value]).toEqual([undefined, false]);
  node.accounts = [CARLA];
  node.emit("accountsChanged", [CARLA]);
  await visit.pass(10);
  expect([account(visit), node.count("eth_requestAccounts")]).toEqual([CARLA, 0]);
});

test("a wallet that reconnects late does not replace the one that the player has connected since", async () => {
  const [slow, chosen] = [new FakeNode(), new FakeNode()];
  chosen.accounts = [BEN];
  const answer = slow.hold("eth_accounts");
  const visit = await visitWith({ Slow: slow, Chosen: chosen }, { last: "Slow" });
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
  const visit = await visitWith({ First: first, Second: second });
  const { connection } = visit.page.state;
  for (const [event, value] of [
    ...[["<script>"], [7], [[]], ["0x12"], [`${ALICE}00`], []].map(
      (accounts) => ["accountsChanged", accounts] as const,
    ),
    ...["one", "0x", {}, null, -1, 1e300].map((chain) => ["chainChanged", chain] as const),
  ]) {
    await connectTo(visit, "First");
    first.emit("accountsChanged", [BEN, CARLA]);
    first.emit("chainChanged", "0x1");
    expect(connection.value).toMatchObject({ accounts: [BEN, CARLA], chain: 1 });
    first.emit(event, value);
    expect(connection.value).toBeNull();
    await visit.pass(10);
  }
  await connectTo(visit, "Second");
  for (const value of [[], [CARLA], "nonsense"]) first.emit("accountsChanged", value);
  first.emit("chainChanged", "0x1");
  await visit.pass(100);
  expect(connection.value).toMatchObject({ wallet: { name: "Second" }, accounts: [ALICE], chain: 31_337 });
});

// -- another chain --------------------------------------------------------------------

/** A wallet on chain 1 that can learn the chain of the open table. */
async function elsewhere(knows: boolean, wrapped = false) {
  const node = new FakeNode();
  const visit = await openTable(node, GAME);
  const chains = new Set(knows ? [31_337] : []);
  const away = new FakeNode(1);
  away.blocks = node.blocks;
  away.overrides["wallet_switchEthereumChain"] = ([wanted]) => {
    const chain = Number((wanted as { chainId: string }).chainId);
    const unknown = { code: 4902, message: "Unrecognized chain ID" };
    if (!chains.has(chain))
      throw wrapped ? { code: -32_603, message: "Internal error", data: { originalError: unknown } } : unknown;
    away.chainId = chain;
  };
  away.overrides["wallet_addEthereumChain"] = () => void chains.add(31_337);
  visit.page.state.connection.value = { wallet: walletOf(away), accounts: [ALICE], chain: 1 };
  return { visit, away };
}

test.each([
  ["that knows the chain is switched", true, false, 1],
  ["that does not know it learns it first", false, false, 2],
  ["that wraps its errors does so, too", false, true, 2],
])("a wallet %s before it sends", async (_, knows, wrapped, switches) => {
  const { visit, away } = await elsewhere(knows, wrapped);
  void visit.page.transactions.send(MOVE);
  await visit.pass(2000);
  expect(away.count("wallet_switchEthereumChain")).toBe(switches);
  const added = away.requests.filter(({ method }) => method === "wallet_addEthereumChain");
  expect(added.map(({ params }) => params?.[0])).toMatchObject(
    knows ? [] : [{ chainId: "0x7a69", chainName: "Local chain", rpcUrls: ["http://127.0.0.1:8545"] }],
  );
  expect([visit.page.state.connection.value?.chain, away.game.moves]).toEqual([31_337, [4]]);
});

test.each<[string, unknown, string]>([
  ["declines to switch", { code: 4001, message: "No." }, text.failure.declined],
  ["refuses to add the chain", { code: 4902, message: "x" }, "The wallet refused: cannot add"],
  ["switches and stays where it is", null, text.failure.wrongChain],
])("a wallet that %s is reported, and asked for no transaction", async (_, thrown, words) => {
  const { visit, away } = await elsewhere(true);
  away.overrides["wallet_switchEthereumChain"] = () => {
    if (thrown !== null) throw thrown;
  };
  away.fail("wallet_addEthereumChain", { code: -32_602, message: "cannot add" });
  await visit.page.transactions.send(MOVE);
  expect([notice(visit), visit.page.state.pending.value]).toEqual([words, null]);
  expect(away.count("eth_sendTransaction")).toBe(0);
});

test("a player who disconnects while the wallet switches stays disconnected", async () => {
  const { visit, away } = await elsewhere(true);
  const release = away.hold("wallet_switchEthereumChain", () => void (away.chainId = 31_337));
  const sending = visit.page.transactions.send(MOVE);
  await visit.pass(10);
  visit.page.wallets.disconnect();
  release();
  await sending;
  expect([visit.page.state.connection.value, notice(visit)]).toEqual([null, ""]);
});
