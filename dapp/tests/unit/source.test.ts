// Where the page reads a table from, and how often.
import { afterEach, expect, test } from "vitest";
import { chainById, explorerLink, knownChains, LOCAL_CHAIN, pollInterval, PRACTICE_CHAIN } from "../../src/chains.ts";
import { ALICE, BEN, FakeNode, GAME as EMPTY, TABLE } from "./support/node.ts";
import { closeVisit, linkTo, openPage, serve, type Visit, walletOf } from "./support/table.ts";

afterEach(closeVisit);

const UNKNOWN = 424_242;
const SEPOLIA = 11_155_111;
const RPC = "https://stranger.example/rpc";
const GAME = { ...EMPTY, moves: [4] };

/** A page at a table on a chain, with hosts that serve it. */
async function visitAt(
  chain: number,
  { rpc = "", allowed = false, hosts = [] as string[] } = {},
): Promise<Visit & { asked: string[] }> {
  const node = new FakeNode(chain);
  node.mine(GAME);
  const asked: string[] = [];
  serve((url) => {
    const { host } = new URL(url);
    asked.push(host);
    if (!hosts.includes(host)) throw new TypeError("failed to fetch");
    return node;
  });
  const visit = await openPage("");
  if (allowed) visit.page.memory.remember.allowed({ chain, rpc });
  visit.browser.visit(`${linkTo(chain)}${rpc && `&rpc=${encodeURIComponent(rpc)}`}`);
  await visit.pass(1000);
  return { ...visit, asked };
}

const moves = ({ page }: Visit): unknown => page.state.snapshot?.game?.moves;

test("a known chain is read from its first endpoint, and nothing else is asked", async () => {
  const [url = ""] = chainById(SEPOLIA)?.endpoints ?? [];
  const { host } = new URL(url);
  const visit = await visitAt(SEPOLIA, { hosts: [host] });
  expect([visit.page.state.source, moves(visit)]).toEqual([{ kind: "endpoint", host }, [4]]);
  expect(new Set(visit.asked)).toEqual(new Set([host]));
});

test("a link's endpoint is asked only after the player has agreed, and again on the next visit", async () => {
  const visit = await visitAt(UNKNOWN, { rpc: RPC, hosts: ["stranger.example"] });
  expect([visit.page.state.source, visit.asked]).toEqual([{ kind: "none", why: "consent" }, []]);
  visit.page.session.allowEndpoint(true);
  await visit.pass(1000);
  expect([visit.page.state.source, moves(visit)]).toEqual([{ kind: "endpoint", host: "stranger.example" }, [4]]);
  visit.browser.visit("");
  visit.browser.visit(`${linkTo(UNKNOWN)}&rpc=${encodeURIComponent(RPC)}`);
  await visit.pass(1000);
  expect(moves(visit)).toEqual([4]);
  // For another chain its owner could show anything.
  visit.browser.visit(`${linkTo(UNKNOWN + 1)}&rpc=${encodeURIComponent(RPC)}`);
  await visit.pass(1000);
  expect(visit.page.state.source).toEqual({ kind: "none", why: "consent" });
});

test("a player who refuses a link's endpoint of a known chain reads from a known one", async () => {
  const hosts = (chainById(SEPOLIA)?.endpoints ?? []).map((url) => new URL(url).host);
  const visit = await visitAt(SEPOLIA, { rpc: RPC, hosts });
  expect(visit.page.state.source).toEqual({ kind: "none", why: "consent" });
  visit.page.session.allowEndpoint(false);
  await visit.pass(1000);
  expect([visit.page.state.source, moves(visit)]).toEqual([{ kind: "endpoint", host: hosts[0] }, [4]]);
  expect(visit.asked).not.toContain("stranger.example");
});

test("without a link's endpoint there is none to allow", async () => {
  for (const search of ["", linkTo(UNKNOWN)]) {
    const { page, browser, storages } = await visitAt(UNKNOWN);
    browser.visit(search);
    page.session.allowEndpoint(true);
    page.session.allowEndpoint(false);
    expect(storages.local.getItem("tictactoe.endpoints")).toBeNull();
  }
});

test("a player who refuses the endpoint of an unknown chain needs a wallet", async () => {
  const visit = await visitAt(UNKNOWN, { rpc: RPC });
  visit.page.session.allowEndpoint(false);
  await visit.pass(1000);
  expect([visit.page.state.source, visit.asked]).toEqual([{ kind: "none", why: "unknownChain" }, []]);
});

test.each([UNKNOWN, PRACTICE_CHAIN + 1])(
  "chain %i without an endpoint needs a wallet, and one on that chain that is not connected can read",
  async (chain) => {
    const visit = await visitAt(chain);
    expect(visit.page.state.source).toEqual({ kind: "none", why: "unknownChain" });
    const [other, right] = [new FakeNode(1), new FakeNode(chain)];
    right.mine(GAME);
    visit.page.change({ wallets: [walletOf(other, "Other"), walletOf(right, "Right")] });
    await visit.pass(1000);
    expect([visit.page.state.source, moves(visit)]).toEqual([{ kind: "wallet", name: "Right" }, [4]]);
    expect(new Set(other.asked)).toEqual(new Set(["eth_chainId"]));
    expect(right.count("eth_requestAccounts")).toBe(0);
  },
);

