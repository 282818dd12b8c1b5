// Where the page reads a table from: the player's wallet, else an endpoint that the player allowed, else a known one.
import type { Client } from "viem";
import { getChainId } from "viem/actions";
import { chainById, LOCAL_CHAIN, PRACTICE_CHAIN } from "./chains.ts";
import { linkTo, type TableLink } from "./link.ts";
import { recall, remember } from "./memory.ts";
import { clientOf, endpoints } from "./provider.ts";
import { change, type SourceInfo, state } from "./state.ts";

export interface Source {
  client: Client;
  info: SourceInfo;
  /** The first of its endpoints; null for a wallet. */
  url: string | null;
}

let source: Source | null = null;

export const current = (): Source | null => source;

export function use(next: Source | null): void {
  source = next;
}

/** Links whose endpoint the player has refused, until the page is loaded again. */
const refused = new Set<string>();

export function allow(table: TableLink, yes: boolean): void {
  if (yes) remember.allowed(table);
  else refused.add(linkTo(table));
}

interface Endpoints {
  client: Client;
  /** The one that answered last. */
  used: string;
}

const known = new Map<string, Endpoints>();

const infoOf = (url: string): SourceInfo => ({ kind: "endpoint", host: new URL(url).host });

/** The endpoints of a chain. The page says which of them it reads from. */
function readFrom(urls: readonly [string, ...string[]], chain: number): Endpoints {
  const name = `${chain} ${urls.join(" ")}`;
  const found = known.get(name);
  if (found !== undefined) return found;
  const client = endpoints(urls, chain, (url) => {
    made.used = url;
    if (source?.client === client) change({ source: infoOf(url) });
  });
  const made: Endpoints = { client, used: urls[0] };
  known.set(name, made);
  return made;
}

/** The public endpoints of a chain; null for one that has none. A local chain's endpoint may be another chain's. */
export function publicClient(chain: number): Client | null {
  const [first, ...rest] = (chain === LOCAL_CHAIN ? undefined : chainById(chain))?.endpoints ?? [];
  return first === undefined ? null : readFrom([first, ...rest], chain).client;
}

/** The source for a table, or what is missing: the player's consent, or a node of the chain. */
export async function chooseSource(table: TableLink): Promise<Source | "consent" | "unknownChain"> {
  const wallet = (client: Client, name: string): Source => ({ client, url: null, info: { kind: "wallet", name } });
  const at = (first: string, ...rest: string[]): Source => {
    const { client, used } = readFrom([first, ...rest], table.chain);
    return { client, url: first, info: infoOf(used) };
  };
  const { connection } = state;
  if (connection?.chain === table.chain) return wallet(clientOf(connection.wallet.provider), connection.wallet.name);
  if (table.chain === PRACTICE_CHAIN) return "unknownChain";
  if (table.rpc !== null && recall.isAllowed(table)) return at(table.rpc);
  if (table.rpc !== null && !refused.has(linkTo(table))) return "consent";
  const [first, ...rest] = chainById(table.chain)?.endpoints ?? [];
  if (first !== undefined) return at(first, ...rest);
  // A wallet that is not connected but already on this chain can still read: that needs no permission.
  for (const { provider, name } of state.wallets) {
    const client = clientOf(provider);
    if ((await getChainId(client).catch(() => null)) === table.chain) return wallet(client, name);
  }
  return "unknownChain";
}
