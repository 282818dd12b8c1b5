// Everything that the page shows, as signals: a component or an effect that has read one runs again when it changes. What follows
// from them for the player is in seat.ts.
import { signal } from "@preact/signals";
import type { Action, CodeKind, Head } from "./contract.ts";
import type { Failure } from "./failures.ts";
import type { Score } from "./history.ts";
import type { Link, TableLink } from "./link.ts";
import type { Address, Game, Hex } from "./rules.ts";
import type { Connection, Wallet } from "./wallets.ts";

/** What the page has read last, all of it as of one block. */
export interface Snapshot {
  head: Head;
  code: CodeKind;
  /** Null where the code is not a table's. */
  game: Game | null;
}

/** A new table, or an action at one. `moves` is how many moves its game had when the player asked. */
export type Wanted = { kind: "deploy"; chain: number } | (Action & { table: TableLink; moves: number });

/** A transaction that the player asked for and that is neither in a block nor given up yet. */
export type Pending = Wanted & {
  from: Address;
  /** When, in milliseconds since 1970. */
  asked: number;
} & (
    | /** The wallet shows it to the player. */ { phase: "asking" }
      /** The wallet has returned its hash. The nonce is known once a node has shown it. */
    | { phase: "sent"; hash: Hex; nonce: number | null }
  );

export type Notice = Failure | { kind: "reorg"; moves: number };

/** Where the page reads the table from: a wallet's node, or one that the build knows. */
export type Source = "wallet" | "endpoint" | "none";

export type Dialog =
  /** `wish` is what the player wanted to do when the page asked for a wallet. */
  { kind: "wallets"; wish: (() => void) | null } | { kind: "newGame" } | { kind: "forfeit" };

export const state = {
  link: signal<Link>({ kind: "home" }),
  source: signal<Source | null>(null),
  nodeStatus: signal<"connected" | "lost" | null>(null),
  snapshot: signal<Snapshot | null>(null),
  wallets: signal<readonly Wallet[]>([]),
  connection: signal<Connection | null>(null),
  /** The wallet of the last visit may still reconnect. Until then the page does not report a missing wallet. */
  isReturning: signal(false),
  /** The connected account has no coins at all on the wallet's chain. */
  isBroke: signal(false),
  pending: signal<Pending | null>(null),
  /** The player has waited so long that the page offers to stop waiting. */
  mayStop: signal(false),
  notice: signal<Notice | null>(null),
  /** The transactions of the game's moves, null where the endpoint does not return one. Null until the first answer. */
  links: signal<readonly (Hex | null)[] | null>(null),
  score: signal<Score | "unknown" | null>(null),
  /** One at most. */
  dialog: signal<Dialog | null>(null),
};

export const openTable = (): TableLink | null => (state.link.value.kind === "table" ? state.link.value.table : null);

/** The player who sent the link of the open table as an invitation. */
export const linkSender = (): Address | null => (state.link.value.kind === "table" ? state.link.value.inviter : null);

export const report = (failure: Failure): void => void (state.notice.value = failure);
