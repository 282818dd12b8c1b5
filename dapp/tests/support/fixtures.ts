// What every test uses: the built page on a static host, a node for each worker, a new table for each test.
import {
  test as base,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  expect,
  type Locator,
  type Page,
} from "@playwright/test";
import { type Address, Anvil } from "./anvil.ts";
import { serve } from "./server.ts";
import { TestWallet, type WalletOptions } from "./wallet.ts";

export { expect } from "@playwright/test";
export { Anvil } from "./anvil.ts";
export { TestWallet } from "./wallet.ts";

export const CELL_NAMES = [
  "Top left",
  "Top centre",
  "Top right",
  "Middle left",
  "Centre",
  "Middle right",
  "Bottom left",
  "Bottom centre",
  "Bottom right",
];

interface Fixtures {
  table: Address;
  /** The table's link. */
  link: string;
  /** Errors and violations of the content security policy. Every test fails if there are any. */
  clean: string[];
}

interface WorkerFixtures {
  host: string;
  anvil: Anvil;
  /** A chain with an explorer. */
  sepolia: Anvil;
}

async function running(use: (anvil: Anvil) => Promise<void>, chainId?: number): Promise<void> {
  const anvil = await Anvil.start(chainId);
  await use(anvil);
  await anvil.down();
}

/** A table without a game, on a node that mines at once. */
export async function newTable(anvil: Anvil): Promise<Address> {
  await anvil.rpc("anvil_dropAllTransactions");
  await anvil.automine(true);
  return anvil.deploy();
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  host: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the fixture's needs from this pattern.
    async ({}, use) => {
      const { url, server } = await serve();
      await use(url);
      server.closeAllConnections();
      server.close();
    },
    { scope: "worker" },
  ],
  anvil: [
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) =>
      running(async (anvil) => {
        localNode = anvil.url;
        await use(anvil);
      }),
    { scope: "worker" },
  ],
  // eslint-disable-next-line no-empty-pattern
  sepolia: [async ({}, use) => running(use, 11_155_111), { scope: "worker" }],
  context: async ({ context }, use) => {
    await prepare(context);
    await use(context);
  },
  table: async ({ anvil }, use) => {
    await use(await newTable(anvil));
  },
  link: async ({ host, anvil, table }, use) => {
    await use(linkTo(host, anvil, table));
  },
  clean: [
    async ({ context }, use) => {
      const faults: string[] = [];
      watch(context, faults);
      await use(faults);
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
});

async function prepare(context: BrowserContext): Promise<void> {
  await context.addInitScript(pollOften);
  await answerFrom(context, 31_337, () => localNode);
}

/** Shortens the pause between two looks at a local chain from 250 ms to 40 ms. */
function pollOften(): void {
  const wait = window.setTimeout;
  const hurried = (act: () => void, milliseconds?: number): number =>
    wait(act, milliseconds === 250 ? 40 : milliseconds);
  Object.assign(window, { setTimeout: hurried });
}

function watch(context: BrowserContext, faults: string[]): void {
  context.on("weberror", (error) => faults.push(String(error.error())));
  context.on("console", (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) faults.push(message.text());
  });
}

export const linkTo = (host: string, { chainId }: { chainId: number }, table: string): string =>
  `${host}?chain=${chainId}&table=${table}`;

/** The endpoint of the local chain in the build. Each worker's pages reach the worker's node there. */
export const LOCAL_ENDPOINT = "http://127.0.0.1:8545";
let localNode = "";

/** Answers what the page asks the endpoints of a chain. */
async function answerFrom(pages: Page | BrowserContext, chain: number, node: () => string): Promise<void> {
  await pages.route(chain === 31_337 ? `${LOCAL_ENDPOINT}/**` : /^https:/, async (route) => {
    try {
      const headers = { "access-control-allow-origin": "*", "content-type": "application/json" };
      const response = await fetch(node(), { method: "POST", headers, body: route.request().postData() });
      await route.fulfill({ status: response.status, body: await response.text(), headers });
    } catch {
      // The node is down, or the page is gone.
      await route.abort().catch(() => null);
    }
  });
}

