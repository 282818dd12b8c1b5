// Wallets: discovery, connection, the next visit, events, switching to the table's chain, and wallets that report nonsense.
import { afterEach, expect, test, vi } from "vitest";
import type { Request } from "../../src/provider.ts";
import { text } from "../../src/text.ts";
import { newStorages, type Storages } from "./support/browser.ts";
import { ALICE, BEN, CARLA, FakeNode, GAME, TABLE } from "./support/node.ts";
import { closeVisit, linkTo, notice, openPage, openTable, serve, type Visit, walletOf } from "./support/table.ts";

afterEach(closeVisit);

test.each([
  ...[["<script>"], [7], [null], [[]], ["0x12"], [`${ALICE}00`], "0x", { length: 1 }].map(
    (value) => ["accountsChanged", value] as const,
  ),
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
  const { page, pass } = await openTable(node, GAME);
  const bomb = Object.defineProperty({}, "message", {
    get() {
      throw new Error("bomb");
    },
  });
  const things: unknown[] = [
    null,
    undefined,
    42,
    "words",
    Symbol("s"),
    Object.create(null),
    bomb,
    { message: { toString: null } },
  ];
  for (const thing of things) {
    node.fail("eth_sendTransaction", thing);
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

// -- discovery ------------------------------------------------------------------

const ICON = "data:image/svg+xml,%3Csvg/%3E";

/** As an extension announces a wallet (EIP-6963), now and whenever the page asks. */
function announce(name: string, provider: unknown, info: object = {}): void {
  const detail = { info: { uuid: `uuid ${name}`, name, rdns: `test.${name}`, icon: ICON, ...info }, provider };
  const dispatch = (): unknown => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", dispatch);
  dispatch();
}

/** A visit in a browser with these wallets, which do not show their accounts unless they are trusted. */
async function visitWith(
  nodes: Record<string, FakeNode>,
  storages: Storages = newStorages(),
  search = "",
): Promise<Visit> {
  const visit = await openPage(search, storages);
  for (const [name, node] of Object.entries(nodes)) announce(name, node);
  visit.page.wallets.startWallets();
  await visit.pass(400);
  return visit;
}

const named = ({ page }: Visit): string[] => page.state.wallets.map(({ name }) => name);
const account = ({ page }: Visit): unknown => page.state.connection?.accounts[0];
const walletIn = ({ page }: Visit, name: string) => {
  const found = page.state.wallets.find((wallet) => wallet.name === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};

test("wallets are listed in the order of their announcements, each once, also late ones", async () => {
  const visit = await visitWith({ First: new FakeNode(), Second: new FakeNode() });
  announce("Late", new FakeNode());
  announce("First", new FakeNode());
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  await visit.pass(10);
  expect(named(visit)).toEqual(["First", "Second", "Late"]);
  expect(visit.page.state.wallets[0]).toMatchObject({ id: "test.First", icon: ICON });
});

const bomb = {
  get(): never {
    throw new Error("bomb");
  },
};
const request = async (): Promise<unknown[]> => [];

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["null", null],
  ["a number", 42],
  ["no info", { info: null, provider: { request } }],
  ["no names", { info: {}, provider: { request } }],
  ["no provider", { info: { uuid: "1", name: "x", rdns: "a.b" } }],
  ["no request", { info: { uuid: "2", name: "x", rdns: "a.b" }, provider: {} }],
  ["a name that is no text", { info: { uuid: "3", name: { toString: null }, rdns: "a.b" }, provider: { request } }],
  ["no rdns", { info: { uuid: "4", name: "x" }, provider: { request } }],
  ["an info that throws", Object.defineProperty({}, "info", bomb)],
  ["a uuid that throws", { info: Object.defineProperty({}, "uuid", bomb), provider: { request } }],
])("an announcement of %s hides no other wallet", async (_, detail) => {
  const { page, pass } = await openPage("");
  Object.defineProperty(window, "ethereum", { ...bomb, configurable: true });
  page.wallets.startWallets();
  window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  announce("Honest", new FakeNode());
  await pass(10);
  expect(page.state.wallets.map(({ name }) => name)).toEqual(["Honest"]);
});

test.each([
  ["https://example.com/spy.png", null],
  ["javascript:alert(1)", null],
  ["data:text/html,<script>", null],
  ["//example.com/spy.png", null],
  ["https://example.com/?data:image/png;base64,AA==", null],
  ["data:image/png!base64", null],
  [undefined, null],
  ["data:image/png;base64,AA==", "data:image/png;base64,AA=="],
])("the icon %s becomes %s", async (icon, expected) => {
  const visit = await visitWith({});
  announce("Any", new FakeNode(), { icon });
  await visit.pass(10);
  expect(walletIn(visit, "Any").icon).toBe(expected);
});

test.each([null, "ethereum#initialized", "load"])(
  "a wallet that only sets window.ethereum is found and remembered (late: %s)",
  async (late) => {
    const node = new FakeNode();
    const storages = newStorages();
    for (let day = 0; day < 2; day += 1) {
      const visit = await openPage("", storages);
      if (late === null) Object.assign(window, { ethereum: node });
      visit.page.wallets.startWallets();
      if (late !== null) {
        expect(visit.page.state.wallets).toEqual([]);
        Object.assign(window, { ethereum: node });
        window.dispatchEvent(new Event(late));
      }
      await visit.pass(10);
      expect(visit.page.state.wallets).toMatchObject([{ id: "window.ethereum", name: "", icon: null }]);
      if (day === 0) await visit.page.wallets.connect(walletIn(visit, ""));
      expect(account(visit)).toBe(ALICE);
    }
    expect(node.count("eth_requestAccounts")).toBe(1);
    // An announced wallet takes its place in the list.
    const visit = await visitWith({ Announced: new FakeNode() }, storages);
    Object.assign(window, { ethereum: node });
    window.dispatchEvent(new Event("ethereum#initialized"));
    expect(named(visit)).toEqual(["Announced"]);
  },
);

test("a wallet is listened to once, and one without events can be used", async () => {
  const node = new FakeNode();
  const on = vi.spyOn(node, "on");
  const { page } = await openPage("");
  for (let times = 0; times < 2; times += 1) expect(await page.wallets.connect(walletOf(node))).toBe(true);
  expect(on.mock.calls.map(([event]) => event)).toEqual(["accountsChanged", "chainChanged"]);
  page.wallets.disconnect();
  page.wallets.disconnect();
  const silent = { request: (asked: Request) => node.request(asked) };
  expect(await page.wallets.connect({ ...walletOf(node), provider: silent })).toBe(true);
  expect(page.state.connection?.wallet.provider).toBe(silent);
});

// -- the next visit -------------------------------------------------------------

test("a wallet that throws at the next visit is not connected, and nothing is reported", async () => {
  const node = new FakeNode();
  node.fail("eth_accounts", { code: 4100, message: "locked" });
  const storages = newStorages();
  storages.local.setItem("tictactoe.wallet", '"test.Locked"');
  const visit = await visitWith({ Locked: node }, storages);
  expect([node.count("eth_accounts"), account(visit), visit.page.state.returning, notice(visit)]).toEqual([
    1,
    undefined,
    false,
    "",
  ]);
});

test("of several wallets the last one reconnects without asking, until the player disconnects", async () => {
  const [first, second] = [new FakeNode(), new FakeNode()];
  second.accounts = [BEN];
  const storages = newStorages();
  const visit = await visitWith({ First: first, Second: second }, storages);
  expect([first.asked, second.asked, account(visit)]).toEqual([[], [], undefined]);
  await visit.page.wallets.connect(walletIn(visit, "Second"));
  expect(second.asked.slice(0, 2)).toEqual(["eth_requestAccounts", "eth_chainId"]);
  await visit.pass(10);
  second.asked.length = 0;
  const again = await visitWith({ First: first, Second: second }, storages);
  expect(account(again)).toBe(BEN);
  expect([first.asked, second.asked]).toEqual([[], ["eth_accounts", "eth_chainId", "eth_getBalance"]]);
  again.page.wallets.disconnect();
  expect(account(await visitWith({ First: first, Second: second }, storages))).toBeUndefined();
});

test("only a balance of 0 is reported, and asked for again when the player comes back from a faucet", async () => {
  const node = new FakeNode();
  const visit = await visitWith({ Empty: node });
  const isBroke = async (balance: unknown): Promise<boolean> => {
    node.overrides["eth_getBalance"] = () => balance;
    await visit.page.wallets.readBalance();
    return visit.page.state.isBroke;
  };
  await visit.page.wallets.connect(walletIn(visit, "Empty"));
  expect([await isBroke("0x1"), await isBroke("nonsense"), await isBroke(`0x${"f".repeat(64)}`)]).toEqual(
    Array(3).fill(false),
  );
  expect(await isBroke("0x0")).toBe(true);
  node.overrides = {};
  visit.browser.setHidden(true);
  visit.browser.setHidden(false);
  await visit.pass(10);
  expect(visit.page.state.isBroke).toBe(false);
});

test("a player who declines to connect can try again", async () => {
  const node = new FakeNode();
  const visit = await visitWith({ Shy: node });
  node.fail("eth_requestAccounts", { code: 4001, message: "No." });
  await expect(visit.page.wallets.connect(walletIn(visit, "Shy"))).rejects.toMatchObject({ code: 4001 });
  expect(account(visit)).toBeUndefined();
  node.overrides["eth_requestAccounts"] = () => [];
  expect(await visit.page.wallets.connect(walletIn(visit, "Shy"))).toBe(false);
  node.overrides = {};
  expect(await visit.page.wallets.connect(walletIn(visit, "Shy"))).toBe(true);
  expect(account(visit)).toBe(ALICE);
});

test("a wallet that is asked already is not asked again", async () => {
  const node = new FakeNode();
  const visit = await visitWith({ Slow: node });
  const confirm = node.hold("eth_requestAccounts");
  const first = visit.page.wallets.connect(walletIn(visit, "Slow"));
  expect(await visit.page.wallets.connect(walletIn(visit, "Slow"))).toBe(false);
  await visit.pass(60_000);
  confirm();
  expect(await first).toBe(true);
  expect(node.count("eth_requestAccounts")).toBe(1);
});

test("a wallet that was locked reconnects when it is unlocked", async () => {
  const node = new FakeNode();
  const storages = newStorages();
  storages.local.setItem("tictactoe.wallet", '"test.Locked"');
  node.accounts = [];
  const visit = await visitWith({ Locked: node }, storages);
  expect([account(visit), visit.page.state.returning]).toEqual([undefined, false]);
  node.accounts = [CARLA];
  node.emit("accountsChanged", [CARLA]);
  await visit.pass(10);
  expect(account(visit)).toBe(CARLA);
  expect(node.count("eth_requestAccounts")).toBe(0);
});

test("a wallet that reconnects late does not replace the one that the player has connected since", async () => {
  const [slow, chosen] = [new FakeNode(), new FakeNode()];
  chosen.accounts = [BEN];
  const storages = newStorages();
  storages.local.setItem("tictactoe.wallet", '"test.Slow"');
  const answer = slow.hold("eth_accounts");
  const visit = await visitWith({ Slow: slow, Chosen: chosen }, storages);
  await visit.page.wallets.connect(walletIn(visit, "Chosen"));
  answer();
  await visit.pass(10);
  expect(account(visit)).toBe(BEN);
  // Nor is it asked again when other wallets appear.
  slow.asked.length = 0;
  announce("Another", new FakeNode());
  await visit.pass(10);
  expect(slow.asked).toEqual([]);
});

test("while the last wallet wakes up, the page reads through an endpoint", async () => {
  const node = new FakeNode(11_155_111);
  node.mine(GAME);
  serve(node);
  const wake = node.hold("eth_accounts");
  const storages = newStorages();
  storages.local.setItem("tictactoe.wallet", '"test.Sleepy"');
  const { page, browser, pass } = await visitWith({ Sleepy: node }, storages);
  browser.visit(linkTo(node.chainId));
  await pass(1000);
  expect(page.state.source?.kind).toBe("endpoint");
  wake();
  await pass(1000);
  expect(page.state.source).toEqual({ kind: "wallet", name: "Sleepy" });
});

test("the page waits a second for the last wallet to appear and to answer, and asks no endpoint before", async () => {
  for (const name of ["Absent", "Sleepy"]) {
    const storages = newStorages();
    storages.local.setItem("tictactoe.wallet", `"test.${name}"`);
    const node = new FakeNode(11_155_111);
    serve(node);
    node.hold("eth_accounts");
    const { page, browser, pass } = await openPage("", storages);
    page.wallets.startWallets();
    if (name === "Sleepy") announce(name, node);
    browser.visit(linkTo(node.chainId));
    await pass(999);
    expect([page.state.returning, page.state.source]).toEqual([true, null]);
    await pass(1);
    expect([page.state.returning, page.state.source?.kind]).toEqual([false, "endpoint"]);
    closeVisit();
  }
});

// -- events ---------------------------------------------------------------------

test("the page follows the wallet to another account, no account and another chain", async () => {
  const node = new FakeNode();
  node.mine(GAME);
  const visit = await visitWith({ Any: node }, newStorages(), linkTo(node.chainId));
  await visit.page.wallets.connect(walletIn(visit, "Any"));
  await visit.pass(500);
  const title = (): string => visit.page.words.statusText(visit.page.state).title;
  const hint = (): string => visit.page.words.statusText(visit.page.state).hint;
  expect(title()).toBe(text.status.yourTurn);
  node.emit("accountsChanged", [BEN]);
  expect([title(), hint()]).toEqual(["X to move", `Waiting for ${visit.page.words.short(ALICE)}.`]);
  node.emit("accountsChanged", [CARLA]);
  expect(hint()).toBe(text.status.watching);
  node.emit("accountsChanged", [ALICE, BEN]);
  expect([title(), hint()]).toEqual(["X to move", text.status.bothTurnHint]);
  node.emit("accountsChanged", []);
  expect(account(visit)).toBeUndefined();
  // Unlocked.
  node.emit("accountsChanged", [ALICE]);
  await visit.pass(10);
  expect(account(visit)).toBe(ALICE);
  node.emit("chainChanged", "0x1");
  expect(visit.page.state.connection?.chain).toBe(1);
});

test("events of a wallet that was replaced are ignored", async () => {
  const [first, second] = [new FakeNode(), new FakeNode()];
  second.accounts = [BEN];
  const visit = await visitWith({ First: first, Second: second });
  await visit.page.wallets.connect(walletIn(visit, "First"));
  await visit.page.wallets.connect(walletIn(visit, "Second"));
  for (const value of [[], [CARLA], "nonsense"]) first.emit("accountsChanged", value);
  first.emit("chainChanged", "0x1");
  await visit.pass(100);
  expect(visit.page.state.connection).toMatchObject({ wallet: { name: "Second" }, accounts: [BEN], chain: 31_337 });
});

// -- another chain --------------------------------------------------------------

const MOVE = { kind: "move", cell: 4, number: 1n } as const;

/** A wallet on chain 1 with accounts at a table on another chain, which the page reads through an endpoint of its own. */
async function elsewhere(knows: boolean, wrapped = false) {
  const node = new FakeNode();
  const visit = await openTable(node, GAME);
  const chains = new Set(knows ? [31_337] : []);
  const offered: unknown[] = [];
  const wandering = new FakeNode(1);
  wandering.blocks = node.blocks;
  wandering.overrides["wallet_switchEthereumChain"] = ([wanted]) => {
    const { chainId } = wanted as { chainId: string };
    if (!chains.has(Number(chainId))) {
      const unknown = { code: 4902, message: "Unrecognized chain ID" };
      throw wrapped ? { code: -32_603, message: "Internal error", data: { originalError: unknown } } : unknown;
    }
    wandering.chainId = Number(chainId);
  };
  wandering.overrides["wallet_addEthereumChain"] = ([description]) => {
    offered.push(description);
    chains.add(31_337);
  };
  visit.page.change({ connection: { wallet: walletOf(wandering), accounts: [ALICE], chain: 1 } });
  return { visit, wandering, offered };
}

test("a wallet on another chain is switched before it sends", async () => {
  const { visit, wandering, offered } = await elsewhere(true);
  void visit.page.transactions.send(MOVE);
  await visit.pass(2000);
  expect(wandering.count("wallet_switchEthereumChain")).toBe(1);
  expect(wandering.asked.indexOf("wallet_switchEthereumChain")).toBeLessThan(
    wandering.asked.indexOf("eth_sendTransaction"),
  );
  expect(visit.page.state.connection?.chain).toBe(31_337);
  expect(wandering.game.moves).toEqual([4]);
  expect(offered).toEqual([]);
});

test.each([false, true])("a chain that the wallet does not know is added first (4902 wrapped: %s)", async (wrapped) => {
  const { visit, wandering, offered } = await elsewhere(false, wrapped);
  void visit.page.transactions.send(MOVE);
  await visit.pass(2000);
  expect(offered).toEqual([
    {
      chainId: "0x7a69",
      chainName: "Local chain",
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
      rpcUrls: ["http://127.0.0.1:8545"],
      blockExplorerUrls: undefined,
    },
  ]);
  expect(wandering.game.moves).toEqual([4]);
});

test("a player who disconnects while the wallet switches stays disconnected", async () => {
  const { visit, wandering } = await elsewhere(true);
  const release = wandering.hold("wallet_switchEthereumChain", () => void (wandering.chainId = 31_337));
  const sending = visit.page.transactions.send(MOVE);
  await visit.pass(10);
  visit.page.wallets.disconnect();
  release();
  await sending;
  expect([visit.page.state.connection, notice(visit)]).toEqual([null, ""]);
});

test.each<[string, unknown, string]>([
  ["declines to switch", { code: 4001, message: "No." }, text.failure.declined],
  ["refuses to add the chain", { code: 4902, message: "x" }, "The wallet refused: cannot add"],
  ["switches and stays where it is", null, text.failure.wrongChain],
])("a wallet that %s is reported, and asked for no transaction", async (_, thrown, words) => {
  const { visit, wandering } = await elsewhere(true);
  wandering.overrides["wallet_switchEthereumChain"] = () => {
    if (thrown !== null) throw thrown;
  };
  wandering.fail("wallet_addEthereumChain", { code: -32_602, message: "cannot add" });
  await visit.page.transactions.send(MOVE);
  expect([notice(visit), visit.page.state.pending]).toEqual([words, null]);
  expect(wandering.count("eth_sendTransaction")).toBe(0);
});

test("a table that only the page's endpoint shows gets no transaction", async () => {
  const { visit, wandering } = await elsewhere(true);
  // The wallet's own node has another contract there, which accepts every call.
  wandering.overrides["eth_getCode"] = () => "0x00";
  wandering.overrides["eth_call"] = () => "0x";
  // However often the player tries.
  for (let presses = 0; presses < 2; presses += 1) {
    await visit.page.transactions.send(MOVE);
    expect(visit.page.state.notice).toEqual({ kind: "failure", failure: { kind: "notTable" } });
  }
  expect(wandering.count("eth_sendTransaction")).toBe(0);
  expect(visit.page.state.link).toMatchObject({ table: { address: TABLE } });
});
