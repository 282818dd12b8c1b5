// Several endpoints of one chain: the next one is asked when one fails, and the chain's number is checked on each.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CHAINS } from "../../src/generated/chains.ts";
import { endpoints, NoAnswer } from "../../src/provider.ts";
import { TABLE } from "./support/node.ts";

type Answer = (method: string) => { status?: number; body: unknown } | "down";

const honest =
  (chain = 11_155_111): Answer =>
  (method) => ({ body: { result: method === "eth_chainId" ? `0x${chain.toString(16)}` : "0x12" } });

let hosts: Record<string, Answer>;
let asked: string[];

beforeEach(() => {
  asked = [];
  vi.stubGlobal("fetch", async (url: string, { body }: { body: string }) => {
    const { method } = JSON.parse(body) as { method: string };
    const { hostname } = new URL(url);
    asked.push(`${hostname} ${method}`);
    const answer = hosts[hostname]?.(method) ?? "down";
    if (answer === "down") throw new TypeError("failed to fetch");
    return new Response(JSON.stringify(answer.body), { status: answer.status ?? 200 });
  });
});

afterEach(() => vi.unstubAllGlobals());

const URLS = ["https://a/", "https://b/", "https://c/"];
const newClient = (onSwitch?: (url: string) => void) => endpoints(URLS, 11_155_111, onSwitch);
const read = (client = newClient()): Promise<unknown> =>
  client.request({ method: "eth_call", params: [{ to: TABLE }] });
const LOGS = {
  method: "eth_getLogs",
  params: [{ address: TABLE, topics: [], fromBlock: "0x0", toBlock: "latest" }],
} as const;

test.each<[string, Answer]>([
  ["is down", () => "down"],
  ["limits its requests", () => ({ status: 429, body: {} })],
  [
    "reports a limit in its answer",
    (method) =>
      method === "eth_chainId" ? honest()(method) : { body: { error: { code: -32_005, message: "rate limit" } } },
  ],
  ["serves another chain", honest(1)],
  ["serves no chain", () => ({ body: { result: null } })],
  ["answers with nonsense", (method) => (method === "eth_chainId" ? honest()(method) : { body: { result: "<b>" } })],
  ["returns a web page", () => ({ body: "<html>" })],
])("an endpoint that %s is left for the next one", async (_, first) => {
  hosts = { a: first, b: honest(), c: honest() };
  const used: string[] = [];
  const client = newClient((url) => used.push(url));
  expect(await read(client)).toBe("0x12");
  expect(used).toEqual(["https://b/"]);
  asked.length = 0;
  await read(client);
  // It stays with the one that works, and has checked its chain.
  expect([asked, used]).toEqual([["b eth_call"], ["https://b/"]]);
});

test("after the last endpoint the first one is asked again", async () => {
  hosts = { a: honest(), b: () => "down", c: honest() };
  const client = newClient();
  await read(client);
  hosts["a"] = () => "down";
  await read(client);
  hosts = { a: honest(), b: () => "down", c: () => "down" };
  expect(await read(client)).toBe("0x12");
  hosts["a"] = () => "down";
  await expect(read(client)).rejects.toBeInstanceOf(NoAnswer);
});

test("an endpoint that has failed is not asked first again, even if no other one has answered yet", async () => {
  hosts = { a: () => "down", b: honest(), c: honest() };
  const { fetch } = globalThis;
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  vi.stubGlobal("fetch", async (url: string, options: never) => {
    if (url === "https://b/") await gate;
    return fetch(url, options);
  });
  const client = newClient();
  const first = read(client);
  await vi.waitFor(() => expect(asked).toEqual(["a eth_chainId"]));
  await new Promise((resolve) => setTimeout(resolve, 0));
  const second = read(client);
  open();
  expect(await Promise.all([first, second])).toEqual(["0x12", "0x12"]);
  expect(asked.filter((request) => request.startsWith("a"))).toEqual(["a eth_chainId"]);
});

test("a request that fails late does not lead back to an endpoint that has failed since", async () => {
  hosts = { a: honest(), b: () => "down", c: honest() };
  const client = newClient();
  await read(client);
  const { fetch } = globalThis;
  let fail = (): void => undefined;
  const held = new Promise<never>((_, reject) => (fail = () => reject(new TypeError("failed to fetch"))));
  vi.stubGlobal("fetch", () => held);
  const late = read(client);
  vi.stubGlobal("fetch", fetch);
  hosts["a"] = () => "down";
  await read(client);
  // By now `b` is back, and would answer.
  hosts["b"] = honest();
  fail();
  await late;
  asked.length = 0;
  await read(client);
  expect(asked).toEqual(["c eth_call"]);
});

