// What happened to a transaction after the wallet sent it. Players speed transactions up or cancel them in their wallets,
// nodes drop them, and two requests in a row can reach two nodes of which one is behind.
import type { Client } from "viem";
import { type Receipt, readReceipt, readTransaction, readTransactionCount } from "./calls.ts";
import type { Address, Hex } from "./rules.ts";

export interface SentTransaction {
  hash: Hex;
  from: Address;
  /** Known once a node has shown the transaction. Some wallets send it to block builders only; then it stays unknown. */
  nonce: number | null;
}

export type Outcome =
  | { kind: "mined"; receipt: Receipt }
  /** In the pool, under this hash or replaced by another one of the same nonce; or sent where the node cannot see it. */
  | { kind: "waiting"; nonce: number | null }
  /** Another account has sent it in the player's name, as wallets that sponsor gas do. */
  | { kind: "relayed" }
  /** A block up to the given one has another transaction with this nonce. */
  | { kind: "replaced" }
  | { kind: "dropped" };

/** One look. `replaced` and `dropped` count only if later looks agree. */
export async function outcomeOf(
  client: Client,
  { hash, from, nonce }: SentTransaction,
  block: number | "latest",
): Promise<Outcome> {
  const receipt = await readReceipt(client, hash);
  if (receipt !== null)
    return receipt.from !== null && receipt.from !== from ? { kind: "relayed" } : { kind: "mined", receipt };
  const transaction = await readTransaction(client, hash);
  if (transaction !== null && transaction.from !== from) return { kind: "relayed" };
  if (transaction !== null) return { kind: "waiting", nonce: transaction.nonce };
  if (nonce === null) return { kind: "waiting", nonce };
  if ((await readTransactionCount(client, from, block)) > nonce) return { kind: "replaced" };
  const next = await readTransactionCount(client, from, "pending");
  return next > nonce ? { kind: "waiting", nonce } : { kind: "dropped" };
}
