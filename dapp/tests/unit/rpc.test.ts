// The transport: what is no answer, which answers are refused, how long the page waits, and which of several endpoints is asked.
import { afterEach, expect, test, vi } from "vitest";
import { CHAINS } from "../../src/generated/chains.ts";
import { clientOf, endpoints, InvalidAnswer, NoAnswer, type Request, RpcError } from "../../src/rpc.ts";
import { ALICE, BEN, TABLE } from "./support/node.ts";

type AskAny = (request: Request) => Promise<unknown>;

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

// -- an endpoint that does not speak JSON-RPC -------------------------------------------

/** Asks an endpoint that answers in this way. */
function ask(answer: (init: RequestInit) => unknown): Promise<unknown> {
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => answer(init));
  return endpoints(["https://a/"], 1).request({ method: "eth_chainId" });
}

test.each<[string, () => unknown]>([
  ["a web page", () => new Response("<h1>Bad gateway</h1>", { headers: { "content-type": "text/html" } })],
  ["an error page", () => new Response("<html>", { status: 502 })],
  ["nothing", () => new Response("")],
  ["half an answer", () => new Response('{"jsonrpc":"2.0","id":1,"result":"0x')],
  ["a list", () => new Response("[]")],
  ["neither result nor error", () => new Response('{"__proto__":{"result":"0x1"}}')],
  ["a closed connection", () => Promise.reject(new TypeError("failed to fetch"))],
])("%s is no answer", async (_, answer) => {
  await expect(ask(answer)).rejects.toBeInstanceOf(NoAnswer);
});

test("an error made of markup is an error of the node, and an answer without an end is given up", async () => {
  const error = { code: -32_000, message: "<img src=x>", data: "0x12" };
  await expect(ask(() => Response.json({ error }))).rejects.toMatchObject({ code: -32_000, cause: { data: "0x12" } });
  let isOpen = true;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1 << 20)),
    cancel: () => void (isOpen = false),
  });
  await expect(ask(() => new Response(endless))).rejects.toBeInstanceOf(NoAnswer);
  expect(isOpen).toBe(false);
});

// -- what an answer may be --------------------------------------------------------------

const HASH = `0x${"ab".repeat(32)}`;
const OTHER = `0x${"cd".repeat(32)}`;
const RECEIPT = { transactionHash: HASH, status: "0x1", blockNumber: "0x7", from: BEN, contractAddress: null };
const LOG = { address: TABLE.toLowerCase(), topics: [HASH], data: "0x", transactionHash: OTHER, blockNumber: "0x7" };
const FILTER = { address: TABLE, topics: [HASH], fromBlock: "0x5", toBlock: "0x9" };
const KNOWN = { hash: HASH, from: BEN.toLowerCase(), nonce: "0x3", v: "<b>" };

/** What the page gets for an answer, through a wallet. */
const through = (method: string, answer: unknown, params: readonly unknown[]): Promise<unknown> =>
  (clientOf({ request: async () => answer }).request as AskAny)({ method, params });

test.each<[string, unknown, unknown[], unknown]>([
  ["eth_chainId", 1, [], "0x1"],
  ["eth_accounts", [ALICE.toLowerCase()], [], [ALICE]],
  ["eth_accounts", "0x", [], []],
  [
    "eth_getBlockByNumber",
    { hash: HASH.toUpperCase().replace("X", "x"), number: 7, baseFeePerGas: "<b>" },
    [],
    { hash: HASH, number: "0x7" },
  ],
  [
    "eth_getTransactionReceipt",
    RECEIPT,
    [HASH],
    { status: "0x1", blockNumber: "0x7", from: BEN, contractAddress: null },
  ],
  [
    "eth_getTransactionReceipt",
    { ...RECEIPT, from: undefined, contractAddress: BEN },
    [HASH],
    { status: "0x1", blockNumber: "0x7", from: null, contractAddress: BEN },
  ],
  ["eth_getTransactionReceipt", undefined, [HASH], null],
  ["eth_getTransactionReceipt of another", RECEIPT, [OTHER], null],
  ["eth_getTransactionByHash", KNOWN, [HASH], { from: BEN, nonce: "0x3" }],
  ["eth_getTransactionByHash of another", KNOWN, [OTHER], null],
  ["eth_getLogs", [LOG], [FILTER], [{ ...LOG, address: TABLE }]],
  ["wallet_switchEthereumChain", "<b>", [], null],
])("of an answer to %s only what was asked for gets through", async (method, answer, params, expected) => {
  expect(await through(method.split(" ")[0] ?? "", answer, params)).toEqual(expected);
});

