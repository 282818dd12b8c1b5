// Who answers for a table's chain: the player's wallet, else an endpoint that the player allowed, else a known one.
import { chainById, PRACTICE_CHAIN } from "./chains.ts";
import { linkTo, type Table } from "./link.ts";
import { recall, remember } from "./memory.ts";
import { endpoint, type Provider } from "./provider.ts";
import { type Reading, state } from "./state.ts";
import { readChain } from "./table.ts";

export interface Source {
  provider: Provider;
  reading: Reading;
  url: string | null;
}

/** Who is asked now. */
let source: Source | null = null;

export const current = (): Source | null => source;

export function use(next: Source | null): void {
  source = next;
}

/** Links whose endpoint the player does not want; until the page is loaded again. */
const refused = new Set<string>();

export function allow(table: Table, yes: boolean): void {
  if (yes) remember.allowed(table);
  else refused.add(linkTo(table));
}

/** Who is to be asked, or what is missing before anybody can be. */
export async function choose(table: Table): Promise<Source | "consent" | "unknownChain"> {
  const wallet = (provider: Provider, name: string): Source => ({ provider, url: null, reading: { kind: "wallet", name } });
  const at = (url: string): Source => ({
    provider: source?.url === url ? source.provider : endpoint(url),
    url,
    reading: { kind: "endpoint", host: new URL(url).host },
  });
  const { connection } = state;
  if (connection?.chain === table.chain) return wallet(connection.wallet.provider, connection.wallet.name);
  if (table.chain === PRACTICE_CHAIN) return "unknownChain";
  if (table.rpc !== null && recall.isAllowed(table)) return at(table.rpc);
  if (table.rpc !== null && !refused.has(linkTo(table))) return "consent";
  const known = chainById(table.chain);
  if (known !== undefined) return at(known.endpoint);
  // The last resort: a wallet that is on this chain already may be asked to read, which needs no permission.
  for (const { provider, name } of state.wallets) {
    if ((await readChain(provider).catch(() => null)) === table.chain) return wallet(provider, name);
  }
  return "unknownChain";
}
