// What needs the rest of the repository: `npm run build` without its tools, and the Python library,
// which derives the addresses of tables with names from its own build of the contract.
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keccak256 } from "viem/utils";
import { expect, test } from "vitest";
import { BYTECODE } from "../../src/generated/bytecode.ts";
import { deployData, FACTORY, FACTORY_HASH, tableAddress } from "../../src/naming.ts";
import { FACTORY_CODE } from "./support/node.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("without uv, one sentence says what to install", () => {
  const { VYPER: _, ...env } = process.env;
  const { status, stderr } = spawnSync(process.execPath, ["scripts/generate.mjs"], { cwd: root, env: { ...env, PATH: "/nowhere" }, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toContain("install uv (https://docs.astral.sh/uv/)");
});

const NAMES = ["anna-and-ben", "a", "9", "a".repeat(32)];

const SCRIPT = `
import json, sys
from tictactoe import naming, table_address
addresses = [table_address(name) for name in sys.argv[1:]]
print(json.dumps({"factory": naming.FACTORY, "code": "0x" + naming.FACTORY_CODE.hex(), "addresses": addresses, "salt": naming.salt(sys.argv[1]).hex()}))
`;

function library(): { factory: string; code: `0x${string}`; addresses: string[]; salt: string } {
  // VYPER names the compiler of an active environment: its Python has the library, too.
  const [program = "", ...before] = process.env["VYPER"] === undefined ? ["uv", "run", "python"] : ["python"];
  const output = execFileSync(program, [...before, "-c", SCRIPT, ...NAMES], { cwd: join(root, ".."), encoding: "utf8" });
  // Ape may say first that it compiles the contract.
  return JSON.parse(output.trim().split("\n").at(-1) ?? "");
}

test("a name gives the address that the Python library gives", { timeout: 60_000 }, () => {
  const { factory, code, addresses, salt } = library();
  expect(NAMES.map(tableAddress)).toEqual(addresses);
  expect(new Set(addresses).size).toBe(NAMES.length);
  expect([FACTORY, FACTORY_HASH, FACTORY_CODE]).toEqual([factory, keccak256(code), code]);
  expect(deployData("anna-and-ben", BYTECODE)).toBe(`0x${salt}${BYTECODE.slice(2)}`);
});
