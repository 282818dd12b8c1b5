// The one way of a transaction: from the press, through the wallet, to its end. settle.ts decides what the end is.
import { batch, computed, effect } from "@preact/signals";
import type { Client } from "viem";
import { getCreateAddress } from "viem/utils";
import {
  type Action,
  countTransactions,
  encodeAction,
  readCode,
  readGame,
  readTransaction,
  sendTransaction,
  simulate,
} from "./contract.ts";
import { Failed, type Failure, toFailure } from "./failures.ts";
import { go, linkTo, type TableLink } from "./link.ts";
import { recall, remember } from "./memory.ts";
import { clientOf, type Provider } from "./rpc.ts";
import { type Address, type Game, type Hex, isOver, playerOf } from "./rules.ts";
import { seat } from "./seat.ts";
import { isWanted, type Look, type NewCode, settle } from "./settle.ts";
import { openTable, type Pending, report, type Snapshot, state, type Wanted } from "./state.ts";
import { type Connection, switchTo } from "./wallets.ts";

type Sent = Extract<Pending, { phase: "sent" }>;
type Call = Parameters<typeof sendTransaction>[1];

// -- from the press to the hash -----------------------------------------------------

/** The account that signs: of the player's accounts, the one whose turn it is, or the one that plays in the new game. */
function signer(action: Action, game: Game, { accounts }: Connection): Address | null {
  const first = accounts[0] ?? null;
  if (action.kind === "newGame") return accounts.find((account) => action.players.includes(account)) ?? first;
  if (game.turn === null) return first;
  const player = playerOf(game, game.turn);
  return accounts.includes(player) ? player : null;
}

/** Asks the wallet for an action at the open table. */
export async function send(action: Action): Promise<void> {
  const table = openTable();
  const { value: connection } = state.connection;
  const game = state.snapshot.value?.game;
  if (table === null || connection === null || !game || state.pending.value !== null) return;
  const from = signer(action, game, connection);
  if (from === null) return report({ kind: "reason", reason: "not your turn" });
  await carry({ ...action, table, moves: game.moves.length }, from, connection, async (client) => {
    const call = { from, to: table.address, data: encodeAction(action) };
    await switchTo(connection, table.chain);
    // The wallet's node may differ from the one that the page has read so far. What it signs for must be a table there, too.
    if ((await readCode(client, table.address)) !== "table") throw new Failed({ kind: "notTable" });
    await simulate(client, call, "latest");
    return call;
  });
}

/** The next round, with the seats swapped. If the opponent has pressed, too, one game starts: both replace the same one. */
export async function playAgain(): Promise<void> {
  const game = state.snapshot.value?.game;
  if (game && isOver(game.status) && seat.value.own.length > 0)
    await send({ kind: "newGame", players: [game.playerO, game.playerX], replaces: game.number });
}

/** Asks the wallet for a new table. */
export async function deploy(chain: number): Promise<void> {
  const { value: connection } = state.connection;
  const from = connection?.accounts[0];
  if (connection === null || from === undefined || state.pending.value !== null) return;
  await carry({ kind: "deploy", chain }, from, connection, async () => {
    const { BYTECODE } = await import("./generated/bytecode.ts");
    await switchTo(connection, chain);
    return { from, data: BYTECODE };
  });
}

/** The wallets that show a request, also if the player no longer waits for it. A second one beside it would confuse. */
const showing = new WeakSet<Provider>();

async function carry(
  wanted: Wanted,
  from: Address,
  { wallet: { provider } }: Connection,
  prepare: (client: Client) => Promise<Call>,
): Promise<void> {
  if (showing.has(provider)) return report({ kind: "busy" });
  const pending: Pending = { ...wanted, from, asked: Date.now(), phase: "asking" };
  const client = clientOf(provider);
  // False once it has ended, or the page shows something else.
  const isOn = (): boolean => state.pending.value === pending;
  state.pending.value = pending;
  state.notice.value = null;
  try {
    const call = await prepare(client);
    if (!isOn()) return;
    showing.add(provider);
    const hash = await sendTransaction(client, call, chainOf(wanted)).finally(() => showing.delete(provider));
    const sent: Sent = { ...pending, phase: "sent", hash, nonce: null };
    // The player has paid for a table. The page remembers it even if it shows something else by now, or no longer waits.
    const isDeploy = wanted.kind === "deploy";
    if (isOn() || isDeploy) keep(sent);
    const isHome = state.pending.value === null && state.link.value.kind === "home";
    if (isOn() || (isDeploy && isHome)) state.pending.value = sent;
  } catch (error) {
    const failure = await excuse(toFailure(error), pending, client);
    if (isOn()) end(failure);
  }
}

export const chainOf = (wanted: Wanted): number => (wanted.kind === "deploy" ? wanted.chain : wanted.table.chain);

// -- from the hash to the end -------------------------------------------------------

/** Looks whether the pending transaction has ended. table.ts calls this after each look at the board. */
export async function watch(client: Client, snapshot: Snapshot | null): Promise<void> {
  const { value: pending } = state.pending;
  if (pending === null) return;
  const game = snapshot?.game ?? null;
  let ending = settle(pending, game, null);
  let failure: Failure | null = null;
  if (ending === null && pending.phase === "sent") {
    // When the node does not answer, the loop over the board reports it.
    const look = await lookAt(client, pending, snapshot).catch(() => null);
    if (look === null || state.pending.value !== pending) return;
    ending = settle(pending, game, look);
    if (ending === "reverted" && look.kind === "mined") failure = await whyReverted(client, pending, look.block);
    if (ending === "done" && "code" in look && look.code) return openNew(chainOf(pending), look.code);
    if (look.kind === "waiting" && look.nonce !== pending.nonce) {
      const known: Sent = { ...pending, nonce: look.nonce };
      state.pending.value = known;
      keep(known);
    }
  }
  if (state.pending.value !== pending || ending === null) return;
  end(ending === "done" || ending === "reverted" ? failure : { kind: ending });
}