const NUMBERS = ["0x", "1", `0x${"f".repeat(64)}`, "0x7a69<b>", null, {}, -1, 1.5, 1e300, " 0x7", ["0x7"]];
const HASHES = ["0x12", `0x${"g".repeat(64)}`, 42, null, [HASH], ` ${HASH}`, `${HASH}00`, "done!"];
const BYTES = ["0x1", "12", 42, null, "<img src=x onerror=alert(1)>", ["0x12"], " 0x12"];
const ADDRESSES = ["<script>", 7, null, [], "0x12", `0x${"1".repeat(42)}`, ` ${ALICE}`].map((value) => [value]);
const RECEIPTS = ["0x1", { ...RECEIPT, status: "yes" }, { ...RECEIPT, from: "<b>" }, { ...RECEIPT, blockNumber: null }];
const LOGS = [
  "none",
  [null],
  ...[
    { address: ALICE },
    { topics: "x" },
    { topics: ["0x"] },
    { removed: true },
    { transactionHash: "<b>" },
    { data: 7 },
  ].map((lie) => [{ ...LOG, ...lie }]),
];

test.each<[string, unknown[], unknown[]]>([
  ["eth_chainId", NUMBERS, []],
  ["eth_getTransactionCount", NUMBERS, []],
  ["eth_sendTransaction", HASHES, []],
  ["eth_call", BYTES, []],
  ["eth_getBalance", ["0x", "many", null], []],
  ["eth_accounts", ADDRESSES, []],
  ["eth_getBlockByNumber", [null, {}, { hash: HASH }, { hash: "0x12", number: "0x1" }], []],
  ["eth_getTransactionReceipt", RECEIPTS, [HASH]],
  ["eth_getTransactionByHash", ["x", { ...KNOWN, nonce: -1 }], [HASH]],
  ["eth_getLogs", LOGS, [FILTER]],
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
  for (const method of [...slow, ...fast]) {
    const client = clientOf({ request: () => new Promise(() => null) });
    (client.request as AskAny)({ method, params: [HASH] }).catch((error: unknown) => {
      if (error instanceof NoAnswer) ended.push(method);
    });
  }
  await vi.advanceTimersByTimeAsync(7999);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toEqual(fast);
  let count = 0;
  const provider = { request: async () => Promise.reject(new RpcError(-32_603, `error ${(count += 1)}`)) };
  expect(clientOf(provider)).toBe(clientOf(provider));
  await expect(clientOf(provider).request({ method: "eth_chainId" })).rejects.toMatchObject({ code: -32_603 });
  expect([count, vi.getTimerCount()]).toEqual([1, 0]);
});

// -- several endpoints ------------------------------------------------------------------

type Answer = (method: string) => { status?: number; body: unknown } | "down" | "hangs";

const SEPOLIA = 11_155_111;
const honest =
  (chain = SEPOLIA): Answer =>
  (method) => ({ body: { result: method === "eth_chainId" ? `0x${chain.toString(16)}` : "0x12" } });
/** Honest about its chain only. */
const then =
  (body: unknown): Answer =>
  (method) =>
    method === "eth_chainId" ? honest()(method) : { body };
const down: Answer = () => "down";

let hosts: Record<string, Answer>;
let asked: string[];
let options: RequestInit[];

function serveHosts(answers: Record<string, Answer>): void {
  [hosts, asked, options] = [answers, [], []];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const { method } = JSON.parse(String(init.body)) as { method: string };
    const { hostname } = new URL(url);
    asked.push(`${hostname} ${method}`);
    options.push(init);
    const answer = hosts[hostname]?.(method) ?? "down";
    if (answer === "hangs") return new Promise(() => null);
    if (answer === "down") throw new TypeError("failed to fetch");
    return new Response(JSON.stringify(answer.body), { status: answer.status ?? 200 });
  });
}

const newClient = (onSwitch?: (url: string) => void) =>
  endpoints(["https://a/", "https://b/", "https://c/"], SEPOLIA, onSwitch);
const read = (client = newClient(), method = "eth_call"): Promise<unknown> =>
  (client.request as AskAny)({ method, params: [FILTER] });

test.each<[string, Answer]>([
  ["is down", down],
  ["limits its requests", () => ({ status: 429, body: {} })],
  ["reports a limit in its answer", then({ error: { code: -32_005, message: "rate limit" } })],
  ["serves another chain", honest(1)],
  ["serves no chain", () => ({ body: { result: null } })],
  ["answers with nonsense", then({ result: "<b>" })],
  ["returns a web page", () => ({ body: "<html>" })],
])("an endpoint that %s is left for the next one, until that one fails, too", async (_, first) => {
  serveHosts({ a: first, b: honest(), c: honest() });
  const used: string[] = [];
  const client = newClient((url) => used.push(url));
  expect(await read(client)).toBe("0x12");
  asked.length = 0;
  await read(client);
  expect([asked, used]).toEqual([["b eth_call"], ["https://b/"]]);
  Object.assign(hosts, { a: honest(), b: down, c: down });
  expect(await read(client)).toBe("0x12");
  hosts["a"] = down;
  await expect(read(client)).rejects.toBeInstanceOf(NoAnswer);
  // The chain is checked again.
  hosts["a"] = honest(1);
  await expect(read(client)).rejects.toBeInstanceOf(NoAnswer);
});

