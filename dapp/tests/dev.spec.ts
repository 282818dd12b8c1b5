// `npm run dev`: one command starts a chain, a table, the page and two test players.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { text } from "../src/text.ts";
import { freePort } from "./support/anvil.ts";
import { expect, expectBoard, otherPage, cellAt, test, title, walletButton } from "./support/fixtures.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

async function start(): Promise<{ process: ChildProcess; link: string }> {
  // What `npm run dev` runs, but without npm in between, so that the signal reaches it.
  const process = spawn("node", ["scripts/dev.mjs"], {
    cwd: root,
    env: { ...globalThis.process.env, PORT: String(await freePort()) },
  });
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
    await page.goto(link);
    await expect(title(page)).toHaveText(text.status.noGame, { timeout: 20_000 });
    await walletButton(page).click();
    await page.getByRole("button", { name: "Test player Anna" }).click();
    const other = await otherPage(browser);
    await other.goto(await page.getByLabel(text.invite.link, { exact: true }).inputValue());
    await other.getByRole("button", { name: text.invite.play, exact: true }).click();
    await other.getByRole("button", { name: "Test player Ben" }).click();
    await expect(title(other)).toHaveText(text.status.yourTurn);
    await cellAt(other, 4).click();
    await expect(title(page)).toHaveText(text.status.yourTurn);
    await cellAt(page, 0).click();
    await expectBoard(other, "o...x....");
    await other.context().close();
  } finally {
    const ended = new Promise((resolve) => process.once("exit", resolve));
    process.kill("SIGTERM");
    await ended;
  }
});
