// Every view at 1100 px and 320 px: axe finds no violation, nothing overflows, and every control is large enough to touch.
// `LOOK=folder` writes screenshots of every view at every size to the folder instead.
//
// What is thinned, because it showed nothing that the rest does not show:
//   language   German, which has the longer sentences. Two views in English, too.
//   themes     axe checks everything in the light theme at 1100 px, and only the contrast in the dark one.
//   widths     at 320 px the document is the same, so only the sizes are measured again.
//   mirror     two views from right to left.
import { AxeBuilder } from "@axe-core/playwright";
import { de } from "../src/text/de.ts";
import { en } from "../src/text/en.ts";
import type { Text } from "../src/text/index.ts";
import { expect, linkTo, newTable, test } from "./support/fixtures.ts";
import { type Place, VIEWS } from "./support/views.ts";
import type { Page } from "@playwright/test";

// It would answer for what a view blocks.
test.use({ serviceWorkers: "block" });

const LANGUAGES: Record<string, Text> = { de, en };
/** The start page and a game: the views that are also checked in English and from right to left. */
const BOTH = new Set(["the start page, with a wallet, a recent table and an error", "a win"]);
const HEIGHT = 900;
const FOLDER = process.env["LOOK"];
const SIZES = [
  [320, 568, "light"],
  [390, 664, "light"],
  [844, 390, "light"],
  [1280, 720, "light", "dark"],
  [1366, 625, "light"],
  [1920, 1080, "light"],
  [2560, 1440, "light"],
] as const;

async function violations(page: Page, rules?: string[]): Promise<string[]> {
  // axe cannot check contrast over the lines of the paper or over the page behind a dialog, and reports that as incomplete. So
  // both are hidden during the check, and incomplete results count as violations.
  const bare = (on: boolean): Promise<void> =>
    page.evaluate((off) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`
        html, .moves { background-image: none !important }
        #page:has(dialog[open]) > :is(header, main, footer) { visibility: hidden !important }`);
      document.adoptedStyleSheets = off ? [sheet] : [];
    }, on);
  await bare(true);
  // The rule for WCAG 2.2's target size is off by default.
  const axe = new AxeBuilder({ page })
    .options({ rules: { "target-size": { enabled: true } }, resultTypes: ["violations", "incomplete"] })
    .setLegacyMode();
  if (rules !== undefined) axe.withRules(rules);
  const found = await axe.analyze();
  await bare(false);
  return [...found.violations, ...found.incomplete].map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join()}`,
  );
}

/** How much wider the page and an open dialog are than they should be. */
const overflow = (page: Page): Promise<number[]> =>
  page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll("dialog[open]")].map(
      (box) => box.scrollWidth - box.clientWidth,
    ),
  );

/** Controls that are too small: cells below 44 px, all others below 24 px. */
const tooSmall = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    const shown = document.querySelector("dialog[open]") ?? document;
    for (const control of shown.querySelectorAll("a[href], button, select, input")) {
      if (!control.checkVisibility({ visibilityProperty: true })) continue;
      // A click anywhere on its label presses a radio button.
      const { width, height } = (control.closest("label") ?? control).getBoundingClientRect();
      const least = control.matches('[role="gridcell"]') ? 44 : 24;
      // The skip link is visible only with the focus.
      if (!control.matches(".skip") && Math.min(width, height) < least)
        found.push(`${control.id || control.className}: ${width} x ${height}`);
    }
    return found;
  });

/** Where the elements are, measured from the start of a line. The board is left to right in every language and left out. */
const places = (page: Page): Promise<Record<string, [number, number]>> =>
  page.evaluate(() => {
    const found: Record<string, [number, number]> = {};
    const rtl = document.documentElement.dir === "rtl";
    const everything = document.querySelectorAll(
      "#page :is(header, section, h1, h2, form, label, input, select, button, ul, ol, li, dialog, .field, .seat > *, .notice)",
    );
    for (const [at, element] of everything.entries()) {
      if (!element.checkVisibility() || element.closest('[role="grid"]') !== null) continue;
      const { left, right, width } = element.getBoundingClientRect();
      found[`${at} ${element.tagName} ${element.id || element.className}`] = [
        Math.round(rtl ? innerWidth - right : left),
        Math.round(width),
      ];
    }
    return found;
  });

async function mirrored(page: Page, width: number): Promise<void> {
  const straight = await places(page);
  await page.evaluate(() => (document.documentElement.dir = "rtl"));
  expect(Math.max(...(await overflow(page))), `too wide at ${width} px, from right to left`).toBe(0);
  expect(await places(page), `mirrored at ${width} px`).toEqual(straight);
  await page.evaluate(() => (document.documentElement.dir = "ltr"));
}

/** Pictures of a view at the sizes of telephones, laptops and large screens. */
async function look(page: Page, folder: string, name: string): Promise<void> {
  for (const [width, height, ...schemes] of SIZES) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.screenshot({
        path: `${folder}/${name.replaceAll(/\W+/g, "-")}-${width}x${height}-${colorScheme}.png`,
      });
    }
  }
}

async function examine(page: Page, name: string): Promise<void> {
  expect.soft(await violations(page), `${name}: axe`).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  expect.soft(await violations(page, ["color-contrast", "link-in-text-block"]), `${name}: axe, dark`).toEqual([]);
  for (const width of [1100, 320]) {
    await page.setViewportSize({ width, height: HEIGHT });
    expect.soft(await tooSmall(page), `${name}: too small at ${width} px`).toEqual([]);
    expect.soft(Math.max(...(await overflow(page))), `${name}: too wide at ${width} px`).toBe(0);
    if (BOTH.has(name)) await mirrored(page, width);
  }
}

for (const [language, t] of Object.entries(LANGUAGES)) {
  for (const [group, all] of Object.entries(VIEWS)) {
    const views = Object.entries(all).filter(
      ([name]) => language === (FOLDER ? "en" : "de") || (!FOLDER && BOTH.has(name)),
    );
    if (views.length === 0) continue;
    test.describe(`in ${t.language}`, () => {
      test.use({ locale: language });

      test(`views ${group}`, async ({ page, host, anvil, sepolia }) => {
        test.setTimeout(views.length * 20_000);
        const place: Place = { page, host, anvil, sepolia, t, table: "0x", link: "", wallet: null, ends: [] };
        for (const [name, open] of views) {
          await test.step(name, async () => {
            place.table = await newTable(anvil);
            place.link = linkTo(host, anvil, place.table);
            await page.setViewportSize({ width: 1100, height: HEIGHT });
            await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
            await open(place);
            await expect(page.locator("html")).toHaveAttribute("lang", language);
            if (FOLDER) await look(page, FOLDER, `${language} ${name}`);
            else await examine(page, name);
            for (const end of place.ends.splice(0)) await end();
            await page.evaluate(() => [localStorage, sessionStorage].forEach((storage) => storage.clear()));
          });
        }
      });
    });
  }
}
