// Loaded only when somebody practises: brings the chain up, announces it like any wallet, keeps its game over a reload.
import { announceProvider } from "mipd";
import { PRACTICE_WALLET } from "../chains.ts";
import { parseAddress } from "../link.ts";
import { recall, remember } from "../memory.ts";
import { asHex } from "../provider.ts";
import type { Address } from "../rules.ts";
import { text } from "../text/index.ts";
import type { Wallet } from "../wallets.ts";
import { createChain, TABLE, type Transaction } from "./chain.ts";

// One for all: there is one practice wallet in a page, and over plain HTTP browsers make no random ones.
const UUID = "7ac7ac70-e000-4000-8000-3141592e0000";
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%23d2452d'/%3E%3Cpath d='M10 10l12 12m0-12L10 22' stroke='%23fff' stroke-width='4' stroke-linecap='round'/%3E%3C/svg%3E";

let started: Promise<{ wallet: Wallet; table: Address }> | null = null;

export function startPractice(): Promise<{ wallet: Wallet; table: Address }> {
  started ??= begin();
  return started;
}

function earlier(): Transaction[] {
  const stored = recall.session("practice");
  if (!Array.isArray(stored)) return [];
  try {
    return stored.map((entry: Record<string, unknown>) => {
      const [from, to] = [parseAddress(String(entry["from"])), parseAddress(String(entry["to"]))];
      if (from === null || to === null) throw new TypeError("not a transaction");
      return { from, to, data: asHex(entry["data"]) };
    });
  } catch {
    return [];
  }
}

async function begin(): Promise<{ wallet: Wallet; table: Address }> {
  const chain = await createChain(earlier(), () => remember.session("practice", chain.transactions()));
  const wallet: Wallet = { id: PRACTICE_WALLET, name: text.chain.practice, icon: ICON, provider: chain };
  announceProvider({
    info: { uuid: UUID, name: wallet.name, icon: ICON as `data:image/${string}`, rdns: PRACTICE_WALLET },
    provider: chain as never,
  });
  void navigator.serviceWorker?.ready.then(({ active }) => {
    // Practice is to work offline from now on; what it was loaded from is told to the keeper of the files.
    const files = performance.getEntriesByType("resource").map(({ name }) => name);
    active?.postMessage({ keep: files.filter((file) => new URL(file).origin === location.origin) });
  });
  return { wallet, table: TABLE };
}
