// The one place for everything that the page shows. Views read it and never write it; `change` is the only way to.
import type { Score } from "./events.ts";
import type { Trouble } from "./failures.ts";
import type { Sight, Touch } from "./follower.ts";
import type { Link, Table } from "./link.ts";
import type { Address, Hex } from "./rules.ts";
import type { Action } from "./table.ts";
import type { Connection, Wallet } from "./wallets.ts";

/** One thing that the player has asked of the chain and that is not settled yet. */
export interface Pending {
  action: Action | { kind: "deploy"; chain: number };
  /** There is none yet for a table that is being set up. */
  table: Table | null;
  from: Address;
  /** The wallet asks the player; or a transaction is on its way. */
  phase: "asking" | "sent";
  hash: Hex | null;
  nonce: number | null;
  /** How many moves the game had: a move is settled when it stands behind them. */
  moves: number;
}

export type Notice =
  | { kind: "trouble"; trouble: Trouble }
  | { kind: "reorg"; moves: number }
  | { kind: "copied" | "notCopied" };

export type Reading =
  /** Nobody is allowed or able to answer for this chain. */
  | { kind: "none"; why: "consent" | "unknownChain" }
  | { kind: "wallet"; name: string }
  | { kind: "endpoint"; host: string };

export interface State {
  link: Link;
  reading: Reading | null;
  touch: Touch | null;
  sight: Sight | null;
  wallets: readonly Wallet[];
  connection: Connection | null;
  /** The wallet of the last visit may still come back by itself: so long nobody is told that there is none. */
  returning: boolean;
  pending: Pending | null;
  notice: Notice | null;
  /** The transactions of a game's moves, with a hole where nobody tells; null until the first answer. So the score. */
  links: { game: bigint; hashes: readonly (Hex | null)[] } | null;
  score: Score | "unknown" | null;
  practice: "off" | "loading" | "on" | "failed";
}

export const state: State = {
  link: { kind: "home" },
  reading: null,
  touch: null,
  sight: null,
  wallets: [],
  connection: null,
  returning: false,
  pending: null,
  notice: null,
  links: null,
  score: null,
  practice: "off",
};

export const openTable = (): Table | null => (state.link.kind === "table" ? state.link.table : null);

type Listener = (state: State, before: State) => void;
const listeners = new Set<Listener>();
let before: State | null = null;

export function onChange(listener: Listener): void {
  listeners.add(listener);
}

/** Several changes at once are shown as one, before the browser paints next. */
export function change(patch: Partial<State>): void {
  if (before === null) {
    before = { ...state };
    queueMicrotask(() => {
      const was = before ?? state;
      before = null;
      for (const listener of listeners) listener(state, was);
    });
  }
  Object.assign(state, patch);
}
