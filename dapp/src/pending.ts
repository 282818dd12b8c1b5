// The transaction that the player waits for: what has happened to it, and how each kind of it ends.
import type { Client } from "viem";
import { getCreateAddress } from "viem/utils";
import { type Action, encodeAction, readCode, readGame, readHead, simulate } from "./calls.ts";
import { pollInterval } from "./chains.ts";
import { type Failure, toFailure } from "./failures.ts";
import { forget, keep } from "./kept.ts";
import { go, type TableLink } from "./link.ts";
import { remember } from "./memory.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { clientOf } from "./provider.ts";
import { type Address, type Game, type Hex, isOver, markOfMove, playerOf, playersOf } from "./rules.ts";
import { current, publicClient } from "./source.ts";
import { change, type Pending, state } from "./state.ts";

type NewGame = Extract<Action, { kind: "newGame" }>;

type Happened =
  /** The board shows what it does, under whichever hash; or the new table has its code. */
  | "shown"
  /** The table has another game than the one that it is for, or that it starts. */
  | "overtaken"
  /** A later game is there while the wallet still asks. It may be the player's own. */
  | "begun"
  /** The player has moved from elsewhere, or the game is over. */
  | "otherMove"
  | "reverted"
  /** Another account has sent it. */
  | "relayed"
  | "replaced"
  | "dropped"
  /** The new table has the code of something else. */
  | "otherCode";

/** `done` says nothing, `why` asks the chain for the reason. The rest are failures. */
type Ending = "done" | "why" | "begun" | "overwritten" | "taken" | "relayed" | "replaced" | "dropped" | "invalidAnswer";

/**
 * How each kind of transaction ends; null where that cannot happen to it. Every kind also ends when the wallet refuses
 * (transactions.ts) and when the player stops waiting.
 */
const ENDINGS: Readonly<Record<Happened, Readonly<Record<Pending["action"]["kind"], Ending | null>>>> = {
  shown: { move: "done", forfeit: "done", newGame: "done", deploy: "done" },
  overtaken: { move: "overwritten", forfeit: "overwritten", newGame: "overwritten", deploy: null },
  begun: { move: null, forfeit: null, newGame: "begun", deploy: null },
  otherMove: { move: "taken", forfeit: null, newGame: null, deploy: null },
  reverted: { move: "why", forfeit: "why", newGame: "why", deploy: "why" },
  relayed: { move: "relayed", forfeit: "relayed", newGame: "relayed", deploy: "relayed" },
  replaced: { move: "replaced", forfeit: "replaced", newGame: "replaced", deploy: "replaced" },
  dropped: { move: "dropped", forfeit: "dropped", newGame: "dropped", deploy: "dropped" },
  otherCode: { move: null, forfeit: null, newGame: null, deploy: "invalidAnswer" },
};

interface Event {
  kind: Happened;
  /** The block that has it as reverted. */
  block?: number;
  /** The new table. */
  address?: Address;
}

// -- the end --------------------------------------------------------------------

/** Whether the page still waits for it. A copy with the nonce filled in is the same transaction. */
const isOn = ({ action, hash }: Pending): boolean => state.pending?.action === action && state.pending.hash === hash;

export function end(failure: Failure | null): void {
  if (state.pending !== null) forget(state.pending);
  change({ pending: null, notice: failure === null ? null : { kind: "failure", failure } });
}

export function stopWaiting(): void {
  const { notice } = state;
  end(null);
  change({ notice });
}

async function conclude(pending: Pending, { kind, block, address }: Event): Promise<void> {
  const { action, table } = pending;
  const ending = ENDINGS[kind][action.kind];
  if (ending === null) return;
  if (ending === "done") {
    end(null);
    if (action.kind === "deploy" && address) {
      const { chain } = action;
      remember.table({ chain, address, opponent: null, turn: "free" });
      go({ chain, address });
    }
  } else if (ending === "why") {
    const client = clientFor(pending);
    const canAsk = client !== null && table !== null && block !== undefined;
    const failure: Failure | null = canAsk ? await whyReverted(client, pending, table, block) : { kind: "reverted" };
    if (isOn(pending)) end(failure);
  } else end({ kind: ending });
}

const isWanted = ({ players }: NewGame, game: Game): boolean => playersOf(game).join() === players.join();

/** A new game that came too late is no failure if the game that came first is the one that the player wanted. */
export async function explainRevert(
  failure: Failure,
  action: Pending["action"],
  client: Client,
  table: TableLink,
  block?: number,
): Promise<Failure | null> {
  if (action.kind !== "newGame" || failure.kind !== "reason" || failure.reason !== "not the current game")
    return failure;
  try {
    const game = await readGame(client, table.address, block ?? (await readHead(client)).number);
    // A reorg may have taken back the game that it replaces.
    return game.number > action.replaces && isWanted(action, game) ? null : failure;
  } catch {
    return failure;
  }
}

/** Simulates it again as of its block. */
async function whyReverted(
  client: Client,
  { action, from }: Pending,
  table: TableLink,
  block: number,
): Promise<Failure | null> {
  if (action.kind === "deploy") return { kind: "reverted" };
  try {
    await simulate(client, from, table.address, encodeAction(action), block);
    return { kind: "reverted" };
  } catch (error) {
    const failure = toFailure(error);
    return failure.kind === "reason" ? explainRevert(failure, action, client, table, block) : { kind: "reverted" };
  }
}

// -- what has happened ----------------------------------------------------------

