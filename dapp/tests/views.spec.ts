// Every view: axe finds no violation in either theme; at every size nothing is wider than the window, every control is large
// enough to touch, and the turn, the whole board and the next action are on the screen.
import axe from "axe-core";
import type { Page } from "@playwright/test";
import { ALICE, BEN, expect, fill, GAME, HOME, LINK, SEPOLIA_LINK, TABLE, test, text } from "./support/page.ts";
import type { Fixtures } from "./support/page.ts";

/** Here the turn, the whole board and the next action are on the screen. */
const SCREENS = ["1366x768", "1920x1080", "768x1024", "844x390", "320x568", "390x664", "640x760"];
/** But not this view here. */
const EXCEPTION = "the dialog for a new game over one in progress, with an error at 320x568";
/** Here nothing is too wide or too small. */
const SIZES = ["3840x2160", "833x900", ...SCREENS];

const { status, trouble } = text;
const WON = [0, 3, 1, 4, 2];

interface Scene extends Pick<Fixtures, "tab" | "node" | "sepolia"> {
  page: Page;
}

/** How each view is opened. */
const VIEWS: Record<string, (scene: Scene) => Promise<unknown>> = {
  "the start page": ({ tab }) => tab.open(HOME, text.home.headline),
  "practice that is over": async ({ tab, page }) => {
    await page.goto(HOME);
    for (const cell of WON) await tab.cell(cell).click();
    await expect(tab.button(text.game.rematch)).toBeVisible();
  },
  "the dialog of wallets without a wallet": async ({ tab, page }) => {
    await page.goto(HOME);
    await expect(tab.account).toHaveText(text.header.noWallet);
    await tab.account.click();
    await expect(tab.dialog.getByRole("img", { name: text.wallet.code })).toHaveAttribute("width");
    const [first, second] = [text.wallet.install, fill(text.wallet.coins, { chain: "Sepolia" })];
    await expect(tab.dialog.getByRole("listitem")).toHaveText([first, second, text.wallet.back]);
    // Links into apps are for phones.
    await expect(tab.dialog.getByRole("link")).toHaveText([first, second]);
  },
  "links that open no table": async ({ tab, node }) => {
    await tab.open(LINK.replace(TABLE, BEN), trouble.noneTitle);
    node.overrides["eth_getCode"] = () => "0x602a60005260206000f3";
    await tab.open(LINK, trouble.otherTitle);
    await tab.open(LINK.replace("31337", "9007199254740991"), trouble.unknownTitle);
  },
  "a table before the first answer": async ({ tab, sepolia }) => {
    sepolia.mine({ ...GAME, moves: WON });
    sepolia.hold("eth_chainId");
    await tab.open(SEPOLIA_LINK, status.reading);
    // Nothing about a game that the page has not seen.
    await tab.expectBoard(".........");
    await expect(tab.players.or(tab.moves)).toHaveCount(0);
  },
  "a draw, with an address and links to the explorer": async ({ tab, page, sepolia }) => {
    sepolia.mine({ ...GAME, moves: [0, 1, 2, 4, 3, 5, 7, 6, 8] });
    await tab.open(SEPOLIA_LINK, status.draw);
    const links = tab.moves.getByRole("link");
    await expect(links.last()).toHaveAccessibleName("Bottom right: transaction of move 9");
    await expect(links.last()).toHaveAttribute("href", `https://sepolia.etherscan.io/tx/${sepolia.hashes.at(-1)}`);
    await tab.button(/0x2222/).click();
    await expect(page.getByText(BEN, { exact: true })).toBeVisible();
    const explorer = page.getByRole("link", { name: text.address.explorer });
    await expect(explorer).toHaveAttribute("href", `https://sepolia.etherscan.io/address/${BEN}`);
  },
  "watching without a wallet, and without a connection": async ({ tab, sepolia }) => {
    sepolia.mine({ ...GAME, moves: [4, 0] });
    await tab.open(SEPOLIA_LINK, fill(status.bothTurn, { mark: "X" }));
    await expect(tab.notice).toHaveText(text.game.connectToPlay);
    sepolia.down = true;
    await expect(tab.notice).toHaveText(text.game.nodeLost);
    await tab.button(text.game.tryNow).click();
    await expect(tab.notice).toHaveText(text.game.nodeLost);
  },
  "an invitation on a phone": async ({ tab, page }) => {
    // The only media query that the page asks for is whether the first pointer is a finger.
    await page.addInitScript(() => Object.assign(window, { matchMedia: () => ({ matches: true }) }));
    await tab.open(`${LINK}&with=${BEN}`, status.invited);
    const url = encodeURIComponent(page.url());
    for (const [name, href] of [
      ["MetaMask", page.url().replace("http://", "https://link.metamask.io/dapp/")],
      ["Trust Wallet", `https://link.trustwallet.com/open_url?coin_id=60&url=${url}`],
      ["Base (Coinbase Wallet)", `https://go.cb-w.com/dapp?cb_url=${url}`],
    ] as const)
      await expect(page.getByRole("link", { name })).toHaveAttribute("href", href);
    await expect(tab.button(text.invite.play)).toHaveCount(0);
  },

  // With Alice's wallet.
  "a free table": async ({ tab, page }) => {
    await tab.sit(ALICE);
    await tab.open(LINK, status.host);
    await expect(page.getByRole("img", { name: text.invite.code })).toHaveAttribute("width");
  },
  "an invitation": async ({ tab }) => {
    await tab.sit(ALICE);
    await tab.open(`${LINK}&with=${BEN}`, status.invited);
  },
  "the opponent's turn, with an error": async ({ tab }) => {
    await tab.openGame([4], status.theirTurn);
    await expect(tab.button(text.game.forfeit)).toHaveCount(0);
    await tab.clickAnyway(0);
    await expect(tab.notice).toHaveText(text.reason["not your turn"]);
  },
  "a move on its way": async ({ tab }) => {
    const wallet = Object.assign(await tab.openGame([4, 0], status.yourTurn), { automine: false });
    const confirm = wallet.hold("eth_sendTransaction");
    await tab.cell(8).click();
    await expect(tab.title).toHaveText(status.asking);
    await expect(tab.cell(8)).toHaveAttribute("data-phase", "asking");
    await expect.poll(() => wallet.count("eth_sendTransaction")).toBe(1);
    confirm();
    await expect(tab.title).toHaveText(status.sent);
    await expect(tab.cell(8)).toHaveAttribute("data-phase", "sent");
    await expect(tab.cell(8)).toHaveAccessibleName("Bottom right, X, not in a block yet");
    await expect(tab.button(text.game.newGame)).toBeDisabled();
  },
  "a win, without coins for the next game": async ({ tab, page, node }) => {
    const wallet = await tab.openGame(WON.slice(0, -1), status.yourTurn);
    wallet.overrides["eth_getBalance"] = () => "0x0";
    wallet.emit("accountsChanged", [ALICE]);
    const noCoins = page.getByText(fill(text.chain.noCoins, { chain: text.chain.local }));
    await expect(noCoins).toBeVisible();
    node.mine({ moves: WON });
    await expect(tab.title).toHaveText(status.youWin);
    await expect(noCoins).toBeVisible();
  },
  "the dialog for a new game over one in progress, with an error": async ({ tab, page }) => {
    await tab.openGame([0], status.theirTurn);
    await tab.button(text.game.newGame).click();
    await page.getByLabel(text.newGame.opponent).fill("0x12");
    await tab.inDialog(text.newGame.beginOver).click();
    await expect(tab.problem).toHaveText(text.newGame.badAddress);
  },
  "the start page, with a table of mine, a pending deployment and an error": async ({ tab, page }) => {
    const wallet = await tab.openGame([], status.yourTurn);
    wallet.automine = false;
    await page.goto(HOME);
    await expect(page.getByText(text.home.recentTurn.yours)).toBeVisible();
    await tab.button(fill(text.home.deploy, { chain: text.chain.local })).click();
    await expect(tab.deploying.getByRole("status")).toContainText(text.home.deploySent);
    await page.getByText(text.home.openTitle).click();
    await tab.button(text.home.open).click();
    await expect(tab.problem).toHaveText(text.home.badAddress);
  },
  "the dialog of wallets": async ({ tab, page }) => {
    await tab.sit(ALICE);
    await tab.install(ALICE, { name: "A wallet with a name that is forty long.." });
    await page.goto(HOME);
    await expect(tab.account).toHaveText(/0x/);
    await tab.account.click();
    await expect(tab.wallets).toHaveCount(2);
  },
};

