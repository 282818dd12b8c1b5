// What becomes of a transaction after a wallet has sent it. People speed transactions up and cancel them in their wallets,
// networks forget them, and one question can reach a node that knows less than the one before.
import type { Provider } from "./provider.ts";
import type { Address, Hex } from "./rules.ts";
import { type Receipt, readNonce, readReceipt, readTransactionCount } from "./table.ts";

export interface OnItsWay {
  hash: Hex;
  from: Address;
  /** Known once a node has shown the transaction. Some wallets hand it to block builders only: then never. */
  nonce: number | null;
}

export type Fate =
  | { kind: "mined"; receipt: Receipt }
  /** It waits in the pool, or where nobody can see it; or in its place another one of the same account. */
  | { kind: "waiting"; nonce: number | null }
  /** Its nonce belongs to another transaction, in a block up to the given one. */
  | { kind: "covered" }
  | { kind: "forgotten" };

/** One look. What it says against the transaction counts when later looks say it too. */
export async function fateOf(provider: Provider, { hash, from, nonce }: OnItsWay, block: Hex | "latest"): Promise<Fate> {
  const receipt = await readReceipt(provider, hash);
  if (receipt !== null) return { kind: "mined", receipt };
  const seen = await readNonce(provider, hash);
  if (seen !== null || nonce === null) return { kind: "waiting", nonce: seen ?? nonce };
  if ((await readTransactionCount(provider, from, block)) > nonce) return { kind: "covered" };
  const next = await readTransactionCount(provider, from, "pending");
  return next > nonce ? { kind: "waiting", nonce } : { kind: "forgotten" };
}
