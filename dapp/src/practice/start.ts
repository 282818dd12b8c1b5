// Loaded when the player starts to practise: starts the chain, announces its wallet, and keeps its games across a reload.
import { asHex } from "../answers.ts";
import { PRACTICE_WALLET } from "../chains.ts";
import { parseAddress } from "../link.ts";
import { recall, remember } from "../memory.ts";
import type { Address } from "../rules.ts";
import { text } from "../text.ts";
import type { Wallet } from "../wallets.ts";
import { createChain, TABLE, type Transaction } from "./chain.ts";

// Fixed, because over plain HTTP browsers do not have crypto.randomUUID().
const UUID = "7ac7ac70-e000-4000-8000-3141592e0000";
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%23d2452d'/%3E%3Cpath d='M10 10l12 12m0-12L10 22' stroke='%23fff' stroke-width='4' stroke-linecap='round'/%3E%3C/svg%3E";

let started: Promise<{ wallet: Wallet; table: Address }> | null = null;

export function startPractice(): Promise<{ wallet: Wallet; table: Address }> {
  started ??= startChain().catch((error: unknown) => {
    started = null;
    throw error;
  });
  return started;
}

function storedTransactions(): Transaction[] {
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

async function startChain(): Promise<{ wallet: Wallet; table: Address }> {
  const chain = await createChain(storedTransactions(), () => remember.session("practice", chain.transactions()));
  const wallet: Wallet = { id: PRACTICE_WALLET, name: text.chain.practice, icon: ICON, provider: chain };
  const detail = { info: { uuid: UUID, name: wallet.name, icon: ICON, rdns: PRACTICE_WALLET }, provider: chain };
  window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  return { wallet, table: TABLE };
}
