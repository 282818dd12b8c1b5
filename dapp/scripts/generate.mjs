// Everything the page knows about the contract comes from the compiler, at every build: the interface, the code, the
// names of the statuses and the reasons. The known chains come from viem. Nothing here is ever copied by hand.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { keccak256 } from "viem";
import * as chains from "viem/chains";

const dapp = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(dapp);
const out = join(dapp, "src", "generated");

function compile() {
  const args = ["-f", "abi,bytecode,bytecode_runtime,annotated_ast", "contracts/TicTacToe.vy"];
  const options = { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024, stdio: ["ignore", "pipe", "inherit"] };
  // A `vyper` in an active environment will do; else uv brings the one that pyproject.toml pins.
  const [program, ...before] = (process.env.VYPER ?? "uv run vyper").split(" ");
  const [abi, bytecode, runtime, ast] = execFileSync(program, [...before, ...args], options).trim().split("\n");
  return { abi: JSON.parse(abi), bytecode, runtime, body: JSON.parse(ast).ast.body };
}

function* nodes(tree) {
  if (tree === null || typeof tree !== "object") return;
  if (tree.ast_type) yield tree;
  for (const child of Object.values(tree)) yield* nodes(child);
}

const { abi, bytecode, runtime, body } = compile();
const constants = body.filter((node) => node.ast_type === "VariableDecl" && node.is_constant);

// The statuses are the first constants, numbered from 0.
const statuses = [];
for (const node of constants) {
  if (node.value?.value !== statuses.length) break;
  statuses.push(node.target.id);
}
if (statuses[0] !== "NO_GAME" || statuses.length !== 7) throw new Error(`statuses not found: ${statuses}`);

const reasons = [];
for (const node of nodes(body)) {
  if (node.ast_type === "Assert" && node.msg?.value && !reasons.includes(node.msg.value)) reasons.push(node.msg.value);
}
const constant = (name) => constants.find((node) => node.target.id === name).value.value;

const head = "// Made by scripts/generate.mjs at every build; not to be edited.\n";
const json = (value) => JSON.stringify(value, null, 2);
mkdirSync(out, { recursive: true });
writeFileSync(
  join(out, "contract.ts"),
  `${head}
export const ABI = ${json(abi)} as const;
export const STATUS = ${json(Object.fromEntries(statuses.map((name, value) => [name, value])))} as const;
export const REASONS = ${json(reasons)} as const;
export const RUNTIME_HASH = "${keccak256(runtime)}";
export const GAME_BITS = ${256 - Number(constant("NUMBER"))};
export const DELEGATION = "${constant("DELEGATION")}";
export const DELEGATION_SIZE = ${constant("DELEGATION_SIZE")};
`,
);
// The code itself is needed only to deploy and to practise: a file of its own, loaded then.
writeFileSync(join(out, "bytecode.ts"), `${head}\nexport const BYTECODE = "${bytecode}";\n`);

const known = ["mainnet", "sepolia", "hoodi", "optimism", "base", "baseSepolia", "arbitrum", "polygon", "gnosis", "foundry"];
writeFileSync(
  join(out, "chains.ts"),
  `${head}
export const CHAINS = ${json(
    known.map((key) => {
      const { id, name, nativeCurrency, rpcUrls, blockExplorers, blockTime, testnet } = chains[key];
      return {
        id,
        name: key === "foundry" ? "Local chain" : name,
        currency: nativeCurrency,
        endpoint: rpcUrls.default.http[0],
        explorer: blockExplorers?.default.url ?? null,
        blockTime: blockTime ?? 12_000,
        testnet: testnet ?? false,
      };
    }),
  )} as const;
`,
);
