// As much of a browser as the page's logic uses, and the modules of the page, loaded anew for each test.
import { vi } from "vitest";

class MemoryStorage {
  private readonly entries = new Map<string, string>();
  getItem(key: string): string | null {
    return this.entries.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.entries.set(key, value);
  }
  removeItem(key: string): void {
    this.entries.delete(key);
  }
}

class FakeDocument extends EventTarget {
  visibilityState: "visible" | "hidden" = "visible";
  querySelector = (): null => null;
}

export interface Browser {
  /** Opens an address, as a link or the browser's Back does. */
  visit(search: string): void;
  setHidden(hidden: boolean): void;
}

export interface Storages {
  local: MemoryStorage;
  session: MemoryStorage;
}

export const newStorages = (): Storages => ({ local: new MemoryStorage(), session: new MemoryStorage() });

const opened: ((search: string) => void)[] = [];

/** Ends what the pages still ask for. */
export function leaveAll(): void {
  // They all read the location of the newest.
  for (const visit of opened.splice(0).toReversed()) visit("?chain=none");
}

/** The globals of a new tab. Tabs of one browser share `local`; a reload shares both. */
export function openBrowser(search = "", { local, session }: Storages = newStorages()): Browser {
  const location = { pathname: "/page/", search, href: "", origin: "http://host" };
  const document = new FakeDocument();
  const go = (target: string): void => {
    location.search = target.includes("?") ? target.slice(target.indexOf("?")) : "";
    location.href = `http://host/page/${location.search}`;
  };
  go(search);
  class PopStateEvent extends Event {}
  const window = Object.assign(new EventTarget(), { localStorage: local, sessionStorage: session, location });
  const history = { pushState: (_state: unknown, _title: string, target: string) => go(target) };
  for (const [name, value] of Object.entries({
    window,
    document,
    location,
    history,
    PopStateEvent,
    navigator: {},
  })) {
    vi.stubGlobal(name, value);
  }
  const visit = (target: string): void => {
    go(target);
    window.dispatchEvent(new PopStateEvent("popstate"));
  };
  opened.push(visit);
  return {
    visit,
    setHidden(hidden) {
      document.visibilityState = hidden ? "hidden" : "visible";
      document.dispatchEvent(new Event("visibilitychange"));
    },
  };
}

/** The modules of the page, with a state of their own. */
export async function loadPage() {
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
  return { table, transactions, wallets, words, memory, seat, state };
}

export type Page = Awaited<ReturnType<typeof loadPage>>;
