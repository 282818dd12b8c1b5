// What the browser keeps for the next visit. It may refuse to (private windows, blocked site data, full disks), and then
// it is kept for as long as the page is open. It may give back anything (other pages of the same host write there too), so
// nothing read from it is trusted.
import { parseAddress, parseChain, parseEndpoint, type Table } from "./link.ts";

const PREFIX = "tictactoe.";

type Where = "localStorage" | "sessionStorage";

/** What the browser did not take. */
const refused = new Map<string, string>();

function read(where: Where, key: string): unknown {
  try {
    return JSON.parse(refused.get(key) ?? window[where].getItem(PREFIX + key) ?? "null");
  } catch {
    return null;
  }
}

function write(where: Where, key: string, value: unknown): void {
  refused.delete(key);
  try {
    if (value === null) window[where].removeItem(PREFIX + key);
    else window[where].setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    refused.set(key, JSON.stringify(value));
  }
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Who may be asked about one chain may not be asked about every other: a stranger could tell anything of those. */
type Endpoint = Pick<Table, "chain" | "rpc">;
const consent = ({ chain, rpc }: Endpoint): string => `${chain} ${rpc}`;

function allowed(): string[] {
  const stored = read("localStorage", "endpoints");
  return Array.isArray(stored) ? stored.filter((entry) => typeof entry === "string").slice(0, 50) : [];
}

export const recall = {
  wallet: (): string | null => text(read("localStorage", "wallet")),
  language: (): string | null => text(read("localStorage", "language")),
  /** For this tab only: what was being sent when the page was reloaded, and the practice game. */
  session: (key: string): unknown => read("sessionStorage", key),
  isAllowed: (endpoint: Endpoint): boolean => allowed().includes(consent(endpoint)),
  tables(): Table[] {
    const stored = read("localStorage", "tables");
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((entry: unknown) => {
      if (typeof entry !== "object" || entry === null) return [];
      const { chain, address, rpc } = entry as Record<string, unknown>;
      const [id, at] = [parseChain(String(chain)), parseAddress(String(address))];
      if (id === null || at === null) return [];
      return [{ chain: id, address: at, rpc: typeof rpc === "string" ? parseEndpoint(rpc) : null }];
    });
  },
};

export const remember = {
  wallet: (id: string | null): void => write("localStorage", "wallet", id),
  language: (code: string): void => write("localStorage", "language", code),
  session: (key: string, value: unknown): void => write("sessionStorage", key, value),
  allowed: (endpoint: Endpoint): void => write("localStorage", "endpoints", [...new Set([consent(endpoint), ...allowed()])]),
  table(table: Table): void {
    const rest = recall.tables().filter(({ chain, address }) => chain !== table.chain || address !== table.address);
    write("localStorage", "tables", [table, ...rest].slice(0, 8));
  },
};
