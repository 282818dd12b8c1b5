// Everything that the page shows, in one place. Views only read it; `change` is the only way to change it. Every field is a
// signal, so a component that reads a field is drawn again when it changes.
import { batch, signal, untracked } from "@preact/signals";
import type { Action } from "./calls.ts";
import type { Failure } from "./failures.ts";
import type { NodeStatus, Snapshot } from "./follower.ts";
import type { Score } from "./history.ts";
import type { Link, TableLink } from "./link.ts";
import type { Address, Hex } from "./rules.ts";
import type { Connection, Wallet } from "./wallets.ts";

/** A transaction that the player asked for and that is neither in a block nor given up yet. */
export interface Pending {
  action: Action | { kind: "deploy"; chain: number };
  /** None for a table that is being deployed. */
  table: TableLink | null;
  from: Address;
  /** `asking`: the wallet shows it to the player. `sent`: the wallet has returned its hash. */
  phase: "asking" | "sent";
  hash: Hex | null;
  nonce: number | null;
  /** How many moves the game had when the player asked. A move is in when it follows them. */
  moves: number;
  /** When the player asked, in milliseconds since 1970. */
  asked: number;
}

export type Notice =
  { kind: "failure"; failure: Failure } | { kind: "reorg"; moves: number } | { kind: "copied" } | { kind: "notCopied" };

/** Where the page reads the table from. */
export type SourceInfo = { kind: "none" } | { kind: "wallet"; name: string } | { kind: "endpoint"; host: string };

export interface State {
  link: Link;
  source: SourceInfo | null;
  nodeStatus: NodeStatus | null;
  snapshot: Snapshot | null;
  wallets: readonly Wallet[];
  connection: Connection | null;
  /** The wallet of the last visit may still reconnect. Until then the page does not report a missing wallet. */
  returning: boolean;
  /** The connected account has no coins at all on the wallet's chain. */
  isBroke: boolean;
  pending: Pending | null;
  /** The player has waited so long that the page offers to stop waiting. */
  mayStop: boolean;
  notice: Notice | null;
  /** The transactions of a game's moves, null where the endpoint does not return one. Null until the first answer. */
  links: { number: bigint; hashes: readonly (Hex | null)[] } | null;
  score: Score | "unknown" | null;
}

const initial: State = {
  link: { kind: "home" },
  source: null,
  nodeStatus: null,
  snapshot: null,
  wallets: [],
  connection: null,
  returning: false,
  isBroke: false,
  pending: null,
  mayStop: false,
  notice: null,
  links: null,
  score: null,
};

const fields = new Map(Object.entries(initial).map(([name, value]) => [name, signal<unknown>(value)]));

export const state = Object.defineProperties(
  {},
  Object.fromEntries([...fields].map(([name, field]) => [name, { enumerable: true, get: () => field.value }])),
) as Readonly<State>;

export const openTable = (): TableLink | null => (state.link.kind === "table" ? state.link.table : null);

type Listener = (state: State, before: State) => void;
const listeners = new Set<Listener>();
let before: State | null = null;

export function onChange(listener: Listener): void {
  listeners.add(listener);
}

/** Several changes in one task reach the listeners as one, before the next paint. */
export function change(patch: Partial<State>): void {
  if (before === null) {
    before = untracked(() => ({ ...state }));
    queueMicrotask(() => {
      const was = before ?? state;
      before = null;
      for (const listener of listeners) listener(state, was);
    });
  }
  batch(() => {
    for (const [name, value] of Object.entries(patch)) {
      const field = fields.get(name);
      if (field) field.value = value;
    }
  });
}
