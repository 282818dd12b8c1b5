// Limits: the size of the page, the time until a move is painted, layout shifts, and the content security policy.
import { gzipSync } from "node:zlib";
import { en } from "../src/text/en.ts";
import { allow, Anvil, expect, expectBoard, sit, cellAt, test, title, walletButton, draws, practise } from "./support/fixtures.ts";
import { Proxy } from "./support/proxy.ts";
import { sitDirect } from "./support/wallet.ts";
import type { Page } from "@playwright/test";

// As often as a player's page asks.
test.use({ hurry: false });

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

test("the first load is at most 65 kB after gzip without the font, and practice loads at most 95 kB more", async ({ page, host }, info) => {
  const weight = weigh(page);
  await page.goto(host);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForLoadState("networkidle");
  const first = await weight();
  await cellAt(page, 4).click();
  await expect(title(page)).toHaveText("O to move");
  const practice = (await weight()) - first;
  info.annotations.push({ type: "size", description: `first load ${first}, practice ${practice} more` });
  console.log(`first load ${first} bytes, practice ${practice} more`);
  expect(first).toBeGreaterThan(10_000);
  expect(first).toBeLessThanOrEqual(65_000);
  expect(practice).toBeGreaterThan(10_000);
  expect(practice).toBeLessThanOrEqual(95_000);
});

/** Records in the page when each cell is first painted as settled. */
async function notePaints(page: Page): Promise<void> {
  await page.evaluate(() => {
    const paints = [...document.querySelectorAll('[role="gridcell"]')].map(
      (element) =>
        new Promise<number>((resolve) => {
          new MutationObserver(() => {
            if (element.getAttribute("data-phase") !== "settled") return;
            requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()));
          }).observe(element, { attributes: true, attributeFilter: ["data-phase"] });
        }),
    );
    Object.assign(window, { paints });
  });
}

/** When a cell is painted. Called before the move, so that the test does not poll while it waits. */
const paint = (page: Page, cell: number): Promise<number> =>
  page.evaluate((at) => (window as unknown as { paints: Promise<number>[] }).paints[at] ?? Infinity, cell);

/**
 * In one of several games, every move is painted within the limit, for each viewer. Another program on the machine can only
 * make a move slower, so after a slow move the next game is played. On an idle machine the first game passes.
 *
 * On anvil that is at most the poll interval of 250 ms, two requests and a frame.
 */
async function everyMoveWithin(limit: number, play: () => Promise<Record<string, number[]>>): Promise<void> {
  let slowest = Infinity;
  for (let games = 0; games < GAMES && slowest > limit; games += 1) {
    const game = await play();
    slowest = Math.max(...Object.values(game).flat());
    const lines = Object.entries(game).map(([who, times]) => `${who} ${times.map(Math.round).join(" ")}`);
    console.log(`settled after ms, ${lines.join("; ")}`);
    for (const times of Object.values(game)) expect(times).toHaveLength(CELLS.length);
  }
  expect(slowest).toBeLessThanOrEqual(limit);
}

const GAMES = 12;
const CELLS = [0, 1, 2, 4, 3, 5, 7, 6, 8];

test("on anvil a move is painted within 350 ms of its block, for the player and a watcher", async ({ page, anvil, table, link, browser }) => {
  test.setTimeout(120_000);
  const [x, o] = [anvil.account(0), anvil.account(1)];
  const watcher = await browser.newPage();
  await sitDirect(page, anvil, [x, o]);
  await allow(watcher, anvil);
  await everyMoveWithin(350, async () => {
    await anvil.automine(true);
    await anvil.newGame(table, x, o);
    await Promise.all([page.goto(link), watcher.goto(link)]);
    await expectBoard(watcher, ".........");
    await expect(title(page)).toHaveText("X to move");
    await anvil.automine(false);
    await Promise.all([notePaints(page), notePaints(watcher)]);
    const times: Record<string, number[]> = { player: [], watcher: [] };
    for (const cell of CELLS) {
      await cellAt(page, cell).click();
      await expect(cellAt(page, cell)).toHaveAttribute("data-phase", "sent");
      const painted = [paint(page, cell), paint(watcher, cell)] as const;
      // The clock starts before the request to mine.
      const asked = Date.now();
      await anvil.mine();
      times["player"]?.push((await painted[0]) - asked);
      times["watcher"]?.push((await painted[1]) - asked);
    }
    return times;
  });
  await watcher.close();
});

