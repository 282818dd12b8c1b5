// Every view: axe finds no violation in either theme; at every size nothing is wider than the window, every control is large
// enough to touch, and the turn, the whole board and the next action are on the screen.
import axe from "axe-core";
import type { Page } from "@playwright/test";
import { ALICE, BEN, expect, FakeNode, fill, GAME, plural, type Tab, TABLE, test, text } from "./support/page.ts";

/** Here the turn, the whole board and the next action are on the screen. */
const SCREENS = ["1366x768", "1920x1080", "768x1024", "844x390", "320x568", "390x664"];
/** But not in these views. */
const EXCEPTIONS: Record<string, readonly string[]> = {
  "the dialog for a new game over one in progress, with an error": ["320x568"],
};
/** Here nothing is too wide or too small. */
const SIZES = ["3840x2160", "833x900", ...SCREENS];

interface Scene {
  tab: Tab;
  home: string;
  /** A new chain for each view, and a link to its table. */
  node: FakeNode;
  sepolia: FakeNode;
  link: string;
  /** The wallet of the views that have one. */
  wallet: FakeNode;
}
type Views = Record<string, (scene: Scene) => Promise<unknown>>;

const { status, trouble } = text;
const WON = [0, 3, 1, 4, 2];
const DRAWN = [0, 1, 2, 4, 3, 5, 7, 6, 8];

async function opens({ tab }: Scene, url: string, words: string): Promise<void> {
  await tab.goto(url);
  await expect(tab.title).toHaveText(words);
}

/** Opens the table in a game of Alice, who is X and has the wallet, against Ben. */
async function inGame(scene: Scene, moves: readonly number[], words: string): Promise<void> {
  scene.node.mine({ ...GAME, moves });
  await opens(scene, scene.link, words);
}

/** A game on a chain with an explorer. */
function onSepolia({ home, sepolia }: Scene, moves: readonly number[]): string {
  sepolia.mine({ ...GAME, moves });
  return `${home}?chain=${sepolia.chainId}&table=${TABLE}`;
}

