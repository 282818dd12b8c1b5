// What the build weighs and how calmly it loads.
import { stat } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { ALICE, DIST, expect, GAME, HOME, LINK, SEPOLIA_LINK, test, text } from "./support/page.ts";

test("the first load is at most 58 kB after gzip without the font; pictures exist", async ({ page }) => {
  const loaded: Promise<number>[] = [];
  page.on("response", (response) => {
    if (/\.(woff2|png|svg)$/.test(response.url())) return;
    loaded.push(response.body().then((body) => gzipSync(body, { level: 9 }).length));
  });
  await page.goto(HOME);
  await page.waitForLoadState("networkidle");
  const size = (await Promise.all(loaded)).reduce((sum, bytes) => sum + bytes, 0);
  console.log(`first load ${size} bytes`);
  expect(size).toBeGreaterThan(10_000);
  expect(size).toBeLessThanOrEqual(58_000);

  // The pictures for chats and home screens.
  const preview = 'meta[property="og:image"][content$="/preview.png"]';
  await expect(page.locator(`${preview}, link[rel="apple-touch-icon"][href$="/icon-touch.png"]`)).toHaveCount(2);
  for (const name of ["preview.png", "icon-touch.png"])
    expect((await stat(new URL(name, DIST))).size).toBeGreaterThan(999);
});

type Shift = PerformanceEntry & { sources: { node: Node | null }[] };

/** How often the board has moved since the page was opened. */
const boardShifts = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const shifts: PerformanceEntryList = [];
    const observer = new PerformanceObserver((list) => void shifts.push(...list.getEntries()));
    observer.observe({ type: "layout-shift", buffered: true });
    // What is painted last is reported with the frame after it.
    for (let frames = 0; frames < 3; frames += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    const isBoard = ({ node }: Shift["sources"][number]) =>
      (node instanceof Element ? node : node?.parentElement)?.closest(".board");
    return (shifts.concat(observer.takeRecords()) as Shift[]).filter(({ sources }) => sources.some(isBoard)).length;
  });

test("while anything loads the board stays in its place", async ({ tab, page, node, sepolia }) => {
  const wallet = await tab.sit(ALICE);
  node.mine({ ...GAME, moves: [0, 1, 2, 4] });
  // An endpoint without events: the page reports late that it has no links and no score.
  sepolia.mine({ ...GAME, moves: [0, 1, 2, 4, 3, 5, 7, 6, 8] });
  sepolia.overrides["eth_getLogs"] = () => null;
  for (const width of [1100, 900, 320]) {
    await page.setViewportSize({ width, height: 800 });
    // On the wide screen, the wallet of the last visit wakes up late.
    const pause = width === 1100 ? 700 : 0;
    wallet.overrides["eth_accounts"] = () => new Promise((wake) => setTimeout(wake, pause, [ALICE]));
    for (const url of [HOME, SEPOLIA_LINK, LINK]) {
      await page.goto(url);
      await expect(tab.account).toHaveText(/0x1111/);
      if (url === LINK) await expect(tab.score).toHaveText(["0", "0"]);
      if (url === SEPOLIA_LINK) await expect(page.getByText(text.game.historyUnknown)).toBeVisible();
      expect(await boardShifts(page), `${url} at ${width} px`).toBe(0);
    }
  }
  await tab.cell(3).click();
  await tab.expectBoard("xoxxo....");
  expect(await boardShifts(page)).toBe(0);
});
