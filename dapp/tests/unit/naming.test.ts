// Tables with names: the page and the Python library derive the same addresses, each from its own build of the contract.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { keccak256 } from "viem/utils";
import { expect, test } from "vitest";
import { BYTECODE } from "../../src/generated/bytecode.ts";
import { deployData, FACTORY, FACTORY_HASH, parseName, tableAddress } from "../../src/naming.ts";

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
  const cwd = fileURLToPath(new URL("../../..", import.meta.url));
  const output = execFileSync(program, [...before, "-c", SCRIPT, ...NAMES], { cwd, encoding: "utf8" });
  // Ape may say first that it compiles the contract.
  return JSON.parse(output.trim().split("\n").at(-1) ?? "");
}

test("a name gives the address that the Python library gives", { timeout: 60_000 }, () => {
  const { factory, code, addresses, salt } = library();
  expect(NAMES.map(tableAddress)).toEqual(addresses);
  expect(new Set(addresses).size).toBe(NAMES.length);
  expect([FACTORY, FACTORY_HASH]).toEqual([factory, keccak256(code)]);
  expect(deployData("anna-and-ben", BYTECODE)).toBe(`0x${salt}${BYTECODE.slice(2)}`);
});

test("a name has letters and digits, and single hyphens between them", () => {
  for (const text of NAMES) expect(parseName(` ${text.toUpperCase()}\n`)).toBe(text);
  for (const text of ["", "-", "a-", "-a", "a--b", "a b", "a_b", "ä", "anna.eth", "0x1", "0Xa", "a".repeat(33)]) expect(parseName(text)).toBeNull();
});
