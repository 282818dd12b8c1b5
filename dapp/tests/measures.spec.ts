// Numbers that may not get worse: what is loaded, how soon a move is painted, that nothing jumps, what the policy forbids.
import { gzipSync } from "node:zlib";
import { en } from "../src/text/en.ts";
import { allow, Anvil, expect, expectBoard, sit, square, test, title } from "./support/fixtures.ts";
import { Proxy } from "./support/proxy.ts";
import { sitClose } from "./support/wallet.ts";
import type { Page } from "@playwright/test";

/** The scripts a page has loaded so far, in bytes after gzip. */
function weigh(page: Page) {
  const sizes = new Map<string, number>();
  const pending: Promise<void>[] = [];
  page.on("response", (response) => {
    const name = new URL(response.url()).pathname.split("/").at(-1) ?? "";
    if (!name.endsWith(".js")) return;
    pending.push(response.body().then((body) => void sizes.set(name, gzipSync(body, { level: 9 }).length)));
  });
  return async () => {
    await Promise.all(pending);
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  };
}

test("the first load is at most 60 kB of script after gzip, and practice at most 125 kB more, when asked for", async ({ page, host }, info) => {
  const weight = weigh(page);
  await page.goto(host);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForLoadState("networkidle");
  const first = await weight();
  await page.getByRole("button", { name: "Practise here, now" }).click();
  await expect(title(page)).toHaveText("X to move");
  const practice = (await weight()) - first;
  info.annotations.push({ type: "size", description: `first load ${first}, practice ${practice} more` });
  console.log(`first load ${first} bytes, practice ${practice} more`);
  expect(first).toBeGreaterThan(10_000);
  expect(first).toBeLessThanOrEqual(60_000);
  expect(practice).toBeGreaterThan(10_000);
  expect(practice).toBeLessThanOrEqual(125_000);
});

/** Notes in the page when each square is first painted as settled: after the frame that shows it has begun. */
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

/** When a square is painted. Asked beforehand, so that the test keeps nobody busy while it waits. */
const paint = (page: Page, cell: number): Promise<number> =>
  page.evaluate((at) => (window as unknown as { paints: Promise<number>[] }).paints[at] ?? Infinity, cell);

/**
 * Every single move of one game is painted within the limit for everybody who looks. Another program on the machine can make
 * a move slower, never faster: so where one was too slow, another game is played. On a machine at peace that is the first.
 *
 * Of a move on anvil's 40 to 80 ms, half is the pause between two looks at the head, the rest two questions and a frame.
 */
async function everyMoveWithin(limit: number, play: () => Promise<Record<string, number[]>>): Promise<void> {
  let slowest = Infinity;
  for (let games = 0; games < GAMES && slowest > limit; games += 1) {
    const game = await play();
    slowest = Math.max(...Object.values(game).flat());
    const told = Object.entries(game).map(([who, times]) => `${who} ${times.map(Math.round).join(" ")}`);
    console.log(`settled after ms, ${told.join("; ")}`);
    for (const times of Object.values(game)) expect(times).toHaveLength(CELLS.length);
  }
  expect(slowest).toBeLessThanOrEqual(limit);
}

const GAMES = 12;
const CELLS = [0, 1, 2, 4, 3, 5, 7, 6, 8];

test("every move of a game on anvil is painted as settled within 150 ms of its block, for its player and for a watcher", async ({ page, anvil, table, link, browser }) => {
  test.setTimeout(120_000);
  const [x, o] = [anvil.account(0), anvil.account(1)];
  const watcher = await browser.newPage();
  await sitClose(page, anvil, [x, o]);
  await allow(watcher, anvil);
  await everyMoveWithin(150, async () => {
    await anvil.automine(true);
    await anvil.newGame(table, x, o);
    await Promise.all([page.goto(link), watcher.goto(link)]);
    await expectBoard(watcher, ".........");
    await expect(title(page)).toHaveText("X to move");
    await anvil.automine(false);
    await Promise.all([notePaints(page), notePaints(watcher)]);
    const times: Record<string, number[]> = { player: [], watcher: [] };
    for (const cell of CELLS) {
      await square(page, cell).click();
      await expect(square(page, cell)).toHaveAttribute("data-phase", "sent");
      const painted = [paint(page, cell), paint(watcher, cell)] as const;
      // The clock starts before the node is told to mine.
      const asked = Date.now();
      await anvil.mine();
      times["player"]?.push((await painted[0]) - asked);
      times["watcher"]?.push((await painted[1]) - asked);
    }
    return times;
  });
  await watcher.close();
});

