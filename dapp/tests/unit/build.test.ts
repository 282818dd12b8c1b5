// What the page has from the contract.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { BYTECODE } from "../../src/generated/bytecode.ts";
import { STATUSES } from "../../src/rules.ts";
import { text } from "../../src/text.ts";

const contract = fileURLToPath(new URL("../../../contracts/TicTacToe.vy", import.meta.url));

test("the statuses and the reasons are the contract's", () => {
  const source = readFileSync(contract, "utf8");
  const constants = source.matchAll(/^(IN_PROGRESS|DRAW|[XO]_\w+): constant\(uint\d+\) = (\d)$/gm);
  expect([...constants].map(([, name = "", number]) => [Number(number), name.toLowerCase()])).toEqual(
    [...STATUSES.entries()].slice(1),
  );
  const reasons = source.matchAll(/_refuse\("(.*?)"\)/g);
  expect(new Set([...reasons].map(([, reason]) => reason))).toEqual(new Set(Object.keys(text.reason)));
});

test("the creation code is what the compiler prints, with its metadata", { timeout: 60_000 }, () => {
  expect(BYTECODE).toBe(execFileSync("uv", ["run", "vyper", "-f", "bytecode", contract], { encoding: "utf8" }).trim());
});
