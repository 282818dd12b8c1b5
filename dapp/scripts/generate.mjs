// Writes src/generated/: the contract's interface, code, statuses and reasons from the Vyper compiler, and the known chains
// (src/chains.json) with what viem knows of them. It runs before every build, so nothing is copied from the contract by hand.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { keccak256 } from "viem";
import * as chains from "viem/chains";

const dapp = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(dapp);
const out = join(dapp, "src", "generated");

function compile() {
  // Without the compiler's metadata these are the bytes that `ape run deploy` sends: the source's hash is in the metadata.
  const args = ["-f", "abi,bytecode,bytecode_runtime,annotated_ast", "--no-bytecode-metadata", "contracts/TicTacToe.vy"];
  const options = { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024, stdio: ["ignore", "pipe", "inherit"] };
  // VYPER names a compiler of an active environment; without it, uv runs the one that pyproject.toml pins.
  const [program, ...before] = (process.env.VYPER ?? "uv run vyper").split(" ");
  let output;
  try {
    output = execFileSync(program, [...before, ...args], options);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    console.error(`The contract's compiler is started with ${program}, which is not installed: install uv (https://docs.astral.sh/uv/), or set VYPER to a vyper 0.4.3.`);
    process.exit(1);
  }
  const [abi, bytecode, runtime, ast] = output.trim().split("\n");
  return { abi: JSON.parse(abi), bytecode, runtime, body: JSON.parse(ast).ast.body };
}

function* nodes(tree) {
  if (tree === null || typeof tree !== "object") return;
  if (tree.ast_type) yield tree;
  for (const child of Object.values(tree)) yield* nodes(child);
}

const { abi, bytecode, runtime, body } = compile();
const constants = body.filter((node) => node.ast_type === "VariableDecl" && node.is_constant);

// The contract's first constants are the statuses, numbered from 1. 0 means that there was no game yet.
const statuses = ["no_game"];
for (const node of constants) {
  if (node.value?.value !== statuses.length) break;
  statuses.push(node.target.id.toLowerCase());
}
if (statuses[1] !== "in_progress" || statuses.length !== 7) throw new Error(`statuses not found: ${statuses}`);

const reasons = new Set();
for (const node of nodes(body)) {
  if (node.ast_type === "Call" && node.func?.attr === "_refuse") reasons.add(node.args[0].value);
}
if (reasons.size !== 8 || reasons.has(undefined)) throw new Error(`reasons not found: ${[...reasons]}`);

const constant = (name) => constants.find((node) => node.target.id === name).value.value;

/** What transactions cost at most under one of the price lists that the tests keep in tests/gas. */
function gas(list) {
  const rows = readFileSync(join(root, "tests", "gas", `${list}.md`), "utf8").matchAll(/^\| ([^|]+) \| ([\d,]+) \|/gm);
  const most = (scenario) => Math.max(...costs.filter(([name]) => scenario.test(name)).map(([, used]) => used));
  const costs = [...rows].map(([, name, used]) => [name, Number(used.replaceAll(",", ""))]);
  return { table: most(/^deploy$/), firstGame: most(/^newGame, the table's first$/), game: most(/^newGame, (other|naming)/), move: most(/, move \d by /) };
}

const head = "// Written by scripts/generate.mjs at every build. Do not edit.\n";
const json = (value) => JSON.stringify(value, null, 2);
mkdirSync(out, { recursive: true });
writeFileSync(
  join(out, "contract.ts"),
  `${head}
export const ABI = ${json(abi)} as const;
export const STATUSES = ${json(statuses)} as const;
export const REASONS = ${json([...reasons])} as const;
export const RUNTIME_HASH = "${keccak256(runtime)}";
export const CREATION_HASH = "${keccak256(bytecode)}";
export const GAS = ${json({ mainnet: gas("mainnet"), amsterdam: gas("amsterdam") })} as const;
export const NUMBER_BITS = ${256 - Number(constant("NUMBER_AT"))};
export const DELEGATION = "${constant("DELEGATION")}";
export const DELEGATION_SIZE = ${constant("DELEGATION_SIZE")};
`,
);
// Only deployment and practice need the code, so it has a file of its own that is loaded on demand.
writeFileSync(join(out, "bytecode.ts"), `${head}\nexport const BYTECODE = "${bytecode}";\n`);

// viem's name of each chain, its short name (EIP-3770), and the endpoints to try after the one that viem has.
const known = JSON.parse(readFileSync(join(dapp, "src", "chains.json"), "utf8"));
writeFileSync(
  join(out, "chains.ts"),
  `${head}
export const CHAINS = ${json(
    Object.entries(known).map(([key, { short, gas: list = "mainnet", endpoints }]) => {
      const { id, name, nativeCurrency, rpcUrls, blockExplorers, blockTime, testnet = false } = chains[key];
      return {
        id,
        name: key === "foundry" ? "Local chain" : name,
        short,
        currency: nativeCurrency,
        testnet: testnet || key === "foundry",
        gas: list,
        endpoints: [...new Set([rpcUrls.default.http[0], ...endpoints])],
        explorer: blockExplorers?.default.url ?? null,
        blockTime: blockTime ?? 12_000,
      };
    }),
  )} as const;
`,
);
