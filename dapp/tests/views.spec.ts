// Every view: axe finds no violation in either theme; at every size nothing is wider than the window, every control is large
// enough to touch, and the turn, the whole board and the next action are on the screen.
import axe from "axe-core";
import type { Page } from "@playwright/test";
import { ALICE, BEN, expect, FakeNode, fill, type Fixtures, GAME, plural, TABLE, test, text } from "./support/page.ts";

/** Here the turn, the whole board and the next action are on the screen. */
const SCREENS = ["1366x768", "1920x1080", "768x1024", "844x390", "320x568", "390x664"];
/** But not this view here. */
const EXCEPTION = "the dialog for a new game over one in progress, with an error at 320x568";
/** Here nothing is too wide or too small. */
const SIZES = ["3840x2160", "833x900", ...SCREENS];

/** The chains are new for each view. */
type Scene = Pick<Fixtures, "tab" | "node" | "sepolia" | "link"> & { home: string; wallet: FakeNode };
type Views = Record<string, () => Promise<unknown>>;

const { status, trouble } = text;
const WON = [0, 3, 1, 4, 2];
const DRAWN = [0, 1, 2, 4, 3, 5, 7, 6, 8];

function views({ tab, home, node, sepolia, link, wallet }: Scene): { withoutWallet: Views; withWallet: Views } {
  const { page, notice, dialog } = tab;
  const opens = async (url: string, words: string) => {
    await tab.goto(url);
    await expect(tab.title).toHaveText(words);
  };
  /** Opens the table in a game of Alice, who is X and has the wallet, against Ben. */
  const inGame = (moves: readonly number[], words: string) => {
    node.mine({ ...GAME, moves });
    return opens(link, words);
  };
  /** A game on a chain with an explorer. */
  const onSepolia = (moves: readonly number[]) => {
    sepolia.mine({ ...GAME, moves });
    return `${home}?chain=${sepolia.chainId}&table=${TABLE}`;
  };

  const withoutWallet: Views = {
    "the start page": () => opens(home, text.home.headline),
    "practice that is over": async () => {
      await tab.goto(home);
      for (const cell of WON) await tab.cell(cell).click();
      await expect(tab.button(text.game.rematch)).toBeVisible();
    },
    "the dialog of wallets without a wallet": async () => {
      await tab.goto(home);
      await tab.account.click();
      await expect(dialog.getByRole("img", { name: text.wallet.code })).toHaveAttribute("width");
    },
    "an invalid link": () => opens(`${home}?chain=x`, trouble.linkTitle),
    "an unknown chain": () => opens(link.replace("31337", String(Number.MAX_SAFE_INTEGER)), trouble.unknownTitle),
    "an address without code": () => opens(link.replace(TABLE, BEN), trouble.noneTitle),
    "an address with other code": () => {
      node.overrides["eth_getCode"] = () => "0x602a60005260206000f3";
      return opens(link, trouble.otherTitle);
    },
    "watching without a wallet": async () => {
      await inGame([4], fill(status.bothTurn, { mark: "O" }));
      await expect(notice).toHaveText(text.game.connectToPlay);
    },
    "a table before the first answer": async () => {
      sepolia.hold("eth_chainId");
      await opens(onSepolia(WON), status.reading);
      // Nothing about a game that the page has not seen.
      await tab.expectBoard(".........");
      await expect(tab.players.or(tab.moves)).toHaveCount(0);
    },
    "a draw, with nine links to the explorer": async () => {
      await opens(onSepolia(DRAWN), status.draw);
      const links = tab.moves.getByRole("link");
      await expect(links.last()).toHaveAccessibleName("Bottom right: transaction of move 9");
      const targets = await links.evaluateAll((all) =>
        all.map(({ outerHTML }) => outerHTML.match(/https[^"]*|noopener/g)),
      );
      expect(targets).toEqual(sepolia.hashes.map((hash) => [`https://sepolia.etherscan.io/tx/${hash}`, "noopener"]));
    },
    "a lost connection": async () => {
      await tab.goto(onSepolia([4, 0]));
      await tab.expectBoard("o...x....");
      sepolia.down = true;
      await expect(notice).toHaveText(text.game.nodeLost);
      await tab.button(text.game.tryNow).click();
      await expect(notice).toHaveText(text.game.nodeLost);
    },
    // The last one in its tab. The only media query that the page asks for is whether the first pointer is a finger.
    "an invitation on a phone": async () => {
      await page.addInitScript(() => Object.assign(window, { matchMedia: () => ({ matches: true }) }));
      await tab.goto(`${link}&with=${BEN}`);
      await expect(page.getByText(text.wallet.apps)).toBeVisible();
    },
  };

  const withWallet: Views = {
    "a free table": async () => {
      await opens(link, status.host);
      await expect(page.getByRole("img", { name: text.invite.code })).toHaveAttribute("width");
    },
    "an invitation": () => opens(`${link}&with=${BEN}`, status.invited),
    "the opponent's turn, with an error": async () => {
      await inGame([4], status.theirTurn);
      await tab.clickAnyway(0);
      await expect(notice).toHaveText(text.reason["not your turn"]);
    },
    "a move in the wallet": async () => {
      await inGame([4, 0], status.yourTurn);
      wallet.hold("eth_sendTransaction");
      await tab.cell(8).click();
      await expect(tab.title).toHaveText(status.asking);
      await expect(tab.cell(8)).toHaveAttribute("data-phase", "asking");
      await expect(tab.cell(8)).toHaveAccessibleName("Bottom right, X, not in a block yet");
    },
    "a pending move": async () => {
      await inGame([4, 0], status.yourTurn);
      wallet.automine = false;
      await tab.cell(8).click();
      await expect(tab.title).toHaveText(status.sent);
      await expect(tab.cell(8)).toHaveAttribute("data-phase", "sent");
      await expect(tab.button(text.game.newGame)).toBeDisabled();
    },
    "a win": () => inGame(WON, status.youWin),
    "a forfeit": async () => {
      node.mine({ ...GAME, moves: [4, 0], forfeited: true });
      await opens(link, status.youLose);
    },
    "a reorg": async () => {
      await inGame([4, 0], status.yourTurn);
      node.blocks.pop();
      node.mine(GAME);
      const moves = plural(text.reorg.moves, 2);
      await expect(notice).toHaveText(fill(text.reorg.some, { moves }));
    },
    "the card of an address": async () => {
      await inGame([], status.yourTurn);
      await tab.button(/0x2222/).click();
      await expect(page.getByText(BEN, { exact: true })).toBeVisible();
    },
    "the dialog for a new game over one in progress, with an error": async () => {
      await inGame([0], status.theirTurn);
      await tab.button(text.game.newGame).click();
      await page.getByLabel(text.newGame.opponent).fill("0x12");
      await tab.inDialog(text.newGame.beginOver).click();
      await expect(tab.problem).toHaveText(text.newGame.badAddress);
    },
    "the dialog for a forfeit": async () => {
      await inGame([], status.yourTurn);
      await tab.button(text.game.forfeit).click();
      await expect(dialog).toBeVisible();
    },
    "an account without coins": async () => {
      wallet.overrides["eth_getBalance"] = () => "0x0";
      await inGame([4, 0], status.yourTurn);
      await expect(page.getByText(fill(text.chain.noCoins, { chain: text.chain.local }))).toBeVisible();
    },
    "a wallet on another chain": async () => {
      wallet.chainId = 1;
      await inGame([4, 0], status.yourTurn);
      await expect(notice).toHaveText(fill(text.game.switchHint, { chain: "Ethereum" }));
    },
    "the start page, with a wallet, a table of mine and an error": async () => {
      await inGame([], status.yourTurn);
      await tab.goto(home);
      await expect(page.getByText(text.home.recentTurn.yours)).toBeVisible();
      await page.getByText(text.home.openTitle).click();
      await tab.button(text.home.open).click();
      await expect(tab.problem).toHaveText(text.home.badAddress);
    },
    "a pending deployment": async () => {
      await tab.goto(home);
      wallet.automine = false;
      await tab.button(fill(text.home.deploy, { chain: text.chain.local })).click();
      await expect(tab.deploying.getByRole("status")).toContainText(text.home.deploySent);
    },
    // The last one in its tab, because the second wallet stays.
    "the dialog of wallets": async () => {
      await tab.install(ALICE, { name: "A wallet with a name that is forty long.." });
      await tab.goto(home);
      await expect(tab.account).toHaveText(/0x/);
      await tab.account.click();
      await expect(tab.wallets).toHaveCount(2);
    },
  };
  return { withoutWallet, withWallet };
}

async function resize(page: Page, size: string): Promise<void> {
  const [width = 0, height = 0] = size.split("x").map(Number);
  await page.setViewportSize({ width, height });
}

/** What axe finds in the view. */
async function violations(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return page.evaluate(async (values) => {
    // axe cannot check contrast over the page behind a dialog, and reports that as incomplete. So the page is hidden during the
    // check, and incomplete results count as violations.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`
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
    const whole = SCREENS.includes(size) && `${name} at ${size}` !== EXCEPTION;
    expect.soft(await page.evaluate(misfits, whole), `${name} at ${size}`).toEqual([]);
  }
  await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
  expect.soft(await page.evaluate(misfits, false), `${name} with text of 200 %`).toEqual([]);
}

// Half of the views each, so that two workers share them.
for (const group of ["withoutWallet", "withWallet"] as const) {
  test(`views ${group}`, async ({ tab, page, home, node, sepolia, link }) => {
    test.setTimeout(300_000);
    const wallet = group === "withWallet" ? await tab.sit(ALICE) : new FakeNode();
    for (const [name, open] of Object.entries(views({ tab, home, node, sepolia, link, wallet })[group])) {
      await test.step(name, async () => {
        for (const chain of [node, sepolia, wallet]) {
          chain.blocks.splice(1);
          chain.pool.splice(0);
          Object.assign(chain, { overrides: {}, down: false, automine: true });
        }
        wallet.chainId = node.chainId;
        await resize(page, "1366x768");
        await page.emulateMedia({ colorScheme: "light" });
        await open();
        await examine(page, name);
        await page.evaluate(() => [localStorage, sessionStorage].forEach((storage) => storage.clear()));
      });
    }
  });
}