/** The endpoints of a chain are this node, or a proxy. */
export const readFrom = (page: Page, node: { url: string; chainId: number }, chain = node.chainId): Promise<void> =>
  answerFrom(page, chain, () => node.url);

/** Gives the page a wallet that was connected on an earlier visit. */
export async function sit(
  page: Page,
  anvil: Anvil,
  account: Address | Address[],
  options: WalletOptions = {},
): Promise<TestWallet> {
  const rdns = options.rdns ?? "test.wallet";
  await page.addInitScript((id) => {
    if (localStorage.getItem("tictactoe.wallet") === null) localStorage.setItem("tictactoe.wallet", JSON.stringify(id));
  }, rdns);
  return TestWallet.install(page, anvil, { trusted: true, rdns, accounts: [account].flat(), ...options });
}

/** A page at a table with a new game, the first account against the second. The wallet has the first, and X is to move. */
export async function sitAsX(page: Page, anvil: Anvil, table: Address, link: string): Promise<TestWallet> {
  const wallet = await sit(page, anvil, anvil.account(0));
  await anvil.newGame(table, anvil.account(0), anvil.account(1));
  await page.goto(link);
  await expect(title(page)).toHaveText("Your turn");
  return wallet;
}

/** Until the page knows the nonce of its transaction. Before that it cannot recognise a replacement. */
export async function nonceKnown(page: Page, what: "pending" | "deploy"): Promise<void> {
  const stored = (): Promise<string> =>
    page.evaluate((key) => (key === "deploy" ? localStorage : sessionStorage).getItem(`tictactoe.${key}`) ?? "", what);
  await expect.poll(stored).toMatch(/"nonce":\d/);
}

export async function otherPage(browser: Browser, device: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1100, height: 900 },
    locale: "en-GB",
    reducedMotion: "reduce",
    ...device,
  });
  await prepare(context);
  return context.newPage();
}

export const cellAt = (page: Page, cell: number): Locator => page.locator('[role="gridcell"]').nth(cell);
// What the tests look at, as a person or a screen reader finds it.
export const title = (page: Page): Locator => page.locator(".table").getByRole("heading", { level: 1 });
export const hint = (page: Page): Locator => page.locator(".status p");
export const noticeBox = (page: Page): Locator => page.locator(".notice");
export const noticeOf = (page: Page): Locator => page.locator(".notice p");
export const trouble = (page: Page): Locator => page.locator(".trouble");
export const walletButton = (page: Page): Locator => page.getByRole("banner").getByRole("button");
export const brand = (page: Page): Locator => page.getByRole("banner").getByRole("link");
/** The wallets that the open dialog lists. */
export const walletsIn = (page: Page): Locator => page.getByRole("dialog").getByRole("listitem").getByRole("button");
/** What is wrong with a form, or with the open dialog. */
export const problem = (page: Page): Locator => page.locator("form, dialog").getByRole("alert");
export const deploying = (page: Page): Locator => page.locator(".deploy");
export const movesIn = (page: Page): Locator => page.locator(".moves li");
export const score = (page: Page): Locator => page.locator(".seat-wins");
export const draws = (page: Page): Locator => page.locator(".draws");
export const gameNumber = (page: Page): Locator => page.locator(".players .card-head .hint");
export const source = (page: Page): Locator => page.locator(".source");
export const tables = (page: Page): Locator => page.locator(".tables a");
/** What a screen reader announces. */
export const said = (page: Page): Locator => page.locator("#page > [role=status]");
export const alerted = (page: Page): Locator => page.locator("#page > [role=alert]");

/** Clicks a cell that cannot be played. Without `force` Playwright would wait until it can. */
export const clickAnyway = (page: Page, cell: number): Promise<void> => cellAt(page, cell).click({ force: true });

/** The marks as painted: x and o settled, X and O pending, . empty. */
export async function board(page: Page): Promise<string> {
  return page.locator('[role="gridcell"]').evaluateAll((cells) =>
    cells
      .map((cell) => {
        const mark = cell.getAttribute("data-mark") ?? ".";
        return cell.getAttribute("data-phase") === "settled" ? mark : mark.toUpperCase();
      })
      .join(""),
  );
}

export async function expectBoard(page: Page, marks: string): Promise<void> {
  await expect.poll(() => board(page)).toBe(marks);
}
