// `npm run build` without its tools.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("without uv, one sentence says what to install", () => {
  const { VYPER: _, ...env } = process.env;
  const { status, stderr } = spawnSync(process.execPath, ["scripts/generate.mjs"], { cwd: root, env: { ...env, PATH: "/nowhere" }, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toContain("install uv (https://docs.astral.sh/uv/)");
});
