// `npm run dev`: a local chain, a table on it, and the page with two test wallets. Ctrl-C stops everything.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer as createSocket } from "node:net";
import { fileURLToPath } from "node:url";
import { createServer } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));

function program() {
  const packages = `${root}node_modules/@foundry-rs/`;
  const found = readdirSync(packages).find((name) => name.startsWith("anvil-"));
  if (found === undefined) throw new Error("npm installed no anvil for this platform");
  return `${packages}${found}/bin/anvil${process.platform === "win32" ? ".exe" : ""}`;
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createSocket().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

const url = `http://127.0.0.1:${await freePort()}`;
const anvil = spawn(program(), ["--silent", "--port", new URL(url).port], { stdio: ["ignore", "ignore", "inherit"] });

async function rpc(method, ...params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result, error } = await response.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

async function deploy() {
  for (let tries = 0; ; tries += 1) {
    try {
      const [, , deployer] = await rpc("eth_accounts");
      const [, data] = /"(0x[0-9a-f]+)"/.exec(readFileSync(`${root}src/generated/bytecode.ts`, "utf8"));
      const hash = await rpc("eth_sendTransaction", { from: deployer, data });
      return (await rpc("eth_getTransactionReceipt", hash)).contractAddress;
    } catch (error) {
      if (tries > 100 || anvil.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function stop() {
  anvil.kill();
  await vite?.close();
  process.exit(0);
}

let vite;
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
process.once("exit", () => anvil.kill());

const table = await deploy();
process.env.VITE_TEST_NODE = url;
vite = await createServer({ root, server: { host: "127.0.0.1", port: Number(process.env.PORT ?? 5173) } });
await vite.listen();
const [page] = vite.resolvedUrls.local;
const link = new URLSearchParams({ chain: "31337", table, rpc: url });
console.log(`
  Local chain  ${url}  (chain 31337)
  Table        ${table}
  The page     ${page}?${link}

  Connect "Test player X" in one window and "Test player O" in another. Ctrl-C stops everything.
`);
