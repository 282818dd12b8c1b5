// What docs/page.md shows another dApp is run here, word for word, on a real node.
import { readFileSync } from "node:fs";
import { createPublicClient, http } from "viem";
import { foundry } from "viem/chains";
import { ABI } from "../src/generated/contract.ts";
import { expect, test } from "./support/fixtures.ts";

const page = readFileSync(new URL("../../docs/page.md", import.meta.url), "utf8");

test("the example that listens to the events hears them", async ({ anvil, table }) => {
  const [x, o] = [anvil.account(0), anvil.account(1)];
  for (let game = 1; game <= 7; game += 1) await anvil.newGame(table, x, o);
  await anvil.move(table, x, 4);
  await anvil.move(table, o, 0);

  const example = /```ts\n(?<code>[^`]+(?:`[^`]*`[^`]*)*?)\n```/.exec(page)?.groups?.["code"] ?? "";
  const body = example.replace(/^import .*$/gm, "");
  expect(body).toContain("watchContractEvent");
  const heard: string[] = [];
  const names = {
    createPublicClient: (options: object) => createPublicClient({ ...options, transport: http(anvil.url), pollingInterval: 50 }),
    http,
    sepolia: foundry,
    table,
    abi: ABI,
    console: { log: (...words: string[]) => heard.push(words.join(" ").trim()) },
  };
  const run = new Function(...Object.keys(names), `return (async () => {${body}; return { past, stop }; })()`) as (
    ...values: unknown[]
  ) => Promise<{ past: { args: { row: number; col: number } }[]; stop: () => void }>;
  const { past, stop } = await run(...Object.values(names));
  expect(past.map(({ args: { row, col } }) => [row, col])).toEqual([
    [1, 1],
    [0, 0],
  ]);
  // A listener over HTTP begins with the block after the one it first sees.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await anvil.move(table, x, 8);
  await expect.poll(() => heard).toEqual(["game 7, move 3: row 2, column 2"]);
  stop();
});
