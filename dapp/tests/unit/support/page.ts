// The page's logic in as much of a browser as it uses, with fake time, at the table of a fake node with a connected wallet.
import { vi } from "vitest";
import type { Provider } from "../../../src/rpc.ts";
import type { Wallet } from "../../../src/wallets.ts";
import { type FakeGame, type FakeNode, sentBy, TABLE } from "../../support/node.ts";

function newStorage() {
  const entries = new Map<string, string>();
  return {
    getItem: (key: string): string | null => entries.get(key) ?? null,
    setItem: (key: string, value: string): void => void entries.set(key, value),
    removeItem: (key: string): void => void entries.delete(key),
  };
}

export const newStorages = () => ({ local: newStorage(), session: newStorage() });
export type Storages = ReturnType<typeof newStorages>;

/** The globals of a new tab. Tabs of one browser share `local`; a reload shares both. */
export function openBrowser(search = "", { local, session }: Storages = newStorages()) {
  const location = { pathname: "/page/", search, href: "", origin: "http://host" };
  const document = Object.assign(new EventTarget(), { visibilityState: "visible", querySelector: () => null });
  const window = Object.assign(new EventTarget(), { localStorage: local, sessionStorage: session, location });
  const go = (target: string): void => {
    location.search = target.includes("?") ? target.slice(target.indexOf("?")) : "";
    location.href = `http://host/page/${location.search}`;
  };
  go(search);
  class PopStateEvent extends Event {}
  const history = { pushState: (_state: unknown, _title: string, target: string) => go(target) };
  const globals = { window, document, location, history, PopStateEvent, navigator: {} };
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  return {
    /** Opens an address, as a link or the browser's Back does. */
    visit(target: string): void {
      go(target);
      window.dispatchEvent(new PopStateEvent("popstate"));
    },
    setHidden(isHidden: boolean): void {
      document.visibilityState = isHidden ? "hidden" : "visible";
      document.dispatchEvent(new Event("visibilitychange"));
    },
  };
}

export type Visit = Awaited<ReturnType<typeof openPage>>;

/** Opens the page with these wallets. Time is fake from then on; call `closeVisit` at the end of the test. */
export async function openPage(
  search: string,
  storages = newStorages(),
  announced: Record<string, unknown> | null = null,
) {
  vi.useFakeTimers();
  const browser = openBrowser(search, storages);
  // The modules of the page, with a state of their own.
  vi.resetModules();
  const [table, transactions, wallets, words, memory, { seat }, { state }] = await Promise.all([
    import("../../../src/table.ts"),
    import("../../../src/transactions.ts"),
    import("../../../src/wallets.ts"),
    import("../../../src/words.ts"),
    import("../../../src/memory.ts"),
    import("../../../src/seat.ts"),
    import("../../../src/state.ts"),
  ]);
  for (const [name, provider] of Object.entries(announced ?? {})) announce(name, provider);
  if (announced !== null) wallets.startWallets();
  table.start();
  /** Lets time pass, and everything that is due. */
  const pass = async (milliseconds: number) => void (await vi.advanceTimersByTimeAsync(milliseconds));
  return { table, transactions, wallets, words, memory, seat, state, browser, storages, pass };
}

export function closeVisit(): void {
  vi.useRealTimers();
  vi.unstubAllGlobals();
}

/** Opens the node's table with its wallet connected, and waits for the board. */
export async function openTable(node: FakeNode, game: Partial<FakeGame>): Promise<Visit> {
  node.mine(game);
  const visit = await openPage(linkTo(node.chainId));
  await connect(visit, node);
  return visit;
}

export async function connect({ state, pass }: Visit, node: FakeNode): Promise<void> {
  state.connection.value = { wallet: walletOf(node), accounts: node.accounts, chain: node.chainId };
  await pass(1000);
}

export const linkTo = (chain: number, table = TABLE): string => `?chain=${chain}&table=${table}`;
export const walletOf = (provider: FakeNode): Wallet => ({ id: "test", name: "Wallet", icon: null, provider });

/** As an extension announces a wallet (EIP-6963), now and whenever the page asks. */
export function announce(name: string, provider: unknown): void {
  const info = { uuid: `uuid ${name}`, name, rdns: `test.${name}`, icon: "data:image/svg+xml,%3Csvg/%3E" };
  const detail = { info, provider };
  const dispatch = (): unknown => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", dispatch);
  dispatch();
}

/** Every endpoint is this node. */
export function serve(node: Provider): void {
  vi.stubGlobal("fetch", async (_: string, { body }: { body: string }) => {
    const answer = await sentBy(node, JSON.parse(body));
    if (answer === null) throw new TypeError("failed to fetch");
    return Response.json(answer);
  });
}

/** The sentence of the notice. */
export const notice = ({ state, words }: Pick<Visit, "state" | "words">): string =>
  state.notice.value === null ? "" : words.noticeText(state.notice.value);

/** The moves on the board. */
export const moves = ({ state }: Pick<Visit, "state">): unknown => state.snapshot.value?.game?.moves;