test("every move of a practice game is painted as settled within 50 ms of the click", async ({ page, host }) => {
  test.setTimeout(60_000);
  await page.addInitScript(() => {
    const clicks: number[] = [];
    Object.assign(window, { clicks });
    document.addEventListener("click", () => clicks.push(performance.timeOrigin + performance.now()), { capture: true });
  });
  await everyMoveWithin(50, async () => {
    await page.goto(host);
    await page.evaluate(() => sessionStorage.clear());
    await page.getByRole("button", { name: "Practise here, now" }).click();
    await expect(title(page)).toHaveText("X to move");
    await notePaints(page);
    const shown: number[] = [];
    for (const cell of CELLS) {
      await square(page, cell).click();
      shown.push(await paint(page, cell));
    }
    const clicks = await page.evaluate(() => (window as unknown as { clicks: number[] }).clicks.slice(-9));
    return { practice: shown.map((time, at) => time - (clicks[at] ?? 0)) };
  });
});

test("nothing shifts while anything loads", async ({ page, host, anvil, table, link }) => {
  test.setTimeout(90_000);
  await page.addInitScript(() => {
    const shifts: string[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; sources: { node: Element | null }[] })[]) {
        shifts.push(`${entry.value} ${entry.sources.map(({ node }) => node?.id || node?.className || node?.nodeName).join()}`);
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  const shifts = (): Promise<string[]> => page.evaluate(() => (window as unknown as { shifts: string[] }).shifts);
  const wallet = await sit(page, anvil, anvil.account(0));
  await anvil.play(table, anvil.account(0), anvil.account(1), [0, 1, 2, 4]);
  // And where an endpoint tells neither links nor score, which is said late.
  const sepolia = await Anvil.start(11_155_111);
  const proxy = await Proxy.start(sepolia);
  proxy.overrides["eth_getLogs"] = () => {
    throw { code: -32601, message: "no logs" };
  };
  const other = await sepolia.deploy();
  await sepolia.play(other, sepolia.account(0), sepolia.account(1), [0, 1, 2, 4, 3, 5, 7, 6, 8]);
  await allow(page, proxy);
  const silent = `${host}?chain=11155111&table=${other}&rpc=${encodeURIComponent(proxy.url)}`;
  // And where the wallet of the last visit has to wake up first.
  for (const [width, pause] of [[1100, 0], [1100, 700], [900, 0], [320, 0], [320, 700]] as const) {
    await page.setViewportSize({ width, height: 800 });
    wallet.overrides["eth_accounts"] = () => new Promise((resolve) => setTimeout(() => resolve(wallet.accounts), pause));
    for (const url of [host, silent, link]) {
      await page.goto(url);
      await expect(page.locator("#wallet")).toHaveText(/0xf39F/);
      if (url === link) await expect(page.locator("#draws")).toHaveText("Draws: 0");
      if (url === silent) await expect(page.locator("#draws")).toHaveText(en.game.scoreUnknown);
      await page.waitForTimeout(300);
      expect(await shifts(), `${url} at ${width} px, wallet after ${pause} ms`).toEqual([]);
    }
  }
  await proxy.stop();
  await sepolia.down();
  // Nor when a move is made and settles.
  await square(page, 3).click();
  await expectBoard(page, "xoxxo....");
  expect(await shifts()).toEqual([]);
});

test("the policy is strict, and the browser enforces it", async ({ page, host, clean }) => {
  await page.goto(host);
  const policy = (await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content")) ?? "";
  const rules = new Map(policy.split("; ").map((rule) => [rule.split(" ")[0], rule.split(" ").slice(1).join(" ")]));
  expect(rules.get("default-src")).toBe("'none'");
  expect(rules.get("script-src")).toBe("'self'");
  expect(rules.get("style-src")).toBe("'self'");
  expect(rules.get("require-trusted-types-for")).toBe("'script'");
  expect(policy).not.toMatch(/unsafe|(^| )\*/);
  // It stands before everything that it governs.
  expect(await page.locator("head > :first-child").getAttribute("http-equiv")).toBe("Content-Security-Policy");

  const escaped = await page.evaluate(async () => {
    // Out of the debugger's own call, which the policy does not bind.
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
  // A frame element can be made; what it points to is not loaded.
  expect(escaped).toEqual({ outcome: ["frame"], escaped: false });
  expect(clean.length).toBeGreaterThan(3);
  // Here, and only here, they were meant to be.
  clean.length = 0;
});

test("no host outside is contacted that the player did not choose", async ({ page, host, anvil, link }) => {
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
