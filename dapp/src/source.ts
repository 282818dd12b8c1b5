// Where the page reads a table from: the player's wallet, else an endpoint of the build, else any wallet on its chain.
import type { Client } from "viem";
import { getChainId } from "viem/actions";
import { chainById } from "./chains.ts";
import type { TableLink } from "./link.ts";
import { clientOf, endpoints, type Provider } from "./provider.ts";
import { change, type SourceInfo, state } from "./state.ts";

export interface Source {
  client: Client;
  info: SourceInfo;
}

let source: Source | null = null;

export const current = (): Source | null => source;

export function use(next: Source | null): void {
  source = next;
}

interface Endpoints {
  client: Client;
  /** The one that answered last. */
  used: string;
}

const known = new Map<number, Endpoints>();

/** The endpoints of a chain; null for one that has none. The page says which of them it reads from. */
function endpointsOf(chain: number): Endpoints | null {
  const found = known.get(chain);
  if (found !== undefined) return found;
  const urls = chainById(chain)?.endpoints ?? [];
  if (urls[0] === undefined) return null;
  const client = endpoints(urls, chain, (url) => {
    made.used = url;
    if (source?.client === client) change({ source: infoOf(url) });
  });
  const made: Endpoints = { client, used: urls[0] };
  known.set(chain, made);
  return made;
}

const infoOf = (url: string): SourceInfo => ({ kind: "endpoint", host: new URL(url).host });

export const publicClient = (chain: number): Client | null => endpointsOf(chain)?.client ?? null;

/** The source for a table; null if no node of its chain is known. */
export async function chooseSource({ chain }: TableLink): Promise<Source | null> {
  const { connection } = state;
  const at = (provider: Provider, name: string): Source => ({
    client: clientOf(provider),
    info: { kind: "wallet", name },
  });
  if (connection?.chain === chain) return at(connection.wallet.provider, connection.wallet.name);
  const found = endpointsOf(chain);
  if (found !== null) return { client: found.client, info: infoOf(found.used) };
  // A wallet that is not connected but already on this chain can still read: that needs no permission.
  for (const { provider, name } of state.wallets) {
    if ((await getChainId(clientOf(provider)).catch(() => null)) === chain) return at(provider, name);
  }
  return null;
}
