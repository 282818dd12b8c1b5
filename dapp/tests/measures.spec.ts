// Limits: the size of the page, layout shifts, and the content security policy. How soon a move is shown is tested in Vitest.
import { gzipSync } from "node:zlib";
import { text } from "../src/text.ts";
import {
  readFrom,
  cellAt,
  draws,
  expect,
  expectBoard,
  linkTo,
  LOCAL_ENDPOINT,
  newTable,
  sit,
  test,
  title,
  walletButton,
} from "./support/fixtures.ts";
import { Proxy } from "./support/proxy.ts";
import type { Page } from "@playwright/test";

/** The size of what the page has loaded so far, without the font and pictures, in bytes after gzip. */
function weigh(page: Page) {
  const sizes = new Map<string, number>();
  const pending: Promise<void>[] = [];
  page.on("response", (response) => {
    const name = new URL(response.url()).pathname.split("/").at(-1) ?? "";
    if (/\.(woff2|png|svg)$/.test(name)) return;
    pending.push(response.body().then((body) => void sizes.set(name, gzipSync(body, { level: 9 }).length)));
  });
  return async () => {
    await Promise.all(pending);
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  };
}

test("the first load is at most 65 kB after gzip without the font, and practice loads nothing more", async ({
  page,
  host,
}, info) => {
  const weight = weigh(page);
  await page.goto(host);
  await page.waitForLoadState("networkidle");
  const first = await weight();
  await cellAt(page, 4).click();
  await expect(page.locator('[data-phase="settled"]')).toHaveCount(1);
  expect((await weight()) - first).toBe(0);
  info.annotations.push({ type: "size", description: `first load ${first}` });
  console.log(`first load ${first} bytes`);
  expect(first).toBeGreaterThan(10_000);
  expect(first).toBeLessThanOrEqual(65_000);
});

test("while anything loads the board stays in its place, and hardly anything else moves", async ({
  page,
  host,
  anvil,
  sepolia,
  table,
  link,
}) => {
  test.setTimeout(90_000);
  await page.addInitScript(() => {
    const sum = { board: 0, all: 0 };
    const add = (entries: PerformanceEntryList): void => {
      for (const { value, sources } of entries as (PerformanceEntry & {
        value: number;
        sources: { node: Node | null }[];
      })[]) {
        sum.all += value;
        const parts = sources.map(({ node }) => (node instanceof Element ? node : node?.parentElement));
        if (parts.some((part) => part?.closest(".board"))) sum.board += value;
      }
    };
    const observer = new PerformanceObserver((list) => add(list.getEntries()));
    observer.observe({ type: "layout-shift", buffered: true });
    const frame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));
    const shifts = async (): Promise<typeof sum> => {
      // What is painted last is reported with the frame after it.
      for (let frames = 0; frames < 3; frames += 1) await frame();
      add(observer.takeRecords());
      return sum;
    };
    Object.assign(window, { shifts });
  });
  const shifts = (): Promise<{ board: number; all: number }> =>
    page.evaluate(() => (window as unknown as { shifts(): Promise<{ board: number; all: number }> }).shifts());
  const wallet = await sit(page, anvil, anvil.account(0));
  await anvil.play(table, anvil.account(0), anvil.account(1), [0, 1, 2, 4]);
  // An endpoint without logs: the page reports the missing links and score late.
  const proxy = await Proxy.start(sepolia);
  proxy.overrides["eth_getLogs"] = () => {
    throw { code: -32601, message: "no logs" };
  };
  const other = await newTable(sepolia);
  await sepolia.play(other, sepolia.account(0), sepolia.account(1), [0, 1, 2, 4, 3, 5, 7, 6, 8]);
  await readFrom(page, proxy);
  const silent = linkTo(host, proxy, other);
  // With a pause, the wallet of the last visit wakes up late.
  for (const [width, pause] of [
    [1100, 700],
    [900, 0],
    [320, 0],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    wallet.overrides["eth_accounts"] = () =>
      new Promise((resolve) => setTimeout(() => resolve(wallet.accounts), pause));
    for (const url of [host, silent, link]) {
      await page.goto(url);
      await expect(walletButton(page)).toHaveText(/0xf39F/);
      if (url === link) await expect(draws(page)).toHaveText("Draws: 0");
      if (url === silent) await expect(draws(page)).toHaveText(text.game.scoreUnknown);
      const { board, all } = await shifts();
      expect(board, `${url} at ${width} px, wallet after ${pause} ms`).toBe(0);
      expect(all, `${url} at ${width} px, wallet after ${pause} ms`).toBeLessThan(0.05);
    }
  }
  await proxy.stop();
  // A move does not move the board either.
  await cellAt(page, 3).click();
  await expectBoard(page, "xoxxo....");
  expect((await shifts()).board).toBe(0);
});

test("the content security policy is strict, and the browser enforces it", async ({ page, host, clean }) => {
  await page.goto(host);
  const policy = (await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content")) ?? "";
  const rules = new Map(policy.split("; ").map((rule) => [rule.split(" ")[0], rule.split(" ").slice(1).join(" ")]));
  expect(rules.get("default-src")).toBe("'none'");
  expect(rules.get("script-src")).toBe("'self'");
  expect(rules.get("style-src")).toBe("'self'");
  expect(rules.get("require-trusted-types-for")).toBe("'script'");
  expect(policy).not.toMatch(/unsafe|(^| )\*/);
  // A policy in the document applies only to what follows it.
  expect(await page.locator("head > :first-child").getAttribute("http-equiv")).toBe("Content-Security-Policy");

  const escaped = await page.evaluate(async () => {
    // The policy does not apply within the debugger's own call.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const tries: Record<string, () => unknown> = {
      eval: () => (0, eval)("window.escaped = 1"),
      function: () => new Function("window.escaped = 1")(),
      markup: () => (document.body.innerHTML = "<img src=x onerror='window.escaped = 1'>"),
      handler: () => document.body.setAttribute("onclick", "window.escaped = 1"),
      outside: () => fetch("http://example.com/"),
      frame: () => {
        const frame = document.createElement("iframe");
        frame.src = "https://example.com/";
        document.body.append(frame);
      },
    };
    const outcome: string[] = [];
    for (const [name, attempt] of Object.entries(tries)) {
      try {
        await attempt();
        outcome.push(name);
      } catch {
        // Refused.
      }
    }
    const inline = document.createElement("script");
    try {
      inline.textContent = "window.escaped = 1";
      document.body.append(inline);
    } catch {
      // Refused.
    }
    document.body.click();
    return { outcome, escaped: "escaped" in window };
  });
  // The page can create a frame element, but the browser does not load its URL.
  expect(escaped).toEqual({ outcome: ["frame"], escaped: false });
  expect(clean.length).toBeGreaterThan(3);
  // Only this test expects violations.
  clean.length = 0;
});

test("the page contacts no host that the player did not choose", async ({ page, host, link }) => {
  const outside = new Set<string>();
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== "data:") outside.add(origin);
  });
  await page.goto(host);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  expect([...outside]).toEqual([new URL(host).origin]);
  await page.goto(link);
  await expect(title(page)).toHaveText("A free table");
  expect([...outside]).toEqual([new URL(host).origin, LOCAL_ENDPOINT]);
});
