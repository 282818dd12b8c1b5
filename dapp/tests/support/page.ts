// What every test in a browser uses: the built page on a host, chains and wallets that the test makes, and the page as a person or a
// screen reader finds its parts.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test as base } from "@playwright/test";
import type { BrowserContextOptions, Locator, Page, Route } from "@playwright/test";
import type { Request } from "../../src/rpc.ts";
import type { Address } from "../../src/rules.ts";
import { text } from "../../src/text.ts";
import { ALICE, FakeNode, GAME, rpcError, sentBy, SEPOLIA, TABLE } from "./node.ts";

export { expect } from "@playwright/test";
export { fill, text } from "../../src/text.ts";
export { ALICE, BEN, CARLA, GAME, TABLE } from "./node.ts";

export const short = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

// -- the host -----------------------------------------------------------------------------

export const DIST = new URL("../../dist/", import.meta.url);
if (!existsSync(DIST)) throw new Error("run `npm run build` first");

/** The start page. It is in a folder, so that absolute paths would fail. */
export const HOME = "http://localhost/games/tic%20tac%20toe/";
/** The table on the local chain, and the one on Sepolia. */
export const LINK = `${HOME}?chain=31337&table=${TABLE}`;
export const SEPOLIA_LINK = `${HOME}?chain=${SEPOLIA}&table=${TABLE}`;

async function host(route: Route): Promise<void> {
  const [name] = route.request().url().replace(HOME, "").split("?");
  const path = fileURLToPath(new URL(name || "index.html", DIST));
  await (existsSync(path) ? route.fulfill({ path }) : route.fulfill({ status: 404 })).catch(() => null);
}

// -- nodes and wallets ----------------------------------------------------------------

const serve = (node: FakeNode) => async (route: Route) => {
  const { id, ...request } = route.request().postDataJSON();
  const answer = await sentBy(node, request);
  const headers = { "access-control-allow-origin": "*" };
  const json = { jsonrpc: "2.0", id, ...answer };
  // The page may be gone.
  await (answer === null ? route.abort() : route.fulfill({ headers, json })).catch(() => null);
};

/** What a wallet does that declines everything. Wallets agree on the code, not on the words. */
const no = (): never => {
  throw rpcError(4001, "No.");
};
export const DECLINES: FakeNode["overrides"] = { eth_requestAccounts: no, eth_sendTransaction: no };

/** What a wallet announces; the page remembers it by `rdns`. */
const INFO = {
  uuid: "",
  name: "Test wallet",
  rdns: "",
  icon: "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E",
};

let count = 0;

/** Gives the page a wallet; in a page that is open, it comes late. */
async function install(page: Page, wallet: FakeNode, options: Partial<typeof INFO>): Promise<FakeNode> {
  const uuid = `wallet${++count}`;
  const info = { ...INFO, uuid, rdns: `test.${uuid}`, ...options };
  await page.exposeFunction(uuid, (request: Request) => sentBy(wallet, request));
  await page.addInitScript(announceInPage, info);
  await page.evaluate(announceInPage, info);
  const raise = (event: { name: string; detail: unknown }): unknown =>
    window.dispatchEvent(new CustomEvent(event.name, event));
  for (const event of ["accountsChanged", "chainChanged"])
    wallet.on(event, (detail) => void page.evaluate(raise, { name: `${uuid}:${event}`, detail }).catch(() => null));
  return wallet;
}

function announceInPage(info: typeof INFO): void {
  const ask = (window as unknown as Record<string, (request: Request) => ReturnType<typeof sentBy>>)[info.uuid];
  const provider = {
    async request(request: Request) {
      const answer = (await ask?.(request)) ?? { error: { message: "failed to fetch" } };
      if ("error" in answer) throw Object.assign(new Error(answer.error.message), answer.error);
      return answer.result;
    },
    on(event: string, listener: (value: unknown) => void) {
      window.addEventListener(`${info.uuid}:${event}`, (raised) => listener((raised as CustomEvent).detail));
    },
  };
  const detail = Object.freeze({ info, provider });
  const announce = (): boolean => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
}

// -- a page -----------------------------------------------------------------------------

export type Tab = ReturnType<typeof tabOf>;