/** What the board says about it. A new game is not recognised by the board, because it can be the opponent's. */
function shownBy(game: Game, { action, from, moves }: Pending): Happened | null {
  if (action.kind === "deploy" || action.kind === "newGame") return null;
  if (game.number > action.number) return "overtaken";
  // A reorg has taken its game back, which may be in a block again soon.
  if (game.number < action.number) return null;
  if (action.kind === "forfeit") return isOver(game.status) ? "shown" : null;
  // Not by its place in the list of moves: one from before a reorg may be in front of it now.
  const at = game.moves.indexOf(action.cell);
  if (at !== -1 && playerOf(game, markOfMove(at)) === from) return "shown";
  return game.moves.length > moves || isOver(game.status) ? "otherMove" : null;
}

/** What the node says about it. */
async function askNode(client: Client, pending: Pending): Promise<Event | null> {
  const { action, hash } = pending;
  const { snapshot } = state;
  const outcome =
    hash === null ? null : await outcomeOf(client, { ...pending, hash }, snapshot?.head.number ?? "latest");
  // The contract accepts only what the player's own account has signed and sent.
  if (outcome?.kind === "relayed") return { kind: "relayed" };
  if (outcome?.kind === "mined") {
    const { succeeded, block, contract } = outcome.receipt;
    if (!succeeded) return { kind: "reverted", block };
    if (action.kind === "deploy") return deployedAt(client, pending, contract);
    // Moves and forfeits end when the board shows them.
    const isShown = action.kind === "newGame" && snapshot?.game && snapshot.head.number >= block;
    return isShown ? { kind: "shown" } : null;
  }
  if (action.kind === "newGame" && snapshot?.game && snapshot.game.number > action.replaces) {
    const event = otherGame(pending, action, snapshot.game, outcome);
    if (event !== null) return event;
  }
  if (outcome === null || hash === null) return null;
  if (outcome.kind === "waiting") {
    missing = null;
    if (outcome.nonce !== pending.nonce && isOn(pending)) {
      const known = { ...pending, nonce: outcome.nonce };
      change({ pending: known });
      keep(known);
    }
    return null;
  }
  const deployed = action.kind === "deploy" ? await deployedAt(client, pending, null) : null;
  return deployed ?? (isMissingLong(hash) ? { kind: outcome.kind } : null);
}

/** There is a later game than the one to replace: the one that the player wanted, or another. */
function otherGame({ phase }: Pending, action: NewGame, game: Game, outcome: Outcome | null): Event | null {
  if (phase === "asking") return { kind: "begun" };
  // Bound to the game that it replaces, it can only revert now. The first game of a table is bound to none.
  const isLate = action.replaces > 0n;
  if (isWanted(action, game) && (isLate || outcome?.kind === "replaced")) return { kind: "shown" };
  return isLate ? { kind: "overtaken" } : null;
}

async function deployedAt(client: Client, { from, nonce }: Pending, contract: Address | null): Promise<Event | null> {
  // The account and the nonce determine the address, also for a transaction that was sped up. So a node cannot name another.
  const address = nonce === null ? contract : getCreateAddress({ from, nonce: BigInt(nonce) });
  const code = address === null ? "none" : await readCode(client, address);
  // A node that is behind has no code there yet.
  if (address === null || code === "none") return null;
  return code === "table" ? { kind: "shown", address } : { kind: "otherCode" };
}

/** How long a transaction must look replaced or dropped before the page reports it, in milliseconds. */
const GIVE_UP_AFTER = 5000;
/** Since when it looks so. */
let missing: { hash: Hex; since: number } | null = null;

function isMissingLong(hash: Hex): boolean {
  if (missing?.hash !== hash) missing = { hash, since: performance.now() };
  return performance.now() - missing.since >= GIVE_UP_AFTER;
}

// -- looking again and again ----------------------------------------------------

let asking = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Looks whether the pending transaction has ended, until it has. Every new board and every new hash is a reason to look. */
export async function review(): Promise<void> {
  const { pending, snapshot } = state;
  if (pending === null) return;
  const shown = snapshot?.game ? shownBy(snapshot.game, pending) : null;
  if (shown !== null) return conclude(pending, { kind: shown });
  if (asking || (pending.hash === null && pending.action.kind !== "newGame")) return;
  clearTimeout(timer);
  const client = clientFor(pending);
  if (client !== null && document.visibilityState === "visible") {
    asking = true;
    // When the node does not answer, the follower reports it.
    const event = await askNode(client, pending).catch(() => null);
    asking = false;
    if (event !== null && isOn(pending)) await conclude(pending, event);
  }
  if (state.pending !== null) timer = setTimeout(() => void review(), Math.min(1000, pollInterval(chainOf(pending))));
}

const chainOf = ({ action, table }: Pending): number => (action.kind === "deploy" ? action.chain : (table?.chain ?? 0));

function clientFor(pending: Pending): Client | null {
  if (pending.action.kind !== "deploy") return current()?.client ?? null;
  const { connection } = state;
  const chain = chainOf(pending);
  return connection?.chain === chain ? clientOf(connection.wallet.provider) : publicClient(chain);
}

/** How long the player waits before the page offers to stop waiting, in milliseconds. */
const STOP_AFTER = 30_000;
let stopTimer: ReturnType<typeof setTimeout> | undefined;

/** The player may have waited before a reload, too. */
export function timeTheWait(): void {
  const { pending } = state;
  clearTimeout(stopTimer);
  change({ mayStop: false });
  if (pending !== null)
    stopTimer = setTimeout(() => change({ mayStop: true }), pending.asked + STOP_AFTER - Date.now());
}
