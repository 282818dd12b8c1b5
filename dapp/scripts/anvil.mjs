// A local chain with a table on it, for `npm run dev` and `npm run pictures`.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

function program() {
  const packages = `${root}node_modules/@foundry-rs/`;
  const found = readdirSync(packages).find((name) => name.startsWith("anvil-"));
  if (found === undefined) throw new Error("npm installed no anvil for this platform");
  return `${packages}${found}/bin/anvil${process.platform === "win32" ? ".exe" : ""}`;
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

export async function startAnvil(...options) {
  const url = `http://127.0.0.1:${await freePort()}`;
  const anvil = spawn(program(), ["--silent", "--port", new URL(url).port, ...options], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const stop = () => anvil.kill();
  process.once("exit", stop);

  async function rpc(method, ...params) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const { result, error } = await response.json();
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  for (let tries = 0; ; tries += 1) {
    try {
      const accounts = await rpc("eth_accounts");
      const [, data] = /"(0x[0-9a-f]+)"/.exec(readFileSync(`${root}src/generated/bytecode.ts`, "utf8"));
      const hash = await rpc("eth_sendTransaction", { from: accounts[2], data });
      return { url, rpc, stop, accounts, table: (await rpc("eth_getTransactionReceipt", hash)).contractAddress };
    } catch (error) {
      if (tries > 100 || anvil.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
