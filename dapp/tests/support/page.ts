// What every test uses: the built page on a static host, a node for each worker, a new table for each test, and the page as a
// person or a screen reader finds its parts.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import { expect, test as base } from "@playwright/test";
import type { BrowserContext, BrowserContextOptions, Locator, Page } from "@playwright/test";
import type { Address } from "viem";
import { text } from "../../src/text.ts";
import { LOCAL_CHAIN, Table, TestNode } from "./node.ts";
import { TestWallet, type WalletOptions } from "./wallet.ts";

export { expect } from "@playwright/test";
export { fill, plural, text } from "../../src/text.ts";
export { ANNA, BEN, CARLA, Table } from "./node.ts";

export const short = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

export type Tab = ReturnType<typeof tabOf>;

/** A page, by what its reader finds there. */
export function tabOf(page: Page, local: TestNode) {
  const install = (options: WalletOptions = {}, node = local): Promise<TestWallet> =>
    TestWallet.install(page, node, options);
  const dialog = page.getByRole("dialog");
  const cells = page.getByRole("gridcell");
  return {
    page,
    goto: (url: string): Promise<unknown> => page.goto(url),
    /** Gives the page a wallet. */
    install,
    /** Gives the page a wallet that was connected on an earlier visit. */
    async sit(account: Address, node = local): Promise<TestWallet> {
      await page.addInitScript(() => localStorage.setItem("tictactoe.wallet", '"test.seated"'));
      return Object.assign(await install({ account, rdns: "test.seated" }, node), { trusted: true });
    },

    title: page.getByRole("heading", { level: 1 }),
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

export const DIST = new URL("../../dist/", import.meta.url);
/** The page is in a folder, so that absolute paths would fail. */
const FOLDER = "/games/tic%20tac%20toe/";
const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

const host = createServer(async ({ url = "" }, response) => {
  const [path = ""] = url.split("?");
  const name = path.replace(FOLDER, "") || "index.html";
  const body = await readFile(new URL(name, DIST)).catch(() => null);
  const type = TYPES[extname(name)] ?? "application/octet-stream";
  response.writeHead(path.startsWith(FOLDER) && body ? 200 : 404, { "content-type": type }).end(body);
});

/** Shortens the pause between two looks at a local chain from 250 ms to 40 ms. */
function lookOften(): void {
  const wait = window.setTimeout;
  const hurried = (act: () => void, pause?: number): number => wait(act, pause === 250 ? 40 : pause);
  Object.assign(window, { setTimeout: hurried });
}

async function start(chain: number, use: (node: TestNode) => Promise<void>): Promise<void> {
  const node = await TestNode.start(chain);
  await use(node);
  node.stop();
}

interface WorkerFixtures {
  /** The start page. */
  home: string;
  node: TestNode;
  /** The node of a chain with an explorer. */
  sepolia: TestNode;
}

interface Fixtures {
  tab: Tab;
  /** Another person's page. */
  another(device?: BrowserContextOptions): Promise<Tab>;
  table: Table;
  /** Errors, and violations of the content security policy. Every test fails if there are any. */
  faults: string[];
}

// Playwright reads what a fixture needs from its first parameter.
/* eslint-disable no-empty-pattern */
export const test = base.extend<Fixtures, WorkerFixtures>({
  home: [
    async ({}, use) => {
      await readFile(new URL("index.html", DIST)).catch(() => Promise.reject(new Error("run `npm run build` first")));
      await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
      await use(`http://127.0.0.1:${(host.address() as AddressInfo).port}${FOLDER}`);
      host.closeAllConnections();
      host.close();
    },
    { scope: "worker" },
  ],
  node: [({}, use) => start(LOCAL_CHAIN, use), { scope: "worker" }],
  sepolia: [({}, use) => start(11_155_111, use), { scope: "worker" }],
  faults: async ({}, use) => {
    const faults: string[] = [];
    await use(faults);
    expect(faults).toEqual([]);
  },
  another: async ({ browser, node, faults }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (device) => {
      const context = await browser.newContext(device);
      contexts.push(context);
      context.on("weberror", (error) => faults.push(String(error.error())));
      context.on("console", (message) => {
        if (/Content Security Policy|Trusted/i.test(message.text())) faults.push(message.text());
      });
      await context.addInitScript(lookOften);
      await node.serve(context);
      return tabOf(await context.newPage(), node);
    });
    for (const context of contexts) await context.close();
  },
  tab: async ({ another }, use) => use(await another()),
  page: ({ tab }, use) => use(tab.page),
  table: async ({ node, home }, use) => use(await Table.on(node, home)),
});
