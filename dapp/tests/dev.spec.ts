// `npm run dev`: one command starts a chain, a table, the page and two test players.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { freePort } from "./support/anvil.ts";
import { expect, expectBoard, otherPage, cellAt, test, title, walletButton } from "./support/fixtures.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

async function start(): Promise<{ process: ChildProcess; link: string }> {
  // What `npm run dev` runs, but without npm in between, so that the signal reaches it.
  const process = spawn("node", ["scripts/dev.mjs"], { cwd: root, env: { ...globalThis.process.env, PORT: String(await freePort()) } });
  let output = "";
  const link = await new Promise<string>((resolve, reject) => {
    process.stdout.on("data", (data: Buffer) => {
      output += data.toString();
      const found = /The page\s+(\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    process.stderr.on("data", (data: Buffer) => (output += data.toString()));
    process.once("exit", () => reject(new Error(output)));
  });
  return { process, link };
}

test("npm run dev is ready to play, with two test players", async ({ page, browser }) => {
  test.setTimeout(60_000);
  const { process, link } = await start();
  try {
    const other = await otherPage(browser);
    for (const [player, at] of [
      ["Test player X", page],
      ["Test player O", other],
    ] as const) {
      await at.goto(link);
      await expect(title(at)).toHaveText("A free table", { timeout: 20_000 });
      await walletButton(at).click();
      await at.getByRole("button", { name: player }).click();
      await expect(at.getByRole("dialog")).toBeHidden();
    }
    const opponent = await walletButton(other).getAttribute("aria-label");
    expect(opponent).toContain("0x7099");
    await page.getByRole("button", { name: "New game" }).click();
    await page.getByLabel("Your opponent's address").fill("0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
    await page.getByRole("button", { name: "Begin" }).click();
    await expect(title(page)).toHaveText("Your turn");
    await cellAt(page, 4).click();
    await expect(title(other)).toHaveText("Your turn");
    await cellAt(other, 0).click();
    await expectBoard(page, "o...x....");
    await other.context().close();
  } finally {
    const ended = new Promise((resolve) => process.once("exit", resolve));
    process.kill("SIGTERM");
    await ended;
  }
});
