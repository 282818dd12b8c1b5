// What the browser keeps for the next visit. If it refuses (private windows, blocked site data, full disks), the value is
// kept while the page is open. Other pages of the same host can write to the same storage: what they write is shown, but nothing is
// sent because of it.
import { parseAddress, parseChain, type TableLink } from "./link.ts";
import type { Address } from "./rules.ts";

const PREFIX = "tictactoe.";

type Where = "localStorage" | "sessionStorage";

/** What the browser refused to keep. */
const refused = new Map<string, string>();

function load(where: Where, key: string): unknown {
  try {
    return JSON.parse(refused.get(key) ?? window[where].getItem(PREFIX + key) ?? "null", revive);
  } catch {
    return null;
  }
}

function save(where: Where, key: string, value: unknown): void {
  refused.delete(key);
  const written = JSON.stringify(value, replace);
  try {
    if (value === null) window[where].removeItem(PREFIX + key);
    else window[where].setItem(PREFIX + key, written);
  } catch {
    refused.set(key, written);
  }
}

/** JSON has no form for the number of a game: 7n is written as "7n". */
const replace = (_: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}n` : value);
const revive = (_: string, value: unknown): unknown =>
  typeof value === "string" && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value;

/** A table that the player has set up or played at, as it was seen last. */
export interface KnownTable extends TableLink {
  /** None at a table without a game. */
  opponent: Address | null;
  turn: (typeof TURNS)[number];
}

const TURNS = ["free", "yours", "theirs", "over"] as const;

export const recall = {
  wallet: (): string | null => load("localStorage", "wallet") as string | null,
  /** For every tab: a table that is being deployed. */
  forAll: (key: "deploy"): unknown => load("localStorage", key),
  /** For this tab only: the pending transaction. */
  session: (key: string): unknown => load("sessionStorage", key),
  tables(): KnownTable[] {
    const stored = load("localStorage", "tables");
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((entry: unknown) => {
      const { chain, address, opponent, turn } = (entry ?? {}) as Record<string, unknown>;
      const [id, at] = [parseChain(String(chain)), parseAddress(String(address))];
      const next = TURNS.find((known) => known === turn);
      if (id === null || at === null || next === undefined) return [];
      return [{ chain: id, address: at, opponent: parseAddress(String(opponent)), turn: next }];
    });
  },
};

export const remember = {
  wallet: (id: string | null): void => save("localStorage", "wallet", id),
  forAll: (key: string, value: unknown): void => save("localStorage", key, value),
  session: (key: string, value: unknown): void => save("sessionStorage", key, value),
  table(table: KnownTable): void {
    const rest = recall.tables().filter(({ chain, address }) => chain !== table.chain || address !== table.address);
    save("localStorage", "tables", [table, ...rest].slice(0, 8));
  },
};