/** How long a transaction must look replaced or dropped before the page reports it, in milliseconds. */
const SURE_AFTER = 5000;
/** Since when it looks so: nodes lag behind each other, and show a transaction again. */
let missing: { hash: Hex; since: number } | null = null;

/**
 * What has happened to it. Players speed transactions up or cancel them in their wallets, nodes drop them, and two requests in a row
 * can reach two nodes of which one is behind.
 */
async function lookAt(client: Client, pending: Sent, snapshot: Snapshot | null): Promise<Look> {
  const { hash, from } = pending;
  const known = await readTransaction(client, hash);
  const nonce = known?.nonce ?? pending.nonce;
  if (known !== null && known.from !== from) return { kind: "relayed" };
  if (known?.mined) {
    const { succeeded, block } = known.mined;
    const isShown = snapshot !== null && snapshot.head.number >= block;
    return { kind: "mined", succeeded, block, isShown, code: await newCode(client, pending, nonce) };
  }
  const isGone = known === null && nonce !== null;
  const isReplaced = isGone && (await countTransactions(client, from, snapshot?.head.number ?? "latest")) > nonce;
  const isDropped = isGone && !isReplaced && (await countTransactions(client, from, "pending")) <= nonce;
  if (!isReplaced && !isDropped) {
    missing = null;
    return { kind: "waiting", nonce };
  }
  if (missing?.hash !== hash) missing = { hash, since: performance.now() };
  const isSure = performance.now() - missing.since >= SURE_AFTER;
  return { kind: isReplaced ? "replaced" : "dropped", isSure, code: await newCode(client, pending, nonce) };
}

/** The account and the nonce determine the address of a new table, also if it was sped up. A late node has no code there yet. */
async function newCode(client: Client, { kind, from }: Sent, nonce: number | null): Promise<NewCode | null> {
  if (kind !== "deploy" || nonce === null) return null;
  const address = getCreateAddress({ from, nonce: BigInt(nonce) });
  return { address, kind: await readCode(client, address) };
}

/** The reason of a revert: the chain is asked again, as of its block. */
async function whyReverted(client: Client, pending: Sent, block: number): Promise<Failure | null> {
  if (pending.kind === "deploy") return { kind: "reverted" };
  const call = { from: pending.from, to: pending.table.address, data: encodeAction(pending) };
  const failure = await simulate(client, call, block).then(() => null, toFailure);
  return failure?.kind === "reason" ? excuse(failure, pending, client) : { kind: "reverted" };
}

/** A new game that came too late is no failure if the game that came first is the one that the player wanted. */
async function excuse(failure: Failure, pending: Pending, client: Client): Promise<Failure | null> {
  const isLate = failure.kind === "reason" && failure.reason === "not the current game";
  if (pending.kind !== "newGame" || !isLate) return failure;
  const game = await readGame(client, pending.table.address, "latest").catch(() => null);
  // A reorg may have taken back the game that it replaces.
  return game !== null && game.number > pending.replaces && isWanted(pending, game) ? null : failure;
}

// -- the end ------------------------------------------------------------------------

function end(failure: Failure | null): void {
  const { value: pending } = state.pending;
  if (pending !== null) store(pending, null);
  batch(() => {
    state.pending.value = null;
    state.notice.value = failure;
  });
}

function openNew(chain: number, { address }: NewCode): void {
  end(null);
  remember.table({ chain, address, opponent: null, turn: "free" });
  go({ chain, address });
}

/** The wallet may still show it, or a block may still include it. The page only waits no longer. */
export const stopWaiting = (): void => end(null);

/** How long the player waits before the page offers to stop waiting, in milliseconds. Also before a reload. */
const STOP_AFTER = 30_000;
const asked = computed(() => state.pending.value?.asked ?? null);

effect(() => {
  state.mayStop.value = false;
  if (asked.value === null) return undefined;
  const timer = setTimeout(() => (state.mayStop.value = true), asked.value + STOP_AFTER - Date.now());
  return () => clearTimeout(timer);
});

// -- across a reload ----------------------------------------------------------------

/** Changes with the form of `Pending`, so that the page does not read what another version of it has written. */
const VERSION = 2;

/** A move belongs to its tab. A table that the player has paid for must survive the tab, and has a key of its own. */
const store = ({ kind }: Pending, value: unknown): void =>
  kind === "deploy" ? remember.forAll("deploy", value) : remember.session("pending", value);

const keep = (pending: Sent): void => store(pending, { ...pending, version: VERSION });

/** The transaction that was pending at this table, or the deployment that the start page waits for. */
export function kept(table: TableLink | null): Pending | null {
  const stored = table === null ? recall.forAll("deploy") : recall.session("pending");
  const { version, ...pending } = (stored ?? {}) as Sent & { version: unknown };
  if (version !== VERSION || pending.hash?.length !== 66) return null;
  if (pending.kind === "deploy" || table === null) return pending.kind === "deploy" && table === null ? pending : null;
  return pending.table && linkTo(pending.table) === linkTo(table) ? pending : null;
}
