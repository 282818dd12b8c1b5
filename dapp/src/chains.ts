// The chains that the page knows. Other chains work too, through a wallet on that chain or an `rpc=` in the link.
import { CHAINS } from "./generated/chains.ts";

export interface Chain {
  id: number;
  name: string;
  currency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  endpoint: string;
  explorer: string | null;
  /** Milliseconds between two blocks. */
  blockTime: number;
}

/** The chain inside the page. No public chain has this ID, so no wallet mistakes it for one. */
export const PRACTICE_CHAIN = 3_141_592;
/** The `rdns` of its wallet (EIP-6963). */
export const PRACTICE_WALLET = "practice.tictactoe";
export const LOCAL_CHAIN = 31_337;

export const knownChains: readonly Chain[] = CHAINS;

export const chainById = (id: number): Chain | undefined => knownChains.find((chain) => chain.id === id);

/** Milliseconds between two requests for the head: a few per block on a public chain, many on this machine. */
export function pollInterval(chain: number, endpoint: string | null): number {
  if (chain === PRACTICE_CHAIN || chain === LOCAL_CHAIN) return 40;
  if (endpoint !== null && isLoopback(new URL(endpoint).hostname)) return 40;
  const blockTime = chainById(chain)?.blockTime ?? 4000;
  return Math.min(3000, Math.max(1000, blockTime / 4));
}

export const isLoopback = (host: string): boolean => host === "localhost" || host === "127.0.0.1";