for (const [name, open] of Object.entries(VIEWS))
  test(name, async ({ tab, page, node, sepolia }) => {
    await resize(page, "1366x768");
    await open({ tab, page, node, sepolia });
    await page.evaluate(axe.source);
    expect.soft(await violations(page), "axe").toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect.soft(await violations(page, ["color-contrast", "link-in-text-block"]), "axe, dark").toEqual([]);
    for (const size of SIZES) {
      await resize(page, size);
      const whole = SCREENS.includes(size) && `${name} at ${size}` !== EXCEPTION;
      expect.soft(await page.evaluate(misfits, whole), size).toEqual([]);
    }
    await page.evaluate(() => (document.documentElement.style.fontSize = "200%"));
    expect.soft(await page.evaluate(misfits, false), "text of 200 %").toEqual([]);
  });

function resize(page: Page, size: string): Promise<void> {
  const [width = 0, height = 0] = size.split("x").map(Number);
  return page.setViewportSize({ width, height });
}

/** What axe finds in the view. */
const violations = (page: Page, rules?: string[]): Promise<string[]> =>
  page.evaluate(async (values) => {
    // axe cannot check contrast over the page behind a dialog, and reports that as incomplete. So the page is hidden during the
    // check, and incomplete results count as violations.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("#page:has(dialog[open]) > :is(header, main, footer) { visibility: hidden !important }");
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
