// What the page has from the contract, and `npm run build` without its tools.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { REASONS } from "../../src/failures.ts";
import { STATUSES } from "../../src/rules.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const source = readFileSync(join(root, "../contracts/TicTacToe.vy"), "utf8");

test("the statuses and the reasons are the contract's", () => {
  const constants = source.matchAll(/^(IN_PROGRESS|DRAW|[XO]_\w+): constant\(uint\d+\) = (\d)$/gm);
  expect([...constants].map(([, name = "", number]) => [Number(number), name.toLowerCase()])).toEqual([...STATUSES.entries()].slice(1));
  const reasons = source.matchAll(/_refuse\("(.*?)"\)/g);
  expect(new Set([...reasons].map(([, reason]) => reason))).toEqual(new Set(REASONS));
});

test("without uv, one sentence says what to install", () => {
  const { VYPER: _, ...env } = process.env;
  const { status, stderr } = spawnSync(process.execPath, ["scripts/generate.mjs"], { cwd: root, env: { ...env, PATH: "/nowhere" }, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toContain("install uv (https://docs.astral.sh/uv/)");
});
