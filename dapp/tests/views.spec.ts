// Every view of the page, in each of its languages: no rule of accessibility is broken, light or dark, wide or narrow;
// nothing is wider than 320 px allow; everything that can be pressed is large enough for a finger; and from right to left
// the page is its own mirror image. `LOOK=1` puts a picture of each into results/.
import { AxeBuilder } from "@axe-core/playwright";
import { de } from "../src/text/de.ts";
import { en } from "../src/text/en.ts";
import type { Text } from "../src/text/index.ts";
import { expect, test } from "./support/fixtures.ts";
import { VIEWS } from "./support/views.ts";
import type { Page, TestInfo } from "@playwright/test";

const LANGUAGES: Record<string, Text> = { en, de };
const HEIGHT = 900;

async function violations(page: Page): Promise<string[]> {
  // Over the faint lines of the paper, and in a dialog before a page, axe would not judge any colour, and say so where nobody
  // looks. So these go for a moment, and what it cannot judge counts as wrong.
  const bare = (on: boolean): Promise<void> =>
    page.evaluate((off) => {
      document.body.style.backgroundImage = off ? "none" : "";
      const behind = document.querySelector("dialog[open]") === null ? [] : document.querySelectorAll<HTMLElement>("header, main, footer");
      for (const part of behind) part.style.visibility = off ? "hidden" : "";
    }, on);
  await bare(true);
  // WCAG 2.2's size of targets is among the rules that axe keeps for those who ask.
  const axe = new AxeBuilder({ page }).options({ rules: { "target-size": { enabled: true } } }).setLegacyMode();
  const found = await axe.analyze();
  await bare(false);
  return [...found.violations, ...found.incomplete].map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join()}`);
}

/** How much wider the page, or what is shown in front of it, is than the window. */
const overflow = (page: Page): Promise<number[]> =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll("dialog[open]")].map((box) => box.scrollWidth - box.clientWidth),
  );

/** What can be pressed, and is too small: squares of the board below 44 px, everything else below 24. */
const tooSmall = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    const shown = document.querySelector("dialog[open]") ?? document;
    for (const control of shown.querySelectorAll("a[href], button, select, input")) {
      if (!control.checkVisibility({ visibilityProperty: true })) continue;
      // A radio button is pressed through its whole line.
      const { width, height } = (control.closest("label") ?? control).getBoundingClientRect();
      const least = control.matches('[role="gridcell"]') ? 44 : 24;
      // The link past everything shows itself when it has the focus.
      if (!control.matches(".skip") && Math.min(width, height) < least) found.push(`${control.id || control.className}: ${width} x ${height}`);
    }
    return found;
  });

/** Where things stand, from the side at which the page's lines begin. What is written from left to right in any language is left out. */
const places = (page: Page): Promise<Record<string, [number, number]>> =>
  page.evaluate(() => {
    const found: Record<string, [number, number]> = {};
    const turned = document.documentElement.dir === "rtl";
    const everything = document.querySelectorAll("#page :is(header, section, h1, h2, form, label, input, select, button, ul, ol, li, dialog, .field, .seat > *, .notice, .hero > *)");
    for (const [at, element] of everything.entries()) {
      if (!element.checkVisibility() || element.closest('[role="grid"]') !== null) continue;
      const { left, right, width } = element.getBoundingClientRect();
      found[`${at} ${element.tagName} ${element.id || element.className}`] = [Math.round(turned ? innerWidth - right : left), Math.round(width)];
    }
    return found;
  });

async function look(page: Page, info: TestInfo, name: string): Promise<void> {
  if (process.env["LOOK"]) await page.screenshot({ path: info.outputPath(`${name}.png`), fullPage: name.endsWith("320") });
}

for (const [language, t] of Object.entries(LANGUAGES)) {
  test.describe(`in ${t.language}`, () => {
    test.use({ locale: language });

    for (const [name, open] of Object.entries(VIEWS)) {
      test(name, async ({ page, host, anvil, table, link }, info) => {
        const ends: (() => Promise<unknown>)[] = [];
        try {
          await open({ page, host, anvil, table, link, t, ends });
          await expect(page.locator("html")).toHaveAttribute("lang", language);
          for (const width of [1100, 320]) {
            await page.setViewportSize({ width, height: HEIGHT });
            for (const colorScheme of ["light", "dark"] as const) {
              await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
              expect(await violations(page), `axe, ${width} px, ${colorScheme}`).toEqual([]);
              await look(page, info, `${colorScheme}-${width}`);
            }
            expect(await tooSmall(page), `too small at ${width} px`).toEqual([]);
            const straight = await places(page);
            expect(Math.max(...(await overflow(page))), `too wide at ${width} px`).toBe(0);
            await page.evaluate(() => (document.documentElement.dir = "rtl"));
            expect(Math.max(...(await overflow(page))), `too wide at ${width} px, from right to left`).toBe(0);
            expect(await places(page), `mirrored at ${width} px`).toEqual(straight);
            await look(page, info, `rtl-${width}`);
            await page.evaluate(() => (document.documentElement.dir = "ltr"));
          }
        } finally {
          for (const end of ends) await end();
        }
      });
    }
  });
}
