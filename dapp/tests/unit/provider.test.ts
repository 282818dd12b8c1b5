// An endpoint that does not speak JSON-RPC gives no answer, and answers of the wrong form are not used.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ANSWERS, asAccounts, asAddress, asHash, asHex, asNumber, asWords, InvalidAnswer } from "../../src/answers.ts";
import { clientOf, endpoints, NoAnswer, type Request, RpcError } from "../../src/provider.ts";
import { ALICE, BEN, TABLE } from "./support/node.ts";

let respond: (response: ServerResponse) => void;
let server: Server;
let url = "";
let requests = 0;

beforeAll(async () => {
  server = createServer((_, response) => {
    requests += 1;
    respond(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const ask = (): Promise<unknown> => endpoints([url], 1).request({ method: "eth_chainId" });

test.each<[string, (response: ServerResponse) => void]>([
  [
    "a web page",
    (response) =>
      void response.setHeader("content-type", "text/html").end("<h1>Bad gateway</h1><script>alert(1)</script>"),
  ],
  ["an error page", (response) => void response.writeHead(502).end("<html>")],
  ["nothing", (response) => void response.end()],
  ["half an answer", (response) => void response.end('{"jsonrpc":"2.0","id":1,"result":"0x')],
  ["a list", (response) => void response.end("[]")],
  ["a number", (response) => void response.end("42")],
  ["neither result nor error", (response) => void response.end('{"__proto__":{"result":"0x1"}}')],
  ["a closed connection", (response) => void response.destroy()],
])("%s is no answer", async (_, way) => {
  respond = way;
  await expect(ask()).rejects.toBeInstanceOf(NoAnswer);
});

test("an error made of markup is an error of the node", async () => {
  respond = (response) => void response.end('{"error":{"code":"<b>","message":{"toString":1},"data":["<img>"]}}');
  await expect(ask()).rejects.toThrow();
  respond = (response) => void response.end('{"error":{"code":-32000,"message":"<img src=x>","data":"0x12"}}');
  await expect(ask()).rejects.toMatchObject({ code: -32_000, cause: { data: "0x12" } });
});

test("a redirect is not followed", async () => {
  requests = 0;
  respond = (response) => void response.writeHead(307, { location: `${url}elsewhere` }).end();
  await expect(ask()).rejects.toBeInstanceOf(NoAnswer);
  expect(requests).toBe(1);
});

test("an answer without an end is given up, and the connection closed", async () => {
  const closed = new Promise((resolve) => {
    respond = (response) => {
      const pour = (): void => {
        while (!response.destroyed && response.write(" ".repeat(1 << 20)));
      };
      response.on("drain", pour);
      response.once("close", resolve);
      pour();
    };
  });
  await expect(ask()).rejects.toBeInstanceOf(NoAnswer);
  await closed;
});

test("every form of answer is checked", () => {
  const refused: [(value: unknown) => unknown, unknown[]][] = [
    [
      asNumber,
      [
        "0x",
        "1",
        "31337",
        `0x${"f".repeat(64)}`,
        "0x7a69<b>",
        null,
        {},
        -1,
        1.5,
        1e300,
        " 0x7",
        `0x${"0".repeat(14)}7`,
        ["0x7"],
      ],
    ],
    [asHash, ["0x12", `0x${"g".repeat(64)}`, 42, null, [HASH], ` ${HASH}`, `${HASH}00`]],
    [asHex, ["0x1", "12", "nonsense", 42, null, "<img src=x onerror=alert(1)>", ["0x12"], " 0x12"]],
    [asAddress, ["<script>", 7, null, [], "0x12", `0x${"1".repeat(42)}`, [ALICE], ` ${ALICE}`]],
    [asAccounts, [["<script>"], [7], [null], [[]]]],
  ];
  for (const [check, values] of refused)
    for (const value of values) expect(() => check(value), String(value)).toThrow(InvalidAnswer);
  expect([asNumber("0x7a69"), asNumber(1), asNumber("0x0"), asHex("0x"), asAccounts("0x")]).toEqual([
    31_337,
    1,
    0,
    "0x",
    [],
  ]);
});

// -- one transport for every stranger -------------------------------------------

const HASH = `0x${"ab".repeat(32)}`;
const OTHER = `0x${"cd".repeat(32)}`;
const RECEIPT = {
  transactionHash: HASH,
  status: "0x1",
  blockNumber: "0x7",
  from: ALICE.toLowerCase(),
  contractAddress: null,
};
const LOG = {
  address: TABLE.toLowerCase(),
  topics: [HASH, OTHER],
  data: "0x",
  transactionHash: OTHER,
  blockNumber: "0x7",
};
const FILTER = { address: TABLE, topics: [HASH, null], fromBlock: "0x5", toBlock: "0x9" };

/** What the page gets for an answer, through a wallet. */
async function through(method: string, answer: unknown, ...params: unknown[]): Promise<unknown> {
  const client = clientOf({ request: async () => answer });
  return (client.request as (request: Request) => Promise<unknown>)({ method, params });
}

test.each<[string, unknown, unknown[], unknown]>([
  ["eth_chainId", 1, [], "0x1"],
  ["eth_accounts", [ALICE.toLowerCase()], [], [ALICE]],
  [
    "eth_getBlockByNumber",
    { hash: HASH, number: "0x7", baseFeePerGas: "<b>" },
    ["latest", false],
    { hash: HASH, number: "0x7" },
  ],
  [
    "eth_getTransactionReceipt",
    RECEIPT,
    [HASH],
    { status: "0x1", blockNumber: "0x7", from: ALICE, contractAddress: null },
  ],
  [
    "eth_getTransactionReceipt",
    { ...RECEIPT, from: undefined, contractAddress: BEN },
    [HASH.toUpperCase().replace("X", "x")],
    { status: "0x1", blockNumber: "0x7", from: null, contractAddress: BEN },
  ],
  ["eth_getTransactionReceipt", undefined, [HASH], null],
  // Of another transaction.
  ["eth_getTransactionReceipt", RECEIPT, [OTHER], null],
  ["eth_getTransactionByHash", { hash: HASH, from: BEN, nonce: "0x3", v: "<b>" }, [HASH], { from: BEN, nonce: "0x3" }],
  ["eth_getTransactionByHash", { hash: HASH, from: BEN, nonce: "0x3" }, [OTHER], null],
  ["eth_getTransactionByHash", null, [HASH], null],
  ["eth_getLogs", [LOG], [FILTER], [{ ...LOG, address: TABLE }]],
  ["eth_getLogs", [LOG], [{ ...FILTER, topics: [[OTHER, HASH]], toBlock: "latest" }], [{ ...LOG, address: TABLE }]],
  // Of the first block and of the last one that were asked for, and without topics.
  [
    "eth_getLogs",
    [
      { ...LOG, blockNumber: "0x5" },
      { ...LOG, blockNumber: "0x9" },
    ],
    [FILTER],
    [
      { ...LOG, address: TABLE, blockNumber: "0x5" },
      { ...LOG, address: TABLE, blockNumber: "0x9" },
    ],
  ],
  ["eth_getLogs", [{ ...LOG, topics: "none" }], [{ ...FILTER, topics: [] }], [{ ...LOG, address: TABLE, topics: [] }]],
  ["wallet_switchEthereumChain", "<b>", [], null],
])("of an answer to %s only what was asked for gets through", async (method, answer, params, expected) => {
  expect(await through(method, answer, ...params)).toEqual(expected);
});

test.each<[string, unknown, unknown[]]>([
  ["eth_getBlockByNumber", null, ["latest", false]],
  ["eth_getBlockByNumber", { hash: HASH }, ["latest", false]],
  ["eth_getTransactionReceipt", "0x1", [HASH]],
  ["eth_getTransactionReceipt", { ...RECEIPT, status: "yes" }, [HASH]],
  ["eth_getTransactionReceipt", { ...RECEIPT, from: "<b>" }, [HASH]],
  ["eth_getTransactionByHash", { hash: HASH, from: BEN, nonce: -1 }, [HASH]],
  ["eth_getTransactionCount", "many", [ALICE, "latest"]],
  ["eth_sendTransaction", "done!", []],
  ["eth_getLogs", "none", [FILTER]],
  ["eth_getLogs", [null], [FILTER]],
  ["eth_getLogs", [{ ...LOG, address: ALICE }], [FILTER]],
  ["eth_getLogs", [{ ...LOG, topics: [OTHER] }], [FILTER]],
  ["eth_getLogs", [{ ...LOG, topics: [] }], [FILTER]],
  ["eth_getLogs", [{ ...LOG, blockNumber: "0x4" }], [FILTER]],
  ["eth_getLogs", [{ ...LOG, blockNumber: "0xa" }], [FILTER]],
  ["eth_getLogs", [{ ...LOG, blockNumber: null }], [FILTER]],
  ["eth_getLogs", [{ ...LOG, removed: true }], [FILTER]],
  ["eth_getLogs", [{ ...LOG, transactionHash: "javascript:alert(1)" }], [FILTER]],
  ["personal_sign", HASH, []],
])("an answer to %s of %j is not used", async (method, answer, params) => {
  await expect(through(method, answer, ...params)).rejects.toBeInstanceOf(InvalidAnswer);
});

test("a person has any time to confirm, and a node eight seconds to answer", async () => {
  vi.useFakeTimers();
  const ended: string[] = [];
  for (const method of Object.keys(ANSWERS)) {
    const client = clientOf({ request: () => new Promise(() => null) });
    (client.request as (request: Request) => Promise<unknown>)({ method, params: [HASH] }).catch((error: unknown) => {
      if (error instanceof NoAnswer) ended.push(method);
    });
  }
  await vi.advanceTimersByTimeAsync(7999);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  const waiting = Object.keys(ANSWERS).filter((method) => !ended.includes(method));
  expect(waiting).toEqual([
    "eth_requestAccounts",
    "eth_sendTransaction",
    "wallet_switchEthereumChain",
    "wallet_addEthereumChain",
  ]);
  vi.useRealTimers();
});

test("a request is made once, whatever it ends with", async () => {
  let count = 0;
  const client = clientOf({
    request: async () => {
      count += 1;
      throw new RpcError(-32_603, "Internal error");
    },
  });
  await expect(client.request({ method: "eth_chainId" })).rejects.toMatchObject({ code: -32_603 });
  expect(count).toBe(1);
});

test("a provider has one client, and an answer leaves no timer behind", async () => {
  vi.useFakeTimers();
  const provider = { request: async () => "0x1" };
  expect(clientOf(provider)).toBe(clientOf(provider));
  await clientOf(provider).request({ method: "eth_chainId" });
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test("foreign words become one short line", () => {
  expect(asWords("One\nline\r\n\u2028only\t ", 40)).toBe("One line only");
  expect(asWords("\u202eksaMateM \u0000\u0007\u200b", 40)).toBe("ksaMateM");
  expect(asWords(`Z${"\u0335\u0336".repeat(400)}algo`, 40)).toBe("Z\u0335\u0336algo");
  expect([...asWords("🦊".repeat(100), 40)]).toHaveLength(40);
  expect(asWords({}, 40)).toBe("");
});
