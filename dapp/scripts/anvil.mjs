// A local chain with a table on it, for `npm run dev` and `npm run pictures`.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

function program() {
  const packages = `${root}node_modules/@foundry-rs/`;
  const found = readdirSync(packages).find((name) => name.startsWith("anvil-"));
  if (found === undefined) throw new Error("npm installed no anvil for this platform");
  return `${packages}${found}/bin/anvil${process.platform === "win32" ? ".exe" : ""}`;
}

export async function startAnvil(...options) {
  const anvil = spawn(program(), ["--port", "0", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  const stop = () => anvil.kill();
  process.once("exit", stop);
  const url = await new Promise((resolve, reject) => {
    let said = "";
    anvil.stdout.on("data", (chunk) => {
      said = `${said}${chunk}`.slice(-1000);
      const place = /Listening on (\S+)\n/.exec(said);
      if (place) resolve(`http://${place[1]}`);
    });
    anvil.once("close", () => reject(new Error(`anvil has ended: ${said}`)));
  });

  async function rpc(method, ...params) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const { result, error } = await response.json();
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  const accounts = await rpc("eth_accounts");
  const [, data] = /"(0x[0-9a-f]+)"/.exec(readFileSync(`${root}src/generated/bytecode.ts`, "utf8"));
  const hash = await rpc("eth_sendTransaction", { from: accounts[2], data });
  // Anvil returns the hash before the block is there.
  let receipt = null;
  while (receipt === null) receipt = await rpc("eth_getTransactionReceipt", hash);
  return { url, rpc, stop, accounts, table: receipt.contractAddress };
}
