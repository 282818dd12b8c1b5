// A page that is open at the table of a fake node, with a connected wallet.
import { vi } from "vitest";
import { type Provider, RpcError } from "../../../src/rpc.ts";
import type { Wallet } from "../../../src/wallets.ts";
import { type Browser, leaveAll, loadPage, newStorages, openBrowser, type Page, type Storages } from "./browser.ts";
import { type FakeGame, type FakeNode, TABLE } from "./node.ts";

export interface Visit {
  page: Page;
  browser: Browser;
  storages: Storages;
  /** Lets time pass, and everything that is due. */
  pass(milliseconds: number): Promise<void>;
}

export const linkTo = (chain: number, table = TABLE): string => `?chain=${chain}&table=${table}`;
export const walletOf = (node: FakeNode, name = "Wallet"): Wallet => ({ id: name, name, icon: null, provider: node });

/** The sentence of the notice. */
export const notice = ({ page }: Pick<Visit, "page">): string =>
  page.state.notice.value === null ? "" : page.words.noticeText(page.state.notice.value);
/** What the page says about the turn. */
export const title = ({ page }: Pick<Visit, "page">): string => page.seat.value.title;

/** Every endpoint is this node, or the one for its address. */
export function serve(node: Provider | ((url: string) => Provider)): void {
  vi.stubGlobal("fetch", async (url: string, { body }: { body: string }) => {
    const one = typeof node === "function" ? node(url) : node;
    try {
      return new Response(JSON.stringify({ result: await one.request(JSON.parse(body)) }));
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message, data } = error;
      return new Response(JSON.stringify({ error: { code, message, data } }));
    }
  });
}

/** Opens the page. Time is fake from then on; call `closeVisit` at the end of the test. */
export async function openPage(search: string, storages = newStorages()): Promise<Visit> {
  vi.useFakeTimers();
  const browser = openBrowser(search, storages);
  const page = await loadPage();
  page.table.start();
  return {
    page,
    browser,
    storages,
    pass: async (milliseconds) => void (await vi.advanceTimersByTimeAsync(milliseconds)),
  };
}

/** Opens the node's table with its wallet connected, and waits for the board. */
export async function openTable(
  node: FakeNode,
  game: Partial<FakeGame> | null = null,
  storages = newStorages(),
): Promise<Visit> {
  if (game !== null) node.mine(game);
  const visit = await openPage(linkTo(node.chainId), storages);
  await connect(visit, node);
  return visit;
}

export async function connect({ page, pass }: Visit, node: FakeNode): Promise<void> {
  page.state.connection.value = { wallet: walletOf(node), accounts: node.accounts, chain: node.chainId };
  await pass(1000);
}

export function closeVisit(): void {
  leaveAll();
  vi.useRealTimers();
  vi.unstubAllGlobals();
}
