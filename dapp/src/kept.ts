// The pending transaction, kept across a reload.
import type { TableLink } from "./link.ts";
import { recall, remember } from "./memory.ts";
import { change, type Pending } from "./state.ts";

/** Changes with the form of `Pending`, so that the page does not read what another version of it has written. */
const VERSION = 1;

/** A move belongs to its tab. A table that the player has paid for must survive the tab, and has a key of its own. */
const store = ({ action }: Pending, value: unknown): void =>
  action.kind === "deploy" ? remember.forAll("deploy", value) : remember.session("pending", value);

export const keep = (pending: Pending): void => store(pending, { ...pending, version: VERSION });

export const forget = (pending: Pending): void => store(pending, null);

/** Restores the transaction that was pending at this table, or the deployment that the start page waits for. */
export function resume(table: TableLink | null): void {
  const found = table === null ? recall.forAll("deploy") : recall.session("pending");
  const { version, ...pending } = (found ?? {}) as Pending & { version: unknown };
  const isHere = pending.table?.chain === table?.chain && pending.table?.address === table?.address;
  if (version === VERSION && isHere && pending.hash?.length === 66) change({ pending: { ...pending, table } });
}
