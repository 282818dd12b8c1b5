// The transport: which answers get through, how long the page waits, and which of several endpoints is asked.
import { afterEach, expect, test, vi } from "vitest";
import { clientOf, endpoints, InvalidAnswer, NoAnswer, type Provider } from "../../src/rpc.ts";
import { ALICE, BEN, rpcError, SEPOLIA, TABLE } from "../support/node.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

// -- what an answer may be --------------------------------------------------------------

const HASH = `0x${"ab".repeat(32)}`;
const OTHER = `0x${"cd".repeat(32)}`;
const RECEIPT = { transactionHash: HASH, status: "0x1", blockNumber: "0x7", from: "<b>" };
const LOG = { address: TABLE.toLowerCase(), topics: [HASH], data: "0x", transactionHash: OTHER, blockNumber: "0x7" };
const FILTER = { address: TABLE, topics: [HASH], fromBlock: "0x5", toBlock: "0x9" };
const KNOWN = { hash: HASH, from: BEN.toLowerCase(), nonce: "0x3", v: "<b>" };
const BLOCK = { hash: HASH.toUpperCase().replace("X", "x"), parentHash: HASH, number: 7, baseFeePerGas: "<b>" };

/** What the page gets for an answer, through a wallet. */
const through = (method: string, answer: unknown, params: readonly unknown[] = []): Promise<unknown> =>
  (clientOf({ request: async () => answer }) as Provider).request({ method, params });

test.each<[string, unknown, unknown[], unknown]>([
  ["eth_chainId", 1, [], "0x1"],
  ["eth_accounts", [ALICE.toLowerCase()], [], [ALICE]],
  ["eth_accounts", "0x", [], []],
  ["eth_getBlockByNumber", BLOCK, [], { hash: HASH, parentHash: HASH, number: "0x7" }],
  ["eth_getTransactionReceipt", RECEIPT, [HASH], { status: "0x1", blockNumber: "0x7" }],
  ["eth_getTransactionReceipt", undefined, [HASH], null],
  ["eth_getTransactionReceipt", RECEIPT, [OTHER], null],
  ["eth_getTransactionByHash", KNOWN, [HASH], { from: BEN, nonce: "0x3" }],
  ["eth_getLogs", [LOG], [FILTER], [{ topics: [HASH], data: "0x", transactionHash: OTHER }]],
])("of an answer to %s only what was asked for gets through: %j", async (method, answer, params, expected) => {
  expect(await through(method, answer, params)).toEqual(expected);
});

const NUMBERS = ["0x", "1", `0x${"f".repeat(64)}`, "0x7a69<b>", null, {}, -1, 1.5, 1e300, " 0x7", ["0x7"]];
const HASHES = ["0x12", `0x${"g".repeat(64)}`, 42, null, [HASH], ` ${HASH}`, `${HASH}00`, "done!"];
const LOGS = [{ address: ALICE }, { topics: "x" }, { topics: ["0x"] }, { removed: true }, { transactionHash: "<b>" }];

test.each<[string, unknown[], unknown[]]>([
  ["eth_chainId", NUMBERS, []],
  ["eth_sendTransaction", HASHES, []],
  ["eth_call", ["0x1", "12", 42, null, "<img src=x onerror=alert(1)>", ["0x12"], " 0x12"], []],
  ["eth_getBalance", ["0x", "many", null], []],
  ["eth_accounts", ["<script>", 7, null, [], "0x12", `${ALICE}11`, ` ${ALICE}`].map((value) => [value]), []],
  ["eth_getBlockByNumber", [null, {}, { hash: HASH }, { hash: "0x12", number: "0x1" }], []],
  ["eth_getTransactionReceipt", ["0x1", { ...RECEIPT, status: "yes" }], [HASH]],
  ["eth_getTransactionByHash", ["x", { ...KNOWN, nonce: -1 }], [HASH]],
  ["eth_getLogs", ["none", [null], ...[...LOGS, { data: 7 }].map((lie) => [{ ...LOG, ...lie }])], [FILTER]],
  ["personal_sign", [HASH], []],
])("an invalid answer to %s is not used", async (method, answers, params) => {
  for (const answer of answers)
    await expect(through(method, answer, params), String(answer)).rejects.toBeInstanceOf(InvalidAnswer);
});

