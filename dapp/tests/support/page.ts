// What every test in a browser uses: the built page on a static host, chains and wallets that the test makes, and the page as a person
// or a screen reader finds its parts.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import { expect, test as base } from "@playwright/test";
import type { BrowserContext, BrowserContextOptions, Locator, Page, Route } from "@playwright/test";
import type { Request } from "../../src/rpc.ts";
import type { Address } from "../../src/rules.ts";
import { text } from "../../src/text.ts";
import { FakeNode, rpcError, sentBy, SEPOLIA, TABLE } from "./node.ts";

export { expect } from "@playwright/test";
export { fill, plural, text } from "../../src/text.ts";
export { ALICE, BEN, CARLA, FakeNode, GAME, TABLE } from "./node.ts";

export const short = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

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

const ANNOUNCED = {
  name: "Test wallet",
  /** By which the page remembers it. */
  rdns: "",
  icon: "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E",
  /** Only sets window.ethereum, as old wallets do. */
  lone: false,
};

let count = 0;

/** Gives the page a wallet; in a page that is open, it comes late. */
async function install(page: Page, wallet: FakeNode, options: Partial<typeof ANNOUNCED> = {}): Promise<FakeNode> {
  const key = `wallet${++count}`;
  const announced = { key, ...ANNOUNCED, rdns: `test.${key}`, ...options };
  await page.exposeFunction(key, (request: Request) => sentBy(wallet, request));
  await page.addInitScript(announceInPage, announced);
  await page.evaluate(announceInPage, announced);
  for (const event of ["accountsChanged", "chainChanged"]) {
    const raise = ([name, detail]: readonly unknown[]): unknown =>
      window.dispatchEvent(new CustomEvent(String(name), { detail }));
    wallet.on(event, (detail) => void page.evaluate(raise, [`${key}:${event}`, detail]).catch(() => null));
  }
  return wallet;
}

function announceInPage({ key, lone, ...info }: typeof ANNOUNCED & { key: string }): void {
  const ask = (window as unknown as Record<string, (request: Request) => ReturnType<typeof sentBy>>)[key];
  const provider = {
    async request(request: Request) {
      const answer = (await ask?.(request)) ?? { error: { message: "failed to fetch" } };
      if ("error" in answer) throw Object.assign(new Error(answer.error.message), answer.error);
      return answer.result;
    },
    on(event: string, listener: (value: unknown) => void) {
      window.addEventListener(`${key}:${event}`, (raised) => listener((raised as CustomEvent).detail));
    },
  };
  const detail = Object.freeze({ info: { uuid: `${info.name} ${Math.random()}`, ...info }, provider });
  const announce = (): boolean => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  if (lone) {
    Object.assign(window, { ethereum: provider });
    window.dispatchEvent(new Event("ethereum#initialized"));
  } else {
    window.addEventListener("eip6963:requestProvider", announce);
    announce();
  }
}

// -- a page -----------------------------------------------------------------------------

export type Tab = ReturnType<typeof tabOf>;

/** A page, by what its reader finds there. */
export function tabOf(page: Page, node: FakeNode) {
  const dialog = page.getByRole("dialog");
  const cells = page.getByRole("gridcell");
  return {
    page,
    goto: (url: string): Promise<unknown> => page.goto(url),
    install: (account: Address, options?: Partial<typeof ANNOUNCED>) => install(page, node.wallet(account), options),
    /** Gives the page a wallet that was connected on an earlier visit. */
    async sit(account: Address, chain = node): Promise<FakeNode> {
      await page.addInitScript(() => localStorage.setItem("tictactoe.wallet", '"test.seated"'));
      return install(page, chain.wallet(account), { rdns: "test.seated" });
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

// -- the host -----------------------------------------------------------------------------

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

/** The endpoint of the local chain in the build. */
export const LOCAL_ENDPOINT = "http://127.0.0.1:8545";

export interface Fixtures {
  /** The local chain, and the one behind every public endpoint. */
  node: FakeNode;
  sepolia: FakeNode;
  /** The link to the table on the local chain. */
  link: string;
  tab: Tab;
  /** Another person's page. */
  another(device?: BrowserContextOptions): Promise<Tab>;
  /** Errors, and violations of the content security policy. Every test fails if there are any. */
  faults: string[];
}

// Playwright reads what a fixture needs from its first parameter.
/* eslint-disable no-empty-pattern */
export const test = base.extend<Fixtures, { /** The start page. */ home: string }>({
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
  node: ({}, use) => use(new FakeNode()),
  sepolia: ({}, use) => use(new FakeNode(SEPOLIA)),
  link: ({ home, node }, use) => use(`${home}?chain=${node.chainId}&table=${TABLE}`),
  faults: async ({}, use) => {
    const faults: string[] = [];
    await use(faults);
    expect(faults).toEqual([]);
  },
  another: async ({ browser, node, sepolia, faults }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (device) => {
      const context = await browser.newContext(device);
      contexts.push(context);
      context.on("weberror", (error) => faults.push(String(error.error())));
      context.on("console", (message) => {
        if (/Content Security Policy|Trusted/i.test(message.text())) faults.push(message.text());
      });
      await context.addInitScript(lookOften);
      await context.route(`${LOCAL_ENDPOINT}/**`, serve(node));
      await context.route(/^https:/, serve(sepolia));
      return tabOf(await context.newPage(), node);
    });
    for (const context of contexts) await context.close();
  },
  tab: async ({ another }, use) => use(await another()),
  page: ({ tab }, use) => use(tab.page),
});