test("random endpoints: what healthy ones answer gets through, and no request asks one twice", async () => {
  let seed = 7;
  const roll = (sides: number): number => ((seed = (seed * 16_807) % 2_147_483_647) >> 8) % sides;
  const kinds = [honest(), honest(), down, honest(1), then({ result: "<b>" })];
  serveHosts({});
  const client = newClient();
  const counts = { answered: 0, failed: 0 };
  for (let round = 0; round < 300; round += 1) {
    const now = [0, 1, 2].map(() => roll(kinds.length));
    hosts = Object.fromEntries(["a", "b", "c"].map((host, at) => [host, kinds[now[at] ?? 0] as Answer]));
    asked.length = 0;
    const answer = await read(client).catch(() => null);
    // One that was checked may have changed its chain since, and is believed until it fails.
    if (now.some((kind) => kind < 2)) expect(answer).toBe("0x12");
    for (const request of new Set(asked)) expect(asked.filter((one) => one === request)).toHaveLength(1);
    counts[answer === null ? "failed" : "answered"] += 1;
  }
  expect([counts.answered > 100, counts.failed > 20]).toEqual([true, true]);
});

test("a request that fails late does not lead back to an endpoint that has failed since", async () => {
  serveHosts({ a: honest(), b: down, c: honest() });
  const client = newClient();
  await read(client);
  const { fetch } = globalThis;
  let fail = (): void => undefined;
  const held = new Promise<never>((_, reject) => (fail = () => reject(new TypeError("failed to fetch"))));
  vi.stubGlobal("fetch", () => held);
  const late = read(client);
  vi.stubGlobal("fetch", fetch);
  hosts["a"] = down;
  await read(client);
  // By now `b` is back, and would answer.
  hosts["b"] = honest();
  fail();
  await late;
  asked.length = 0;
  await read(client);
  expect(asked).toEqual(["c eth_call"]);
});

test("an endpoint that hangs is left in time for the same request, and if all hang there is no answer after eight seconds", async () => {
  vi.useFakeTimers();
  serveHosts({ a: () => "hangs", b: honest() });
  const answer = read();
  await vi.advanceTimersByTimeAsync(4000);
  expect(await answer).toBe("0x12");
  hosts["b"] = hosts["c"] = () => "hangs";
  let failed: unknown = null;
  read().catch((error: unknown) => (failed = error));
  await vi.advanceTimersByTimeAsync(7999);
  expect(failed).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  expect(failed).toBeInstanceOf(NoAnswer);
});

test("a revert and a limit on events are answers, not outages; an endpoint learns nothing of the player but the address", async () => {
  serveHosts({ a: then({ error: { code: 3, message: "x" } }), b: honest(), c: honest() });
  await expect(read()).rejects.toMatchObject({ code: 3 });
  hosts["a"] = then({ error: { code: -32_005, message: "x" } });
  await expect(read(newClient(), "eth_getLogs")).rejects.toMatchObject({ code: -32_005 });
  expect(new Set(asked.map((request) => request[0]))).toEqual(new Set(["a"]));
  for (const init of options)
    expect(init).toMatchObject({
      credentials: "omit",
      referrerPolicy: "no-referrer",
      redirect: "error",
      cache: "no-store",
    });
});

test("the chain's number is the first right one, and the last one's where all are wrong; then nothing else is asked", async () => {
  serveHosts({ a: honest(1), b: honest(), c: honest(2) });
  expect(await read(newClient(), "eth_chainId")).toBe("0xaa36a7");
  hosts["b"] = honest(3);
  asked.length = 0;
  expect(await read(newClient(), "eth_chainId")).toBe("0x2");
  await expect(read()).rejects.toBeInstanceOf(NoAnswer);
  expect(new Set(asked.map((request) => request.split(" ")[1]))).toEqual(new Set(["eth_chainId"]));
});

test("every public chain has several endpoints, all of them secure", () => {
  for (const { name, rpcUrls } of CHAINS) {
    if (name === "Local chain") continue;
    const urls = rpcUrls.default.http;
    expect(new Set(urls.map((url) => new URL(url).host)).size, name).toBeGreaterThan(1);
    for (const url of urls) expect(new URL(url).protocol, url).toBe("https:");
  }
  const names = CHAINS.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["Sepolia", "Base Sepolia", "OP Sepolia", "Arbitrum Sepolia"]));
});