test("a wallet that is not connected is not taken for the practice chain", async () => {
  const visit = await visitAt(SEPOLIA);
  const practice = new FakeNode(PRACTICE_CHAIN);
  const link = { kind: "table", table: { chain: PRACTICE_CHAIN, address: TABLE, rpc: null }, inviter: null } as const;
  visit.page.change({ wallets: [walletOf(practice)], link });
  await visit.pass(1000);
  expect([visit.page.state.source, practice.asked]).toEqual([{ kind: "none", why: "unknownChain" }, []]);
});

test("each chain is read from its own endpoints", async () => {
  const hostOf = (chain: number): string => new URL(chainById(chain)?.endpoints[0] ?? "").host;
  const visit = await visitAt(SEPOLIA, { hosts: [hostOf(SEPOLIA), hostOf(1)] });
  visit.asked.length = 0;
  visit.browser.visit(linkTo(1));
  await visit.pass(1000);
  expect(visit.asked[0]).toBe(hostOf(1));
  expect(visit.page.state.source).toEqual({ kind: "endpoint", host: hostOf(1) });
});

test("with a wallet on the chain the page does not ask about a link's endpoint", async () => {
  const visit = await visitAt(UNKNOWN, { rpc: RPC });
  expect(visit.page.state.source).toEqual({ kind: "none", why: "consent" });
  const node = new FakeNode(UNKNOWN);
  node.mine(GAME);
  visit.page.change({ connection: { wallet: walletOf(node), accounts: [ALICE], chain: UNKNOWN } });
  await visit.pass(1000);
  expect([visit.page.state.source, moves(visit), visit.asked]).toEqual([{ kind: "wallet", name: "Wallet" }, [4], []]);
});

test("a connected wallet on the chain comes before every endpoint, and an endpoint takes over when it leaves the chain", async () => {
  const visit = await visitAt(UNKNOWN, { rpc: RPC, allowed: true, hosts: ["stranger.example"] });
  expect(visit.page.state.source).toEqual({ kind: "endpoint", host: "stranger.example" });
  const node = new FakeNode(UNKNOWN);
  node.mine(GAME);
  const connection = { wallet: walletOf(node), accounts: [ALICE], chain: UNKNOWN };
  visit.page.change({ connection });
  await visit.pass(1000);
  expect(visit.page.state.source).toEqual({ kind: "wallet", name: "Wallet" });
  visit.asked.length = 0;
  await visit.pass(10_000);
  expect(visit.asked).toEqual([]);
  visit.page.change({ connection: { ...connection, chain: 1 } });
  await visit.pass(1000);
  expect(visit.page.state.source).toEqual({ kind: "endpoint", host: "stranger.example" });
  node.asked.length = 0;
  await visit.pass(10_000);
  expect(node.asked).toEqual([]);
});

test.each([
  [RPC, 10],
  ["http://127.0.0.1:8545/", 40],
])("in ten seconds the endpoint %s is asked %i times", async (rpc, times) => {
  const visit = await visitAt(UNKNOWN, { rpc, allowed: true, hosts: [new URL(rpc).host] });
  expect(moves(visit)).toEqual([4]);
  visit.asked.length = 0;
  await visit.pass(10_000);
  expect(visit.asked).toHaveLength(times);
});

test.each([
  ["a chain that another one serves", 1, "wrongChain"],
  ["its own chain", UNKNOWN, "connected"],
])("an endpoint that serves %s", async (_, served, expected) => {
  const node = new FakeNode(served);
  const visit = await visitAt(UNKNOWN, { rpc: RPC, allowed: true });
  serve(node);
  await visit.pass(60_000);
  expect(visit.page.state.nodeStatus).toBe(expected);
  expect(visit.page.state.snapshot === null).toBe(expected === "wrongChain");
});

test("a table is remembered once its code is there", async () => {
  const hosts = (chainById(SEPOLIA)?.endpoints ?? []).map((url) => new URL(url).host);
  const visit = await visitAt(SEPOLIA, { hosts });
  expect(visit.page.memory.recall.tables()).toMatchObject([{ chain: SEPOLIA, address: TABLE }]);
  visit.browser.visit(linkTo(SEPOLIA, BEN));
  await visit.pass(5000);
  expect(visit.page.state.snapshot?.code).toBe("none");
  expect(visit.page.memory.recall.tables()).toHaveLength(1);
});

test.each([
  [LOCAL_CHAIN, null, 250],
  [PRACTICE_CHAIN, null, 250],
  [UNKNOWN, "http://127.0.0.1:8545/", 250],
  [UNKNOWN, "http://localhost:8545/", 250],
  [UNKNOWN, RPC, 1000],
  [UNKNOWN, null, 1000],
  [SEPOLIA, null, 3000],
  [42_161, null, 1000],
  [100, null, 1250],
])("chain %i at %s is asked every %i ms", (chain, url, expected) => {
  expect(pollInterval(chain, url)).toBe(expected);
});

test("every known chain has its explorer's address for a transaction, but for the local one", () => {
  for (const { id } of knownChains) {
    const link = explorerLink(id, "0x12");
    if (id === LOCAL_CHAIN) expect(link).toBeNull();
    else expect(new URL(link ?? "").pathname).toMatch(/\/tx\/0x12$/);
    expect(explorerLink(id, null)).toBeNull();
  }
  expect(explorerLink(UNKNOWN, "0x12")).toBeNull();
});
