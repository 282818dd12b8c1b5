// An endpoint that does not speak JSON-RPC gives no answer, and answers of the wrong form are not used.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asAccounts, asAddress, asHash, asHex, asNumber, asWords, endpoint, InvalidAnswer, NoAnswer, RpcError } from "../../src/provider.ts";

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

test.each<[string, (response: ServerResponse) => void]>([
  ["a web page", (response) => void response.setHeader("content-type", "text/html").end("<h1>Bad gateway</h1><script>alert(1)</script>")],
  ["an error page", (response) => void response.writeHead(502).end("<html>")],
  ["nothing", (response) => void response.end()],
  ["half an answer", (response) => void response.end('{"jsonrpc":"2.0","id":1,"result":"0x')],
  ["a list", (response) => void response.end("[]")],
  ["a number", (response) => void response.end("42")],
  ["neither result nor error", (response) => void response.end('{"__proto__":{"result":"0x1"}}')],
  ["a closed connection", (response) => void response.destroy()],
])("%s is no answer", async (_, way) => {
  respond = way;
  await expect(endpoint(url).request({ method: "eth_chainId" })).rejects.toBeInstanceOf(NoAnswer);
});

test("an error made of markup is an error of the node", async () => {
  respond = (response) => void response.end('{"error":{"code":"<b>","message":{"toString":1},"data":["<img>"]}}');
  await expect(endpoint(url).request({ method: "eth_chainId" })).rejects.toThrow();
  respond = (response) => void response.end('{"error":{"code":-32000,"message":"<img src=x>","data":"0x12"}}');
  await expect(endpoint(url).request({ method: "eth_chainId" })).rejects.toMatchObject({ constructor: RpcError, code: -32_000, data: "0x12" });
});

test("a redirect is not followed", async () => {
  requests = 0;
  respond = (response) => void response.writeHead(307, { location: `${url}elsewhere` }).end();
  await expect(endpoint(url).request({ method: "eth_chainId" })).rejects.toBeInstanceOf(NoAnswer);
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
  await expect(endpoint(url).request({ method: "eth_chainId" })).rejects.toBeInstanceOf(NoAnswer);
  await closed;
});

test("every form of answer is checked", () => {
  const refused: [(value: unknown) => unknown, unknown[]][] = [
    [asNumber, ["0x", "1", "31337", `0x${"f".repeat(64)}`, "0x7a69<b>", null, {}, -1, 1.5, 1e300]],
    [asHash, ["0x12", `0x${"g".repeat(64)}`, 42, null]],
    [asHex, ["0x1", "12", "nonsense", 42, null, "<img src=x onerror=alert(1)>"]],
    [asAddress, ["<script>", 7, null, [], "0x12", `0x${"1".repeat(42)}`]],
    [asAccounts, [["<script>"], [7], [null], [[]]]],
  ];
  for (const [check, values] of refused) for (const value of values) expect(() => check(value), String(value)).toThrow(InvalidAnswer);
  expect([asNumber("0x7a69"), asNumber(1), asHex("0x"), asAccounts("0x")]).toEqual([31_337, 1, "0x", []]);
});

test("foreign words become one short line", () => {
  expect(asWords("One\nline\r\n\u2028only\t ", 40)).toBe("One line only");
  expect(asWords("\u202eksaMateM \u0000\u0007\u200b", 40)).toBe("ksaMateM");
  expect(asWords(`Z${"\u0335\u0336".repeat(400)}algo`, 40)).toBe("Z\u0335\u0336algo");
  expect([...asWords("🦊".repeat(100), 40)]).toHaveLength(40);
  expect(asWords({}, 40)).toBe("");
});
