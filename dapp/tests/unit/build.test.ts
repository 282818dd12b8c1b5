// `npm run build` without its tools, and what `npm run mutants` has stored.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

test("without uv, one sentence says what to install", () => {
  const { VYPER: _, ...env } = process.env;
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, ["scripts/generate.mjs"], { cwd: root, env: { ...env, PATH: "/nowhere" }, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toContain("install uv (https://docs.astral.sh/uv/)");
});

test("the totals of the mutants are those of the stored verdicts", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  expect(spawnSync(process.execPath, ["scripts/mutants.mjs", "--check"], { cwd: root, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
});
