// Where the page reads a table from: the player's wallet, else an endpoint that the player allowed, else a known one.
import { readChain } from "./calls.ts";
import { chainById, PRACTICE_CHAIN } from "./chains.ts";
import { linkTo, type TableLink } from "./link.ts";
import { recall, remember } from "./memory.ts";
import { endpoint, type Provider } from "./provider.ts";
import { type SourceInfo, state } from "./state.ts";

export interface Source {
  provider: Provider;
  info: SourceInfo;
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

/** The source for a table, or what is missing: the player's consent, or a node of the chain. */
export async function chooseSource(table: TableLink): Promise<Source | "consent" | "unknownChain"> {
  const wallet = (provider: Provider, name: string): Source => ({ provider, url: null, info: { kind: "wallet", name } });
  const at = (url: string): Source => ({
    provider: source?.url === url ? source.provider : endpoint(url),
    url,
    info: { kind: "endpoint", host: new URL(url).host },
  });
  const { connection } = state;
  if (connection?.chain === table.chain) return wallet(connection.wallet.provider, connection.wallet.name);
  if (table.chain === PRACTICE_CHAIN) return "unknownChain";
  if (table.rpc !== null && recall.isAllowed(table)) return at(table.rpc);
  if (table.rpc !== null && !refused.has(linkTo(table))) return "consent";
  const known = chainById(table.chain);
  if (known !== undefined) return at(known.endpoint);
  // A wallet that is not connected but already on this chain can still read: that needs no permission.
  for (const { provider, name } of state.wallets) {
    if ((await readChain(provider).catch(() => null)) === table.chain) return wallet(provider, name);
  }
  return "unknownChain";
}