test("a person has any time to confirm, a node eight seconds to answer, and a request is made once", async () => {
  vi.useFakeTimers();
  const slow = "eth_requestAccounts eth_sendTransaction wallet_switchEthereumChain wallet_addEthereumChain".split(" ");
  const fast = "eth_chainId eth_accounts eth_getCode eth_call eth_getLogs eth_getTransactionReceipt".split(" ");
  const ended: string[] = [];
  for (const method of [...slow, ...fast])
    through(method, new Promise(() => null)).catch((error) => error instanceof NoAnswer && ended.push(method));
  await vi.advanceTimersByTimeAsync(7999);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toEqual(fast);
  const provider = { request: vi.fn(() => Promise.reject(rpcError(-32_603, "no"))) };
  expect(clientOf(provider)).toBe(clientOf(provider));
  await expect(clientOf(provider).request({ method: "eth_chainId" })).rejects.toMatchObject({ code: -32_603 });
  expect([provider.request.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
});

// -- several endpoints ------------------------------------------------------------------

/** What an endpoint does with a request: the body of its answer, or all of it. */
type Host = (method: string) => unknown;

const on = (chain: number): Host => {
  const id = `0x${chain.toString(16)}`;
  return (method) => ({ result: method === "eth_chainId" ? id : "0x12" });
};
const [honest, elsewhere] = [on(SEPOLIA), on(1)];
/** Honest about its chain only. */
const then = (body: object): Host => {
  return (method) => (method === "eth_chainId" ? honest(method) : body);
};
const down: Host = () => Promise.reject(new TypeError("failed to fetch"));
const hangs: Host = () => new Promise(() => null);

/** A body without an end. */
const part = new Uint8Array(1 << 24);
const pull = (controller: ReadableStreamDefaultController): void => controller.enqueue(part);
/** Reasons to ask the next endpoint: no answer, limits, and answers that cannot be. */
const FAULTS: Host[] = [
  down,
  () => [],
  () => new Response("<html>", { status: 502 }),
  () => new Response('{"jsonrpc":"2.0","id":1,"result":"0x'),
  () => new Response(new ReadableStream({ pull })),
  () => new Response("{}", { status: 429 }),
  then({ error: { code: -32_005, message: "rate limit" } }),
  then({ result: "<b>" }),
  () => ({ result: null }),
];

let hosts: Host[];
/** The endpoints that were asked, by their numbers, and how. */
let asked: [host: number, method: string][];
let options: RequestInit[];

function serveHosts(...answers: Host[]): void {
  [hosts, asked, options] = [answers, [], []];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const { method } = JSON.parse(String(init.body)) as { method: string };
    const host = "abc".indexOf(new URL(url).hostname);
    asked.push([host, method]);
    options.push(init);
    const answer = await hosts[host]?.(method);
    return answer instanceof Response ? answer : Response.json(answer);
  });
}

const newClient = () => endpoints(["https://a/", "https://b/", "https://c/"], SEPOLIA) as Provider;
const read = (client = newClient(), method = "eth_call") => client.request({ method, params: [FILTER] });

test("random endpoints: the one that answered last is asked first, each once, and a healthy one's answer gets through", async () => {
  let seed = 7;
  const roll = (sides: number) => ((seed = (seed * 16_807) % 2_147_483_647) >> 8) % sides;
  const kinds = [honest, honest, honest, honest, elsewhere, elsewhere, ...FAULTS];
  serveHosts();
  const client = newClient();
  const isChecked = [false, false, false];
  const counts = { answered: 0, failed: 0 };
  for (let round = 0, last = 0; round < 300; round += 1) {
    hosts = [0, 1, 2].map(() => kinds[roll(kinds.length)] as Host);
    asked.length = 0;
    const order = [last, last + 1, last + 2].map((at) => at % 3);
    // One that was checked may have changed its chain since, and is believed until it fails.
    const healthy = order.find((at) => hosts[at] === honest || (hosts[at] === elsewhere && isChecked[at]));
    const tried = healthy === undefined ? order : order.slice(0, order.indexOf(healthy) + 1);
    for (const at of tried) isChecked[at] = at === healthy;
    last = healthy ?? last;
    expect(await read(client).catch(() => null)).toBe(healthy === undefined ? null : "0x12");
    expect([...new Set(asked.map(([host]) => host))]).toEqual(tried);
    expect(new Set(asked.map(String)).size).toBe(asked.length);
    counts[healthy === undefined ? "failed" : "answered"] += 1;
  }
  expect([counts.answered > 100, counts.failed > 30]).toEqual([true, true]);
});

test("an endpoint that hangs is left in time for the same request, and if all hang there is no answer after eight seconds", async () => {
  vi.useFakeTimers();
  serveHosts(hangs, honest, hangs);
  const answer = read();
  await vi.advanceTimersByTimeAsync(4000);
  expect(await answer).toBe("0x12");
  hosts[1] = hangs;
  const failed = vi.fn();
  read().catch(failed);
  await vi.advanceTimersByTimeAsync(7999);
  expect(failed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(failed).toHaveBeenCalledWith(expect.any(NoAnswer));
});

test.each([
  [3, "eth_call"],
  [-32_005, "eth_getLogs"],
])("error %i of %s is an answer, and the endpoint learns only the address", async (code, method) => {
  serveHosts(then({ error: { code, message: "<img src=x>", data: "0x12" } }), honest, honest);
  await expect(read(newClient(), method)).rejects.toMatchObject({ code, cause: { data: "0x12" } });
  expect(new Set(asked.map(([host]) => host))).toEqual(new Set([0]));
  const secrets = { credentials: "omit", referrerPolicy: "no-referrer", redirect: "error", cache: "no-store" };
  for (const init of options) expect(init).toMatchObject(secrets);
});
