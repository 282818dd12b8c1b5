// The chains that the page knows, from chains.json. Other chains work too, through a wallet that is on them.
import type { Chain } from "viem";
import { CHAINS } from "./generated/chains.ts";

export const LOCAL_CHAIN = 31_337;

/** Where the local chain's node is, if the build was given another place than anvil's default. */
const LOCAL_NODE: string | undefined = import.meta.env["VITE_LOCAL_NODE"];

/** In the order of chains.json: public ones with free coins, those with real money, and the local one. */
export const knownChains: readonly Chain[] = CHAINS.map((chain) =>
  chain.id === LOCAL_CHAIN && LOCAL_NODE ? { ...chain, rpcUrls: { default: { http: [LOCAL_NODE] } } } : chain,
);

export const chainById = (id: number): Chain | undefined => knownChains.find((chain) => chain.id === id);

/** A transaction or an address in the chain's explorer; null where there is none. */
export function explorerLink(chain: number, item: string | null | undefined): string | null {
  const explorer = chainById(chain)?.blockExplorers?.default.url;
  return explorer && item ? `${explorer}/${item.length === 42 ? "address" : "tx"}/${item}` : null;
}

/** ethereum.org's list of faucets, for a test network; null where a node gives its players coins itself, and where coins have a price. */
export const faucetLink = (chain: number): string | null =>
  chain !== LOCAL_CHAIN && chainById(chain)?.testnet
    ? "https://ethereum.org/developers/docs/networks/#ethereum-testnets"
    : null;

/** Milliseconds between two requests for the head: a few per block on a public chain, four a second on this machine. */
export function pollInterval(chain: number): number {
  if (chain === LOCAL_CHAIN) return 250;
  const blockTime = chainById(chain)?.blockTime ?? 4000;
  return Math.min(3000, Math.max(1000, blockTime / 4));
}
