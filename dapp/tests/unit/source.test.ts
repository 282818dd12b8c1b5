// Where the page reads a table from, and how often.
import { afterEach, expect, test, vi } from "vitest";
import { chainById, explorerLink, knownChains, LOCAL_CHAIN, pollInterval } from "../../src/chains.ts";
import { ALICE, FakeNode, GAME as EMPTY } from "./support/node.ts";
import { closeVisit, linkTo, openPage, serve, type Visit, walletOf } from "./support/table.ts";

afterEach(closeVisit);

const UNKNOWN = 424_242;
const SEPOLIA = 11_155_111;
const GAME = { ...EMPTY, moves: [4] };
const hostOf = (chain: number): string => new URL(chainById(chain)?.endpoints[0] ?? "").host;

/** A page at a table on a chain, with hosts that serve it. */
async function visitAt(chain: number, hosts = [] as string[]): Promise<Visit & { asked: string[] }> {
  const node = new FakeNode(chain);
  node.mine(GAME);
  const asked: string[] = [];
  serve((url) => {
    const { host } = new URL(url);
    asked.push(host);
    if (!hosts.includes(host)) throw new TypeError("failed to fetch");
    return node;
  });
  const visit = await openPage(linkTo(chain));
  await visit.pass(1000);
  return { ...visit, asked };
}

const moves = ({ page }: Visit): unknown => page.state.snapshot?.game?.moves;

test("a known chain is read from its first endpoint, and nothing else is asked", async () => {
  const host = hostOf(SEPOLIA);
  const visit = await visitAt(SEPOLIA, [host]);
  expect([visit.page.state.source, moves(visit)]).toEqual([{ kind: "endpoint", host }, [4]]);
  expect(new Set(visit.asked)).toEqual(new Set([host]));
});

test("an endpoint in a link is ignored", async () => {
  const visit = await visitAt(SEPOLIA, [hostOf(SEPOLIA)]);
  visit.browser.visit(`${linkTo(SEPOLIA)}&rpc=https://stranger.example/&rpc=x`);
  await visit.pass(1000);
  expect([visit.page.state.source, moves(visit)]).toEqual([{ kind: "endpoint", host: hostOf(SEPOLIA) }, [4]]);
  expect(new Set(visit.asked)).toEqual(new Set([hostOf(SEPOLIA)]));
});

test("a build can say where the local chain's node is", async () => {
  expect(hostOf(LOCAL_CHAIN)).toBe("127.0.0.1:8545");
  vi.stubEnv("VITE_LOCAL_NODE", "http://127.0.0.1:9999");
  const visit = await visitAt(LOCAL_CHAIN, ["127.0.0.1:9999"]);
  vi.unstubAllEnvs();
  expect([visit.page.state.source, moves(visit)]).toEqual([{ kind: "endpoint", host: "127.0.0.1:9999" }, [4]]);
});

test.each([UNKNOWN])(
  "chain %i without an endpoint needs a wallet, and one on that chain that is not connected can read",
  async (chain) => {
    const visit = await visitAt(chain);
    expect(visit.page.state.source).toEqual({ kind: "none" });
    const [other, right] = [new FakeNode(1), new FakeNode(chain)];
    right.mine(GAME);
    visit.page.change({ wallets: [walletOf(other, "Other"), walletOf(right, "Right")] });
    await visit.pass(1000);
    expect([visit.page.state.source, moves(visit)]).toEqual([{ kind: "wallet", name: "Right" }, [4]]);
    expect(new Set(other.asked)).toEqual(new Set(["eth_chainId"]));
    expect(right.count("eth_requestAccounts")).toBe(0);
  },
);

test("each chain is read from its own endpoints", async () => {
  const visit = await visitAt(SEPOLIA, [hostOf(SEPOLIA), hostOf(1)]);
  visit.asked.length = 0;
  visit.browser.visit(linkTo(1));
  await visit.pass(1000);
  expect(visit.asked[0]).toBe(hostOf(1));
  expect(visit.page.state.source).toEqual({ kind: "endpoint", host: hostOf(1) });
});

test("a connected wallet on the chain comes before every endpoint, and an endpoint takes over when it leaves the chain", async () => {
  const visit = await visitAt(SEPOLIA, [hostOf(SEPOLIA)]);
  expect(visit.page.state.source).toEqual({ kind: "endpoint", host: hostOf(SEPOLIA) });
  const node = new FakeNode(SEPOLIA);
  node.mine(GAME);
  const connection = { wallet: walletOf(node), accounts: [ALICE], chain: SEPOLIA };
  visit.page.change({ connection });
  await visit.pass(1000);
  expect(visit.page.state.source).toEqual({ kind: "wallet", name: "Wallet" });
  visit.asked.length = 0;
  await visit.pass(10_000);
  expect(visit.asked).toEqual([]);
  visit.page.change({ connection: { ...connection, chain: 1 } });
  await visit.pass(1000);
  expect(visit.page.state.source).toEqual({ kind: "endpoint", host: hostOf(SEPOLIA) });
  node.asked.length = 0;
  await visit.pass(10_000);
  expect(node.asked).toEqual([]);
});

test.each([
  [42_161, 10],
  [LOCAL_CHAIN, 40],
])("in ten seconds an endpoint of chain %i is asked %i times", async (chain, times) => {
  const visit = await visitAt(chain, [hostOf(chain)]);
  expect(moves(visit)).toEqual([4]);
  visit.asked.length = 0;
  await visit.pass(10_000);
  expect(visit.asked).toHaveLength(times);
});

test.each([
  ["a chain that another one serves", 1, "wrongChain"],
  ["its own chain", SEPOLIA, "connected"],
])("an endpoint that serves %s", async (_, served, expected) => {
  const node = new FakeNode(served);
  const visit = await visitAt(SEPOLIA);
  serve(node);
  await visit.pass(60_000);
  expect(visit.page.state.nodeStatus).toBe(expected);
  expect(visit.page.state.snapshot === null).toBe(expected === "wrongChain");
});

test.each([
  [LOCAL_CHAIN, 250],
  [UNKNOWN, 1000],
  [SEPOLIA, 3000],
  [42_161, 1000],
  [100, 1250],
])("chain %i is asked every %i ms", (chain, expected) => {
  expect(pollInterval(chain)).toBe(expected);
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
