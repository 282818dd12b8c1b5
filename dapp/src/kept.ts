// The pending transaction, kept across a reload. Other pages of the same host can write to the same storage, so it is checked.
import { asHash, asRecord } from "./answers.ts";
import { parseAddress, parseChain, type TableLink } from "./link.ts";
import { recall, remember } from "./memory.ts";
import { change, type Pending } from "./state.ts";

/** A deployment has a key of its own, so that opening a table does not lose it. */
const keyOf = ({ action }: Pending): "deploy" | "pending" => (action.kind === "deploy" ? "deploy" : "pending");

export function keep(pending: Pending): void {
  const action = Object.fromEntries(
    Object.entries(pending.action).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === "bigint" ? String(value) : value,
    ]),
  );
  store(pending.action)(keyOf(pending), { ...pending, action });
}

export const forget = (pending: Pending): void => store(pending.action)(keyOf(pending), null);

/** A move belongs to its tab. A table that the player has paid for must survive the tab. */
const store = ({ kind }: Pending["action"]) => (kind === "deploy" ? remember.forAll : remember.session);

const asCount = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;

/** Restores the transaction that was pending at this table, or the deployment that the start page waits for. */
export function resume(table: TableLink | null): void {
  const kept = restored(table === null ? recall.forAll("deploy") : recall.session("pending"), table);
  if (kept !== null) change({ pending: kept });
}

function restored(kept: unknown, table: TableLink | null): Pending | null {
  try {
    const stored = asRecord(kept);
    const at = table === null ? null : asRecord(stored["table"]);
    if (at !== null && (at["address"] !== table?.address || at["chain"] !== table?.chain)) return null;
    const action = actionIn(asRecord(stored["action"]));
    const from = parseAddress(String(stored["from"]));
    const [nonce, moves] = [asCount(stored["nonce"]), asCount(stored["moves"])];
    if (action === null || from === null || moves === null || (action.kind === "deploy") !== (table === null))
      return null;
    const asked = Math.min(asCount(stored["asked"]) ?? 0, Date.now());
    return { action, table, from, phase: "sent", hash: asHash(stored["hash"]), nonce, moves, asked };
  } catch {
    // There is none, or an older page or another one wrote it.
    return null;
  }
}

function actionIn({ kind, cell, number, players, replaces, chain }: Record<string, unknown>): Pending["action"] | null {
  switch (kind) {
    case "move":
      if (!Number.isInteger(cell) || Number(cell) < 0 || Number(cell) > 8) return null;
      return { kind, cell: Number(cell), number: BigInt(String(number)) };
    case "forfeit":
      return { kind, number: BigInt(String(number)) };
    case "newGame": {
      const [x, o] = Array.isArray(players) ? players.map((player) => parseAddress(String(player))) : [];
      return x && o ? { kind, players: [x, o], replaces: BigInt(String(replaces)) } : null;
    }
    case "deploy": {
      const id = parseChain(String(chain));
      return id === null ? null : { kind, chain: id };
    }
    default:
      return null;
  }
}