/** A page, by what its reader finds there. */
function tabOf(page: Page, node: FakeNode) {
  const dialog = page.getByRole("dialog");
  const cells = page.getByRole("gridcell");
  const title = page.getByRole("heading", { level: 1 });
  /** Gives the page a wallet that was connected on an earlier visit. */
  const sit = async (account: Address): Promise<FakeNode> => {
    await page.addInitScript(() => localStorage.setItem("tictactoe.wallet", '"test.seated"'));
    return install(page, node.wallet(account), { rdns: "test.seated" });
  };
  const open = async (url: string, words: string): Promise<void> => {
    await page.goto(url);
    await expect(title).toHaveText(words);
  };
  return {
    page,
    install: (account: Address, info: Partial<typeof INFO> = {}) => install(page, node.wallet(account), info),
    sit,
    /** Opens a page whose heading has these words. */
    open,
    /** Alice, who is X, opens the table in a game against Ben. This returns her wallet. */
    async openGame(moves: readonly number[], words: string): Promise<FakeNode> {
      node.mine({ ...GAME, moves });
      const wallet = await sit(ALICE);
      await open(LINK, words);
      return wallet;
    },

    title,
    button: (name: string | RegExp): Locator => page.getByRole("button", { name, exact: true }),
    dialog,
    inDialog: (name: string): Locator => dialog.getByRole("button", { name, exact: true }),
    /** What is wrong with a form, or with the open dialog. */
    problem: page.locator("form, dialog").getByRole("alert"),
    /** The button of the wallet in the header, and the wallets that the open dialog lists. */
    account: page.getByRole("banner").getByRole("button"),
    wallets: dialog.getByRole("listitem").getByRole("button"),
    /** The link that the page invites with. */
    invitation: page.getByLabel(text.invite.link, { exact: true }),
    cell: (cell: number): Locator => cells.nth(cell),
    focusedCell: page.locator('[role="gridcell"]:focus'),
    /** Clicks a cell that cannot be played. Without `force`, Playwright would wait until it can. */
    clickAnyway: (cell: number): Promise<void> => cells.nth(cell).click({ force: true }),
    /** The marks as painted: x and o settled, X and O not in a block yet, . empty. */
    async expectBoard(marks: string): Promise<void> {
      const painted = (): Promise<string[]> =>
        cells.evaluateAll((all) =>
          all.map(({ dataset: { mark = ".", phase } }) => (phase === "settled" ? mark : mark.toUpperCase())),
        );
      await expect.poll(async () => (await painted()).join("")).toBe(marks);
    },

    // What has no role or name of its own.
    hint: page.locator(".status p"),
    notice: page.locator(".notice p"),
    players: page.locator(".players"),
    score: page.locator(".seat-wins"),
    moves: page.locator(".moves li"),
    lines: page.locator(".board-wins path"),
    deploying: page.locator(".deploy"),
    /** What a screen reader announces, and what it announces at once. */
    said: page.locator("#page > [role=status]"),
    alerted: page.locator("#page > [role=alert]"),
  };
}

// -- a test -----------------------------------------------------------------------------

export interface Fixtures {
  /** The local chain, and the one behind every public endpoint. */
  node: FakeNode;
  sepolia: FakeNode;
  tab: Tab;
  /** Another person's page. */
  another(device?: BrowserContextOptions): Promise<Tab>;
  /** Errors, and violations of the content security policy. Every test fails if there are any. */
  faults: string[];
}

// Playwright reads what a fixture needs from its first parameter.
/* eslint-disable no-empty-pattern */
export const test = base.extend<Fixtures>({
  node: ({}, use) => use(new FakeNode()),
  sepolia: ({}, use) => use(new FakeNode(SEPOLIA)),
  faults: async ({}, use) => {
    const faults: string[] = [];
    await use(faults);
    expect(faults).toEqual([]);
  },
  another: async ({ browser, node, sepolia, faults }, use) => {
    await use(async (device) => {
      const context = await browser.newContext(device);
      context.on("weberror", (error) => faults.push(String(error.error())));
      context.on("console", (message) => {
        if (/Content Security Policy|Trusted/i.test(message.text())) faults.push(message.text());
      });
      await context.route((url) => url.href.startsWith(HOME), host);
      await context.route("http://127.0.0.1:8545/**", serve(node));
      await context.route(/^https:/, serve(sepolia));
      return tabOf(await context.newPage(), node);
    });
    for (const context of browser.contexts()) await context.close();
  },
  tab: async ({ another }, use) => use(await another()),
  page: ({ tab }, use) => use(tab.page),
});
