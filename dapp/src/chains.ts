// The chains that the page knows, from chains.json. Other chains work too, through a wallet on that chain or an `rpc=` in the
// link.
import { CHAINS } from "./generated/chains.ts";

export interface Chain {
  id: number;
  name: string;
  /** Its prefix in addresses such as `sep:0x…` (EIP-3770). */
  short: string | null;
  currency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  /** Its coins are free. */
  testnet: boolean;
  /** Tried in this order. */
  endpoints: readonly string[];
  explorer: string | null;
  /** Milliseconds between two blocks. */
  blockTime: number;
}

/** The chain inside the page. No public chain has this ID, so no wallet mistakes it for one. */
export const PRACTICE_CHAIN = 3_141_592;
/** The `rdns` of its wallet (EIP-6963). */
export const PRACTICE_WALLET = "practice.tictactoe";
export const LOCAL_CHAIN = 31_337;
const LOCAL_INTERVAL = 250;

export const knownChains: readonly Chain[] = CHAINS;

export const chainById = (id: number): Chain | undefined => knownChains.find((chain) => chain.id === id);

/** A transaction or an address in the chain's explorer; null where there is none. */
export function explorerLink(chain: number, item: string | null | undefined): string | null {
  const explorer = chainById(chain)?.explorer;
  return explorer && item ? `${explorer}/${item.length === 42 ? "address" : "tx"}/${item}` : null;
}

/** Milliseconds between two requests for the head: a few per block on a public chain, four a second on this machine. */
export function pollInterval(chain: number, endpoint: string | null): number {
  if (chain === PRACTICE_CHAIN || chain === LOCAL_CHAIN) return LOCAL_INTERVAL;
  if (endpoint !== null && isLoopback(new URL(endpoint).hostname)) return LOCAL_INTERVAL;
  const blockTime = chainById(chain)?.blockTime ?? 4000;
  return Math.min(3000, Math.max(1000, blockTime / 4));
}

export const isLoopback = (host: string): boolean => host === "localhost" || host === "127.0.0.1";
