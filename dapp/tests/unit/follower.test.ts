// Following a table: what is asked, how often, and which answers are passed on.
import { encodeFunctionData } from "viem/utils";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { InvalidAnswer } from "../../src/answers.ts";
import { readGame } from "../../src/calls.ts";
import { ABI } from "../../src/generated/contract.ts";
import { follow, type Follower, type NodeStatus, type Snapshot } from "../../src/follower.ts";
import { clientOf } from "../../src/provider.ts";
import { type Browser, openBrowser } from "./support/browser.ts";
import { ALICE, BEN, encodeState, FakeNode, GAME, TABLE } from "./support/node.ts";

const INTERVAL = 1000;
let node: FakeNode;
let browser: Browser;
let follower: Follower;
let waiting: boolean;
let snapshots: Snapshot[];
let statuses: NodeStatus[];

const pass = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);
const moves = (): (readonly number[] | undefined)[] => snapshots.map(({ game }) => game?.moves);

function start({
  interval = INTERVAL,
  shown = null,
}: { interval?: number; shown?: Snapshot["head"] | null } = {}): void {
  follower = follow({
    client: clientOf(node),
    chain: 31_337,
    table: TABLE,
    interval,
    shown,
    waiting: () => waiting,
    onSnapshot: (snapshot) => snapshots.push(snapshot),
    onNodeStatus: (status) => {
      if (statuses.at(-1) !== status) statuses.push(status);
    },
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  browser = openBrowser();
  [waiting, snapshots, statuses] = [false, [], []];
  node = new FakeNode();
  node.mine({ ...GAME, moves: [4] });
});

afterEach(() => {
  follower.stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("the game is read once per head, and the chain and the code once", async () => {
  start();
  await pass(10 * INTERVAL);
  expect(moves()).toEqual([[4]]);
  expect([node.count("eth_chainId"), node.count("eth_getCode"), node.count("eth_call")]).toEqual([1, 1, 1]);
  expect(node.count("eth_getBlockByNumber")).toBe(11);
  expect(node.requests).toContainEqual({ method: "eth_getBlockByNumber", params: ["latest", false] });
  const data = encodeFunctionData({ abi: ABI, functionName: "gameState" });
  expect(node.requests).toContainEqual({ method: "eth_call", params: [{ to: TABLE, data }, "0x1"] });
  node.mine({ moves: [4, 0] });
  await pass(INTERVAL);
  expect(moves()).toEqual([[4], [4, 0]]);
  expect([node.count("eth_chainId"), node.count("eth_getCode"), node.count("eth_call")]).toEqual([1, 1, 2]);
});

test("a new head at every look costs one request for the state each, and none more often", async () => {
  start();
  node.overrides["eth_getBlockByNumber"] = (params) => {
    node.mine();
    return node.answer("eth_getBlockByNumber", params);
  };
  await pass(20 * INTERVAL);
  expect(node.count("eth_getBlockByNumber")).toBe(21);
  expect(node.count("eth_call")).toBeLessThanOrEqual(21);
});

test("a reorg at the same height is noticed", async () => {
  start();
  await pass(INTERVAL);
  node.reorg(1);
  node.blocks.splice(-1, 1, { ...node.head, games: { ...node.game, number: 1n, x: ALICE, o: BEN, moves: [8] } });
  await pass(INTERVAL);
  expect(moves()).toEqual([[4], [8]]);
});

const word = (value: number): string => value.toString(16).padStart(64, "0");
const HONEST = encodeState({ number: 1n, x: ALICE, o: BEN, moves: [4], forfeited: false });

test.each<[string, string, unknown]>([
  ["eth_call", "nothing", "0x"],
  ["eth_call", "two bytes", "0x1234"],
  ["eth_call", "no bytes", "nonsense"],
  ["eth_call", "markup", "<img src=x onerror=alert(1)>"],
  ["eth_call", "a number", 42],
  ["eth_call", "null", null],
  ["eth_call", "a megabyte", `0x${"12".repeat(1_000_000)}`],
  ["eth_call", "a history as long as 2**32", HONEST.replace(word(15 * 32) + word(1), word(15 * 32) + word(2 ** 32))],
  ["eth_call", "a history beyond the end", HONEST.replace(word(15 * 32) + word(1), word(2 ** 40) + word(1))],
  ["eth_call", "a history that is the answer itself", HONEST.replace(word(15 * 32) + word(1), word(0) + word(1))],
  ["eth_call", "a status of 2**256-1", HONEST.replace(word(1) + word(15 * 32), "f".repeat(64) + word(15 * 32))],
  [
    "eth_call",
    "a game that cannot be",
    encodeState({ number: 1n, x: ALICE, o: BEN, moves: [0, 3, 1, 4, 2, 5], forfeited: false }),
  ],
  ["eth_getBlockByNumber", "no block", null],
  ["eth_getBlockByNumber", "an empty block", {}],
  ["eth_getBlockByNumber", "a short hash", { hash: "0x12", number: "0x1" }],
  ["eth_getBlockByNumber", "a number of markup", { hash: `0x${"ab".repeat(32)}`, number: "<b>" }],
])("an answer to %s of %s is an outage, and is not passed on", async (method, _, lie) => {
  start();
  await pass(INTERVAL);
  expect(statuses).toEqual(["connected"]);
  node.overrides[method] = () => lie;
  if (method === "eth_call") await expect(readGame(clientOf(node), TABLE, 1)).rejects.toBeInstanceOf(InvalidAnswer);
  node.mine();
  await pass(3 * INTERVAL);
  expect(statuses).toEqual(["connected", "lost"]);
  expect(moves()).toEqual([[4]]);
  // The same form with a possible content is accepted.
  node.overrides = method === "eth_call" ? { eth_call: () => HONEST } : {};
  await pass(30 * INTERVAL);
  expect(statuses).toEqual(["connected", "lost", "connected"]);
  expect(moves().at(-1)).toEqual([4]);
});

test("one error is no outage, two in a row are", async () => {
  start();
  await pass(INTERVAL);
  let errors = 1;
  node.overrides["eth_call"] = (params) => {
    if ((errors -= 1) < 0) return node.answer("eth_call", params);
    throw { code: -32_000, message: "header not found" };
  };
  node.mine();
  await pass(3 * INTERVAL);
  expect(statuses).toEqual(["connected"]);
  errors = 2;
  node.mine();
  await pass(5 * INTERVAL);
  expect(statuses).toEqual(["connected", "lost", "connected"]);
});

test("a node that hangs is an outage, and the page recovers by itself", async () => {
  start();
  await pass(INTERVAL);
  node.hold("eth_getBlockByNumber");
  await pass(12 * INTERVAL);
  expect(statuses).toEqual(["connected", "lost"]);
  node.overrides = {};
  node.mine({ moves: [4, 0] });
  await pass(30 * INTERVAL);
  expect(statuses).toEqual(["connected", "lost", "connected"]);
  expect(moves()).toEqual([[4], [4, 0]]);
});

test.each([
  [INTERVAL, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]],
  [50, [250, 500, 1000, 2000, 4000, 8000, 16_000]],
])("at an interval of %i ms the pauses double with every failure, up to half a minute", async (interval, pauses) => {
  start({ interval });
  await pass(0);
  const asked: number[] = [];
  node.overrides["eth_getBlockByNumber"] = () => {
    asked.push(performance.now());
    throw new Error("no block");
  };
  await pass(120_000);
  expect(asked.slice(1, 8).map((time, at) => time - (asked[at] ?? 0))).toEqual(pauses);
  // After an answer, a failure counts as the first again.
  node.overrides = {};
  await pass(30_000);
  expect(statuses).toEqual(["connected", "lost", "connected"]);
  node.asked.length = 0;
  await pass(10 * interval);
  expect(node.asked).toEqual(Array.from({ length: 10 }, () => "eth_getBlockByNumber"));
});

test("a look that is asked for during another one follows it at once", async () => {
  start();
  await pass(INTERVAL);
  const answer = node.hold("eth_getBlockByNumber");
  await pass(INTERVAL);
  node.asked.length = 0;
  follower.poke();
  await pass(0);
  expect(node.asked).toEqual([]);
  node.overrides = {};
  answer();
  await pass(0);
  expect(node.asked).toEqual(["eth_getBlockByNumber"]);
  // Only once.
  await pass(INTERVAL - 1);
  expect(node.asked).toHaveLength(1);
});

test("the chain and the code are checked again after an invalid answer or a second error, not after a first error", async () => {
  start();
  await pass(0);
  const checks = (): number[] => [node.count("eth_chainId"), node.count("eth_getCode")];
  node.overrides["eth_getBlockByNumber"] = () => {
    throw new Error("no block");
  };
  await pass(INTERVAL);
  node.overrides = {};
  await pass(5 * INTERVAL);
  expect(checks()).toEqual([1, 1]);
  node.overrides["eth_getBlockByNumber"] = () => ({});
  await pass(INTERVAL);
  node.overrides = {};
  await pass(5 * INTERVAL);
  expect(checks()).toEqual([2, 2]);
  node.overrides["eth_getBlockByNumber"] = () => {
    throw new Error("no block");
  };
  await pass(2 * INTERVAL);
  node.overrides = {};
  await pass(5 * INTERVAL);
  expect(checks()).toEqual([3, 3]);
});

test("a chain of another number shows no table", async () => {
  node.chainId = 1;
  start();
  await pass(INTERVAL);
  expect(statuses).toEqual(["wrongChain"]);
  expect(snapshots).toEqual([]);
  // What the page has shown of the other chain says nothing about the height of this one.
  follower.stop();
  start({ shown: { hash: `0x${"12".repeat(32)}`, number: 100 } });
  await pass(0);
  node.chainId = 31_337;
  await pass(INTERVAL);
  expect(moves()).toEqual([[4]]);
});

test.each(["0x", "1", "31337", `0x${"f".repeat(64)}`, "0x7a69<b>", null, {}, -1, 1.5])(
  "a chain number of %j is an outage",
  async (chain) => {
    node.overrides["eth_chainId"] = () => chain;
    start();
    await pass(3 * INTERVAL);
    expect(statuses).toEqual(["lost"]);
    expect(snapshots).toEqual([]);
  },
);

test("code with one more byte is not a table's, and nothing there is called", async () => {
  node.overrides["eth_getCode"] = (params) => `${String(node.answer("eth_getCode", params))}00`;
  start();
  await pass(0);
  expect(snapshots.map(({ code, game }) => [code, game])).toEqual([["other", null]]);
  expect(node.count("eth_call")).toBe(0);
});

test("where there is no table, the code is asked for once per block, until there is one", async () => {
  node.overrides["eth_getCode"] = () => "0x";
  start();
  await pass(10 * INTERVAL);
  expect([node.count("eth_chainId"), node.count("eth_getCode"), snapshots.length]).toEqual([1, 1, 1]);
  node.mine();
  await pass(10 * INTERVAL);
  expect([node.count("eth_chainId"), node.count("eth_getCode")]).toEqual([1, 2]);
  expect(snapshots.map(({ code }) => code)).toEqual(["none", "none"]);
  node.overrides = {};
  node.mine();
  await pass(10 * INTERVAL);
  expect([node.count("eth_chainId"), node.count("eth_getCode")]).toEqual([1, 3]);
  expect(moves()).toEqual([undefined, undefined, [4]]);
});

test("a node that is behind does not bring an old board back, and a chain that is lower for long does", async () => {
  start();
  const old = node.answer("eth_getBlockByNumber", []);
  node.mine({ moves: [4, 0] });
  await pass(INTERVAL);
  let turn = 0;
  node.overrides["eth_getBlockByNumber"] = (params) =>
    (turn += 1) % 2 === 0 ? old : node.answer("eth_getBlockByNumber", params);
  await pass(15 * INTERVAL);
  expect(moves()).toEqual([[4, 0]]);
  node.overrides = {};
  await pass(INTERVAL);
  node.overrides["eth_getBlockByNumber"] = () => old;
  await pass(2 * INTERVAL);
  expect(moves()).toEqual([[4, 0]]);
  await pass(INTERVAL);
  expect(moves()).toEqual([[4, 0], [4]]);
});

test("a hidden page asks nothing, and looks once when it is visible again", async () => {
  start();
  await pass(INTERVAL);
  browser.setHidden(true);
  node.asked.length = 0;
  node.mine({ moves: [4, 0] });
  await pass(60 * INTERVAL);
  expect(node.asked).toEqual([]);
  browser.setHidden(false);
  await pass(0);
  expect(moves()).toEqual([[4], [4, 0]]);
});

test("while the player waits for the other side, a hidden page asks every 15 seconds", async () => {
  start();
  await pass(INTERVAL);
  waiting = true;
  node.asked.length = 0;
  browser.setHidden(true);
  await pass(14_000);
  expect(node.asked).toEqual([]);
  await pass(46_000);
  expect(node.count("eth_getBlockByNumber")).toBe(4);
  node.mine({ moves: [4, 0] });
  await pass(15_000);
  expect(moves()).toEqual([[4], [4, 0]]);
  // It is the player's turn now.
  waiting = false;
  await pass(15_000);
  node.asked.length = 0;
  await pass(60_000);
  expect(node.asked).toEqual([]);
});

test("in an outage a hidden page asks no more often", async () => {
  start();
  await pass(INTERVAL);
  waiting = true;
  browser.setHidden(true);
  node.down = true;
  await pass(15_000);
  node.asked.length = 0;
  await pass(30_000);
  expect(node.asked.length).toBeLessThanOrEqual(2);
});

test("a page that is opened hidden looks at once if the player waits, and not before if not", async () => {
  browser.setHidden(true);
  start();
  await pass(60_000);
  expect(node.asked).toEqual([]);
  follower.stop();
  waiting = true;
  start();
  await pass(0);
  expect(moves()).toEqual([[4]]);
});

test("a hidden page that begins to wait looks at once", async () => {
  start();
  await pass(INTERVAL);
  browser.setHidden(true);
  await pass(INTERVAL);
  node.mine({ moves: [4, 0] });
  waiting = true;
  follower.poke();
  await pass(0);
  expect(moves()).toEqual([[4], [4, 0]]);
});

test("after an outage the chain and the code are checked again", async () => {
  start();
  await pass(INTERVAL);
  const outage = async (lies: FakeNode["overrides"]): Promise<void> => {
    node.down = true;
    await pass(10 * INTERVAL);
    node.down = false;
    node.overrides = lies;
    await pass(30 * INTERVAL);
  };
  // A local node that was restarted.
  await outage({ eth_getCode: () => "0x" });
  expect(snapshots.map(({ code }) => code)).toEqual(["table", "none"]);
  await outage({ eth_chainId: () => "0x1" });
  expect(statuses.at(-1)).toBe("wrongChain");
});

test.each<[string, () => void]>([
  ["the player asks", () => follower.poke()],
  ["the browser is online again", () => void window.dispatchEvent(new Event("online"))],
  ["the page is shown from the browser's cache", () => void window.dispatchEvent(new Event("pageshow"))],
  ["the page is visible again", () => [true, false].forEach((hidden) => browser.setHidden(hidden))],
])("in a long outage the page looks at once when %s, and soon after that", async (_, happens) => {
  start();
  node.down = true;
  await pass(200 * INTERVAL);
  node.asked.length = 0;
  happens();
  await pass(0);
  expect(node.asked).toHaveLength(1);
  await pass(5 * INTERVAL);
  expect(node.asked).toHaveLength(2);
});

test("a follower that was stopped asks nothing, reports nothing and listens to nothing", async () => {
  const spies = [window, document].map(
    (target) => [vi.spyOn(target, "addEventListener"), vi.spyOn(target, "removeEventListener")] as const,
  );
  start();
  await pass(INTERVAL);
  node.mine({ moves: [4, 0] });
  const answer = node.hold("eth_call");
  await pass(INTERVAL);
  follower.stop();
  answer();
  await pass(0);
  node.asked.length = 0;
  browser.setHidden(true);
  browser.setHidden(false);
  for (const event of ["online", "pageshow"]) window.dispatchEvent(new Event(event));
  follower.poke();
  await pass(60 * INTERVAL);
  expect([node.asked, moves(), statuses]).toEqual([[], [[4]], ["connected"]]);
  for (const [added, removed] of spies) expect(removed.mock.calls).toEqual(added.mock.calls);
  expect(spies.map(([added]) => added.mock.calls.length)).toEqual([2, 1]);
});

test.each<[string, () => unknown]>([
  ["fails", () => ({})],
  ["succeeds", () => node.answer("eth_getBlockByNumber", [])],
])("a follower that is stopped while a request %s does not report that", async (_, outcome) => {
  start();
  await pass(INTERVAL);
  const answer = node.hold("eth_getBlockByNumber", outcome);
  await pass(INTERVAL);
  follower.stop();
  statuses = [];
  answer();
  await pass(60 * INTERVAL);
  expect([statuses, node.count("eth_getBlockByNumber")]).toEqual([[], 3]);
});