test("in practice a move is painted within 50 ms of the click", async ({ page, host }) => {
  test.setTimeout(60_000);
  await page.addInitScript(() => {
    const clicks: number[] = [];
    Object.assign(window, { clicks });
    document.addEventListener("click", () => clicks.push(performance.timeOrigin + performance.now()), { capture: true });
  });
  await everyMoveWithin(50, async () => {
    await page.goto(host);
    await page.evaluate(() => sessionStorage.clear());
    await practise(page, host);
    await notePaints(page);
    const shown: number[] = [];
    for (const cell of CELLS) {
      await cellAt(page, cell).click();
      shown.push(await paint(page, cell));
    }
    const clicks = await page.evaluate(() => (window as unknown as { clicks: number[] }).clicks.slice(-9));
    return { practice: shown.map((time, at) => time - (clicks[at] ?? 0)) };
  });
});

test("while anything loads the board stays in its place, and hardly anything else moves", async ({ page, host, anvil, table, link }) => {
  test.setTimeout(90_000);
  await page.addInitScript(() => {
    const shifts = { board: 0, all: 0 };
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as (PerformanceEntry & { value: number; sources: { node: Node | null }[] })[]) {
        shifts.all += value;
        const parts = sources.map(({ node }) => (node instanceof Element ? node : node?.parentElement));
        if (parts.some((part) => part?.closest(".board"))) shifts.board += value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  const shifts = (): Promise<{ board: number; all: number }> => page.evaluate(() => (window as unknown as { shifts: { board: number; all: number } }).shifts);
  const wallet = await sit(page, anvil, anvil.account(0));
  await anvil.play(table, anvil.account(0), anvil.account(1), [0, 1, 2, 4]);
  // An endpoint without logs: the page reports the missing links and score late.
  const sepolia = await Anvil.start(11_155_111);
  const proxy = await Proxy.start(sepolia);
  proxy.overrides["eth_getLogs"] = () => {
    throw { code: -32601, message: "no logs" };
  };
  const other = await sepolia.deploy();
  await sepolia.play(other, sepolia.account(0), sepolia.account(1), [0, 1, 2, 4, 3, 5, 7, 6, 8]);
  await allow(page, proxy);
  const silent = `${host}?chain=11155111&table=${other}&rpc=${encodeURIComponent(proxy.url)}`;
  // With a pause, the wallet of the last visit wakes up late.
  for (const [width, pause] of [[1100, 700], [900, 0], [320, 0]] as const) {
    await page.setViewportSize({ width, height: 800 });
    wallet.overrides["eth_accounts"] = () => new Promise((resolve) => setTimeout(() => resolve(wallet.accounts), pause));
    for (const url of [host, silent, link]) {
      await page.goto(url);
      await expect(walletButton(page)).toHaveText(/0xf39F/);
      if (url === link) await expect(draws(page)).toHaveText("Draws: 0");
      if (url === silent) await expect(draws(page)).toHaveText(en.game.scoreUnknown);
      await page.waitForTimeout(300);
      const { board, all } = await shifts();
      expect(board, `${url} at ${width} px, wallet after ${pause} ms`).toBe(0);
      expect(all, `${url} at ${width} px, wallet after ${pause} ms`).toBeLessThan(0.05);
    }
  }
  await proxy.stop();
  await sepolia.down();
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

test("the page contacts no host that the player did not choose", async ({ page, host, anvil, link }) => {
  const outside = new Set<string>();
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== "data:") outside.add(origin);
  });
  await allow(page, anvil);
  await page.goto(host);
  await page.waitForTimeout(300);
  expect([...outside]).toEqual([new URL(host).origin]);
  await page.goto(link);
  await expect(title(page)).toHaveText("A free table");
  expect([...outside]).toEqual([new URL(host).origin, anvil.url]);
});