const WITHOUT_A_WALLET: Views = {
  "the start page": (scene) => opens(scene, scene.home, text.home.headline),
  "practice that is over": async ({ tab, home }) => {
    await tab.goto(home);
    for (const cell of WON) await tab.cell(cell).click();
    await expect(tab.button(text.game.rematch)).toBeVisible();
  },
  "the dialog of wallets without a wallet": async ({ tab, home }) => {
    await tab.goto(home);
    await tab.account.click();
    await expect(tab.dialog.getByRole("img", { name: text.wallet.code })).toHaveAttribute("width");
  },
  "an invalid link": (scene) => opens(scene, `${scene.home}?chain=x`, trouble.linkTitle),
  "an unknown chain": (scene) =>
    opens(scene, scene.link.replace("31337", String(Number.MAX_SAFE_INTEGER)), trouble.unknownTitle),
  "an address without code": (scene) =>
    opens(scene, `${scene.home}?chain=31337&table=0x${"99".repeat(20)}`, trouble.noneTitle),
  "an address with other code": async (scene) => {
    scene.node.overrides["eth_getCode"] = () => "0x602a60005260206000f3";
    await opens(scene, scene.link, trouble.otherTitle);
  },
  "watching without a wallet": async (scene) => {
    await inGame(scene, [4], fill(status.bothTurn, { mark: "O" }));
    await expect(scene.tab.notice).toHaveText(text.game.connectToPlay);
  },
  "a table before the first answer": async (scene) => {
    const link = onSepolia(scene, WON);
    scene.sepolia.hold("eth_chainId");
    await opens(scene, link, status.reading);
    // Nothing about a game that the page has not seen.
    await scene.tab.expectBoard(".........");
    await expect(scene.tab.players.or(scene.tab.moves)).toHaveCount(0);
  },
  "a draw, with nine links to the explorer": async (scene) => {
    await opens(scene, onSepolia(scene, DRAWN), status.draw);
    const links = scene.tab.moves.getByRole("link");
    await expect(links.last()).toHaveAccessibleName("Bottom right: transaction of move 9");
    const targets = await links.evaluateAll((all) =>
      all.map(({ outerHTML }) => outerHTML.match(/https[^"]*|noopener/g)),
    );
    expect(targets).toEqual(
      scene.sepolia.hashes.map((hash) => [`https://sepolia.etherscan.io/tx/${hash}`, "noopener"]),
    );
  },
  "a lost connection": async (scene) => {
    await scene.tab.goto(onSepolia(scene, [4, 0]));
    await scene.tab.expectBoard("o...x....");
    scene.sepolia.down = true;
    await expect(scene.tab.notice).toHaveText(text.game.nodeLost);
    await scene.tab.button(text.game.tryNow).click();
    await expect(scene.tab.notice).toHaveText(text.game.nodeLost);
  },
  // The last one in its tab. The only media query that the page asks for is whether the first pointer is a finger.
  "an invitation on a phone": async ({ tab, link }) => {
    await tab.page.addInitScript(() => Object.assign(window, { matchMedia: () => ({ matches: true }) }));
    await tab.goto(`${link}&with=${BEN}`);
    await expect(tab.page.getByText(text.wallet.apps)).toBeVisible();
  },
};

const WITH_A_WALLET: Views = {
  "a free table": async (scene) => {
    await opens(scene, scene.link, status.host);
    await expect(scene.tab.page.getByRole("img", { name: text.invite.code })).toHaveAttribute("width");
  },
  "an invitation": (scene) => opens(scene, `${scene.link}&with=${BEN}`, status.invited),
  "the opponent's turn, with an error": async (scene) => {
    await inGame(scene, [4], status.theirTurn);
    await scene.tab.clickAnyway(0);
    await expect(scene.tab.notice).toHaveText(text.reason["not your turn"]);
  },
  "a move in the wallet": async (scene) => {
    await inGame(scene, [4, 0], status.yourTurn);
    scene.wallet.hold("eth_sendTransaction");
    await scene.tab.cell(8).click();
    await expect(scene.tab.title).toHaveText(status.asking);
  },
  "a pending move": async (scene) => {
    await inGame(scene, [4, 0], status.yourTurn);
    scene.wallet.automine = false;
    await scene.tab.cell(8).click();
    await expect(scene.tab.title).toHaveText(status.sent);
  },
  "a win": (scene) => inGame(scene, WON, status.youWin),
  "a forfeit": async (scene) => {
    await inGame(scene, [4, 0], status.yourTurn);
    scene.node.mine({ forfeited: true });
    await expect(scene.tab.title).toHaveText(status.youLose);
  },
  "a reorg": async (scene) => {
    await inGame(scene, [4, 0], status.yourTurn);
    scene.node.blocks.pop();
    scene.node.mine(GAME);
    const moves = plural(text.reorg.moves, 2);
    await expect(scene.tab.notice).toHaveText(fill(text.reorg.some, { moves }));
  },
  "the card of an address": async (scene) => {
    await inGame(scene, [], status.yourTurn);
    await scene.tab.button(/0x2222/).click();
    await expect(scene.tab.page.getByText(BEN, { exact: true })).toBeVisible();
  },
  "the dialog for a new game over one in progress, with an error": async (scene) => {
    await inGame(scene, [0], status.theirTurn);
    await scene.tab.button(text.game.newGame).click();
    await scene.tab.page.getByLabel(text.newGame.opponent).fill("0x12");
    await scene.tab.inDialog(text.newGame.beginOver).click();
    await expect(scene.tab.problem).toHaveText(text.newGame.badAddress);
  },
  "the dialog for a forfeit": async (scene) => {
    await inGame(scene, [], status.yourTurn);
    await scene.tab.button(text.game.forfeit).click();
    await expect(scene.tab.dialog).toBeVisible();
  },
  "a wallet on another chain": async (scene) => {
    scene.wallet.chainId = 1;
    await inGame(scene, [4, 0], status.yourTurn);
    await expect(scene.tab.notice).toHaveText(fill(text.game.switchHint, { chain: "Ethereum" }));
  },
  "the start page, with a wallet, a table of mine and an error": async ({ tab, home, node, link }) => {
    node.mine(GAME);
    await tab.goto(link);
    await expect(tab.title).toHaveText(status.yourTurn);
    await tab.goto(home);
    await expect(tab.page.getByText(text.home.recentTurn.yours)).toBeVisible();
    await tab.page.getByText(text.home.openTitle).click();
    await tab.button(text.home.open).click();
    await expect(tab.problem).toHaveText(text.home.badAddress);
  },
  "a pending deployment": async ({ tab, home, wallet }) => {
    await tab.goto(home);
    wallet.automine = false;
    await tab.button(fill(text.home.deploy, { chain: text.chain.local })).click();
    await expect(tab.deploying.getByRole("status")).toContainText(text.home.deploySent);
  },
  // The last one in its tab, because the second wallet stays.
  "the dialog of wallets": async ({ tab, home }) => {
    await tab.install(ALICE, { name: "A wallet with a name that is forty long.." });
    await tab.goto(home);
    await expect(tab.account).toHaveText(/0x/);
    await tab.account.click();
    await expect(tab.wallets).toHaveCount(2);
  },
};

async function resize(page: Page, size: string): Promise<void> {
  const [width = 0, height = 0] = size.split("x").map(Number);
  await page.setViewportSize({ width, height });
}

/** What axe finds in the view. */
async function violations(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return page.evaluate(async (values) => {
    // axe cannot check contrast over the lines of the paper or over the page behind a dialog, and reports that as incomplete. So
    // both are hidden during the check, and incomplete results count as violations.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`
      html, .moves { background-image: none !important }
      #page:has(dialog[open]) > :is(header, main, footer) { visibility: hidden !important }`);
    document.adoptedStyleSheets = [sheet];
    const { violations: found, incomplete } = await axe.run({
      // The rule for WCAG 2.2's target size is off by default.
      rules: { "target-size": { enabled: true } },
      resultTypes: ["violations", "incomplete"],
      ...(values && { runOnly: { type: "rule", values } }),
    });
    document.adoptedStyleSheets = [];
    return [...found, ...incomplete].map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join()}`,
    );
  }, rules);
}

/** What is too wide or too small in the window; and what is not in it, if all of the board must be. */
function misfits(whole: boolean): string[] {
  const found: string[] = [];
  const dialog = document.querySelector("dialog[open]");
  for (const box of [document.documentElement, ...(dialog ? [dialog] : [])])
    if (box.scrollWidth > box.clientWidth) found.push(`${box.localName} is too wide`);
  for (const control of (dialog ?? document).querySelectorAll("a[href], button, select, input")) {
    // The skip link is visible only with the focus.
    if (!control.checkVisibility({ visibilityProperty: true }) || control.matches(".skip")) continue;
    // A click anywhere on its label presses a radio button.
    const { width, height } = (control.closest("label") ?? control).getBoundingClientRect();
    const least = control.matches('[role="gridcell"]') ? 44 : 24;
    if (Math.min(width, height) < least) found.push(`${control.outerHTML.slice(0, 80)}: ${width} x ${height}`);
  }
  if (!whole) return found;
  window.scrollTo(0, 0);
  const parts = dialog ? ["dialog[open]"] : [".status :is(h1, h2)", '[role="grid"]', ".next .primary"];
  if (!dialog && document.querySelector('[role="grid"]') && !document.querySelector(".next")) found.push("no .next");
  for (const selector of parts) {
    const part = document.querySelector(selector);
    if (part === null) continue;
    const { top, bottom, width } = part.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) found.push(`${part.localName}.${part.className}: ${top} to ${bottom}`);
    if (part.scrollHeight > part.clientHeight && part === dialog) found.push("the dialog has to be scrolled");
    if (part.role === "grid" && width < Math.min(innerWidth, innerHeight) * 0.55) found.push(`a board of ${width}`);
  }
  return found;
}

async function examine(page: Page, name: string): Promise<void> {
  expect.soft(await violations(page), `${name}: axe`).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect.soft(await violations(page, ["color-contrast", "link-in-text-block"]), `${name}: axe, dark`).toEqual([]);
  for (const size of SIZES) {
    await resize(page, size);
    const whole = SCREENS.includes(size) && !EXCEPTIONS[name]?.includes(size);
    expect.soft(await page.evaluate(misfits, whole), `${name} at ${size}`).toEqual([]);
  }
  await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
  expect.soft(await page.evaluate(misfits, false), `${name} with text of 200 %`).toEqual([]);
}

// Half of the views each, so that two workers share them.
for (const [group, views] of Object.entries({ "without a wallet": WITHOUT_A_WALLET, "with a wallet": WITH_A_WALLET })) {
  test(`views ${group}`, async ({ tab, page, home, node, sepolia, link }) => {
    test.setTimeout(Object.keys(views).length * 20_000);
    const wallet = views === WITH_A_WALLET ? await tab.sit(ALICE) : new FakeNode();
    for (const [name, open] of Object.entries(views)) {
      await test.step(name, async () => {
        for (const chain of [node, sepolia, wallet]) {
          chain.blocks.splice(1);
          chain.pool.splice(0);
          Object.assign(chain, { overrides: {}, down: false, automine: true });
        }
        wallet.chainId = node.chainId;
        await resize(page, "1366x768");
        await page.emulateMedia({ colorScheme: "light" });
        await open({ tab, home, node, sepolia, link, wallet });
        await examine(page, name);
        await page.evaluate(() => [localStorage, sessionStorage].forEach((storage) => storage.clear()));
      });
    }
  });
}
