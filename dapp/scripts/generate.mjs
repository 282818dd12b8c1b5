// Writes src/generated/: the contract's interface and code from the Vyper compiler, and the known chains (src/chains.json) with
// what viem knows of them. It runs before every build.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { keccak256 } from "viem";
import * as chains from "viem/chains";

const dapp = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(dapp);
const out = join(dapp, "src", "generated");

/** What `vyper` prints: the creation code is, byte for byte, what `account.deploy(project.TicTacToe)` sends. */
function compile() {
  const args = ["run", "vyper", "-f", "abi,bytecode,bytecode_runtime", "contracts/TicTacToe.vy"];
  const options = { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] };
  return execFileSync("uv", args, options).trim().split("\n");
}

const [abi, bytecode, runtime] = compile();
const head = "// Written by scripts/generate.mjs at every build. Do not edit.\n";
const json = (value) => JSON.stringify(value, null, 2);
mkdirSync(out, { recursive: true });
writeFileSync(
  join(out, "contract.ts"),
  `${head}
export const ABI = ${json(JSON.parse(abi))} as const;
export const RUNTIME_HASH = "${keccak256(runtime)}";
`,
);
// Only a deployment needs the creation code, so it is in a file that is loaded on demand. Only the tests need a table's code.
const codes = `export const BYTECODE = "${bytecode}";\nexport const RUNTIME = "${runtime}";\n`;
writeFileSync(join(out, "bytecode.ts"), `${head}\n${codes}`);

// viem's name of each chain, and the endpoints to try after the one that viem has.
const known = JSON.parse(readFileSync(join(dapp, "src", "chains.json"), "utf8"));
const list = Object.entries(known).map(([key, endpoints]) => {
  const { id, name, nativeCurrency, rpcUrls, blockExplorers, blockTime = 12_000, testnet } = chains[key];
  const http = [...new Set([rpcUrls.default.http[0], ...endpoints])];
  const own = key === "foundry" ? { name: "Local chain", testnet: true } : { name, testnet };
  return { id, nativeCurrency, rpcUrls: { default: { http } }, blockExplorers, blockTime, ...own };
});
writeFileSync(
  join(out, "chains.ts"),
  `${head}import type { Chain } from "viem";

export const CHAINS: readonly Chain[] = ${json(list)};
`,
);
