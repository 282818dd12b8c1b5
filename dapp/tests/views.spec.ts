// Every view at 1100 px and 320 px: axe finds no violation, nothing overflows, and every control is large enough to touch.
// `LOOK=folder` writes screenshots of every view at every size to the folder instead.
//
// What is thinned, because it showed nothing that the rest does not show:
//   themes     axe checks everything in the light theme at 1100 px, and only the contrast in the dark one.
//   widths     at 320 px the document is the same, so only the sizes are measured again.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, linkTo, newTable, test } from "./support/fixtures.ts";
import { type Place, VIEWS } from "./support/views.ts";
import type { Page } from "@playwright/test";

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
  }
}

for (const [group, views] of Object.entries(VIEWS)) {
  test(`views ${group}`, async ({ page, host, anvil, sepolia }) => {
    test.setTimeout(Object.keys(views).length * 20_000);
    const place: Place = { page, host, anvil, sepolia, table: "0x", link: "", wallet: null, ends: [] };
    for (const [name, open] of Object.entries(views)) {
      await test.step(name, async () => {
        place.table = await newTable(anvil);
        place.link = linkTo(host, anvil, place.table);
        await page.setViewportSize({ width: 1100, height: HEIGHT });
        await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
        await open(place);
        if (FOLDER) await look(page, FOLDER, name);
        else await examine(page, name);
        for (const end of place.ends.splice(0)) await end();
        await page.evaluate(() => [localStorage, sessionStorage].forEach((storage) => storage.clear()));
      });
    }
  });
}