test("an endpoint that was down and then serves another chain is not used", async () => {
  hosts = { a: honest(), b: () => "down", c: () => "down" };
  const client = newClient();
  await read(client);
  hosts["a"] = () => "down";
  await expect(read(client)).rejects.toBeInstanceOf(NoAnswer);
  hosts["a"] = honest(1);
  await expect(read(client)).rejects.toBeInstanceOf(NoAnswer);
  expect(asked.slice(-3)).toContain("a eth_chainId");
});

test("an endpoint that hangs is left for the next one in time for the same request", async () => {
  vi.useFakeTimers();
  hosts = { a: honest(), b: honest(), c: honest() };
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", (url: string, options: never) =>
    url === "https://a/" ? new Promise(() => null) : fetch(url, options),
  );
  const answer = read();
  await vi.advanceTimersByTimeAsync(4000);
  expect(await answer).toBe("0x12");
  vi.useRealTimers();
});

test("if every endpoint hangs, there is no answer after eight seconds", async () => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", () => new Promise(() => null));
  let failed: unknown = null;
  read().catch((error: unknown) => (failed = error));
  await vi.advanceTimersByTimeAsync(7999);
  expect(failed).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  expect(failed).toBeInstanceOf(NoAnswer);
  vi.useRealTimers();
});

test("an endpoint learns nothing of the player but the address", async () => {
  hosts = { a: honest() };
  const { fetch } = globalThis;
  const options: RequestInit[] = [];
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => (options.push(init), fetch(url, init)));
  await read();
  for (const init of options)
    expect(init).toMatchObject({
      credentials: "omit",
      referrerPolicy: "no-referrer",
      redirect: "error",
      cache: "no-store",
    });
  expect(options).toHaveLength(2);
});

test("a revert and a limit on events are answers, not outages", async () => {
  const error =
    (code: number): Answer =>
    (method) =>
      method === "eth_chainId" ? honest()(method) : { body: { error: { code, message: "x" } } };
  hosts = { a: error(3), b: honest(), c: honest() };
  await expect(read()).rejects.toMatchObject({ code: 3 });
  hosts["a"] = error(-32_005);
  await expect(newClient().request(LOGS as never)).rejects.toMatchObject({ code: -32_005 });
  expect(asked.some((request) => request.startsWith("b"))).toBe(false);
});

test("if every endpoint serves another chain, nothing but its number is asked", async () => {
  hosts = { a: honest(1), b: honest(1), c: honest(1) };
  const client = newClient();
  await expect(read(client)).rejects.toBeInstanceOf(NoAnswer);
  expect(await client.request({ method: "eth_chainId" })).toBe("0x1");
  expect(new Set(asked.map((request) => request.split(" ")[1]))).toEqual(new Set(["eth_chainId"]));
});

test("every public chain has several endpoints, all of them secure", () => {
  for (const { name, endpoints: urls } of CHAINS) {
    if (name === "Local chain") continue;
    expect(urls.length, name).toBeGreaterThan(1);
    expect(new Set(urls.map((url) => new URL(url).host)).size, name).toBe(urls.length);
    for (const url of urls) expect(new URL(url).protocol, url).toBe("https:");
  }
  const names = CHAINS.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["Sepolia", "Base Sepolia", "OP Sepolia", "Arbitrum Sepolia"]));
});

test("a single endpoint may take longer than one of several", async () => {
  vi.useFakeTimers();
  hosts = { a: honest() };
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", async (url: string, options: never) => {
    await new Promise((resolve) => setTimeout(resolve, 3900));
    return fetch(url, options);
  });
  const found = endpoints(["https://a/"], 11_155_111).request({ method: "eth_chainId" });
  await vi.advanceTimersByTimeAsync(4000);
  expect(await found).toBe("0xaa36a7");
  vi.useRealTimers();
});

test("the chain's number is the first right one, and the last one's where all are wrong", async () => {
  hosts = { a: honest(1), b: honest(), c: honest(2) };
  expect(await newClient().request({ method: "eth_chainId" })).toBe("0xaa36a7");
  hosts["b"] = honest(3);
  expect(await newClient().request({ method: "eth_chainId" })).toBe("0x2");
});
