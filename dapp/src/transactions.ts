// What the player asks of the chain: from the wallet's question to the block that settles it, over a reload of the page.
import { getCreateAddress } from "viem/utils";
import { pace } from "./chains.ts";
import { toTrouble, type Trouble } from "./failures.ts";
import { type Fate, fateOf } from "./fate.ts";
import type { Sight } from "./follower.ts";
import { go, parseAddress, parseChain, type Table } from "./link.ts";
import { recall, remember } from "./memory.ts";
import { asHash, asRecord, type Provider, toQuantity } from "./provider.ts";
import { type Address, type Hex, isOver, playerOf } from "./rules.ts";
import { current } from "./source.ts";
import { change, onChange, openTable, type Pending, state } from "./state.ts";
import { type Action, encodeAction, readChain, readCode, rehearse } from "./table.ts";
import { switchTo, WrongChain } from "./wallets.ts";

// -- asking ---------------------------------------------------------------------

/** The account that acts: whoever of the player's own has the turn. */
function signer(action: Action): Address | null {
  const accounts = state.connection?.accounts ?? [];
  const game = state.sight?.game;
  if (action.kind !== "newGame" && game && game.turn !== 0) {
    const player = playerOf(game, game.turn);
    return accounts.includes(player) ? player : null;
  }
  return accounts[0] ?? null;
}

export async function send(action: Action): Promise<void> {
  const table = openTable();
  const { connection } = state;
  const from = signer(action);
  const game = state.sight?.game ?? null;
  if (table === null || connection === null || state.pending !== null || game === null) return;
  if (from === null) return fail({ kind: "reason", reason: "not your turn" });
  // What a new game is later than, or what a move comes after.
  const moves = action.kind === "newGame" ? Number(game.id) : game.moves.length;
  const { provider } = connection.wallet;
  const data = encodeAction(action);
  await carry({ action, table, from, phase: "asking", hash: null, nonce: null, moves }, async (isOn) => {
    await switchTo(connection, table);
    // The wallet may see another chain than whoever has answered so far: what it signs for must be a table there, too.
    if ((await readCode(provider, table.address)) !== "table") throw new NoTable();
    await rehearse(provider, from, table.address, data);
    return isOn() ? transact(provider, { from, to: table.address, data }, table.chain) : null;
  });
}

/** Puts a table of the player's own on the chain that the wallet is on. */
export async function deploy(): Promise<void> {
  const { connection } = state;
  const from = connection?.accounts[0];
  if (connection === null || from === undefined || state.pending !== null) return;
  const { chain, wallet } = connection;
  await carry({ action: { kind: "deploy", chain }, table: null, from, phase: "asking", hash: null, nonce: null, moves: 0 }, async (isOn) => {
    const { BYTECODE } = await import("./generated/bytecode.ts");
    if ((await readChain(wallet.provider)) !== chain) throw new WrongChain();
    return isOn() ? transact(wallet.provider, { from, data: BYTECODE }, chain) : null;
  });
}

/** The contract that the wallet sees at the table's address is not this game's. */
class NoTable extends Error {}

function explain(error: unknown): Trouble {
  if (error instanceof WrongChain) return { kind: "wrongChain" };
  if (error instanceof NoTable) return { kind: "notTable" };
  return toTrouble(error);
}

async function carry(pending: Pending, ask: (isOn: () => boolean) => Promise<Hex | null>): Promise<void> {
  // Not when it was settled or given up meanwhile.
  const isOn = (): boolean => state.pending === pending;
  change({ pending, notice: null });
  try {
    const hash = await ask(isOn);
    if (hash === null) return;
    const sent: Pending = { ...pending, phase: "sent", hash };
    const shown = isOn();
    if (shown) change({ pending: sent });
    // A table costs its player money: it is remembered even when the page shows something else by now.
    if (shown || sent.action.kind === "deploy") keep(sent);
  } catch (error) {
    if (isOn()) fail(explain(error));
  }
}

/** The only thing the page ever asks a wallet to sign. The chain in it stops a wallet that has wandered off meanwhile. */
async function transact(provider: Provider, call: { from: Address; to?: Address; data: Hex }, chain: number): Promise<Hex> {
  return asHash(await provider.request({ method: "eth_sendTransaction", params: [{ ...call, chainId: toQuantity(chain) }] }));
}

// -- the end of it --------------------------------------------------------------

function end(notice: Trouble | null): void {
  if (state.pending !== null) remember.session(keyOf(state.pending), null);
  change({ pending: null, notice: notice === null ? null : { kind: "trouble", trouble: notice } });
}

const done = (): void => end(null);

export const fail = (trouble: Trouble): void => end(trouble);

export function stopWaiting(): void {
  const { notice } = state;
  done();
  change({ notice });
}

/** A move or a forfeit is settled when the game shows it, whoever carried it there. */
export function settle({ game }: Sight): void {
  const { pending } = state;
  if (pending === null || game === null) return;
  const { action } = pending;
  if (action.kind === "move") {
    const move = game.moves[pending.moves];
    if (game.id !== action.gameId) fail({ kind: "overwritten" });
    else if (move !== undefined && move.cell === action.cell) done();
    else if (move !== undefined || isOver(game.status)) fail({ kind: "taken" });
  } else if (action.kind === "forfeit") {
    if (game.id !== action.gameId) fail({ kind: "overwritten" });
    else if (isOver(game.status)) done();
  } else if (action.kind === "newGame" && pending.phase === "asking" && game.id > BigInt(pending.moves)) {
    // The same two may both have asked for it: one of the two transactions would end the other's game.
    fail({ kind: "begun" });
  }
}

// -- waiting --------------------------------------------------------------------

/** For how long nothing better must be heard of a transaction before it is given up, in milliseconds. */
const PATIENCE = 5000;

let checking = false;
let checkTimer: ReturnType<typeof setTimeout> | undefined;
/** Since when it looks bad. */
let missing: { hash: Hex; since: number } | null = null;

/** Looks after the transaction that is on its way. */
export async function checkPending(): Promise<void> {
  const { pending } = state;
  if (!pending?.hash || checking) return;
  clearTimeout(checkTimer);
  const provider = answererFor(pending);
  if (provider !== null && document.visibilityState === "visible") {
    checking = true;
    // Out of touch: the follower says so.
    await check(provider, pending, pending.hash).catch(() => null);
    checking = false;
  }
  const chain = chainOf(pending);
  if (state.pending !== null) checkTimer = setTimeout(() => void checkPending(), Math.min(1000, pace(chain, null)));
}

const chainOf = ({ action, table }: Pending): number => (action.kind === "deploy" ? action.chain : (table?.chain ?? 0));

function answererFor(pending: Pending): Provider | null {
  if (pending.action.kind !== "deploy") return current()?.provider ?? null;
  const { connection } = state;
  return connection?.chain === chainOf(pending) ? connection.wallet.provider : null;
}

async function check(provider: Provider, pending: Pending, hash: Hex): Promise<void> {
  const { sight } = state;
  const fate = await fateOf(provider, { ...pending, hash }, sight === null ? "latest" : toQuantity(sight.head.number));
  if (state.pending?.hash !== hash) return;
  if (fate.kind === "waiting") {
    missing = null;
    if (fate.nonce !== pending.nonce) {
      const known = { ...pending, nonce: fate.nonce };
      change({ pending: known });
      keep(known);
    }
    return;
  }
  if (await arrives(provider, pending, fate, sight)) return;
  if (state.pending?.hash !== hash || fate.kind === "mined") return;
  if (missing?.hash !== hash) missing = { hash, since: performance.now() };
  if (performance.now() - missing.since >= PATIENCE) fail({ kind: fate.kind === "covered" ? "replaced" : "dropped" });
}

/** Whether there is now an end of it. */
async function arrives(provider: Provider, pending: Pending, fate: Exclude<Fate, { kind: "waiting" }>, sight: Sight | null): Promise<boolean> {
  const { action, from, nonce } = pending;
  if (fate.kind === "mined" && !fate.receipt.succeeded) {
    fail(await whyRefused(provider, pending, fate.receipt.block));
    return true;
  }
  if (action.kind === "deploy") {
    // Wherever a node says the contract is, a transaction of this account and nonce creates it in one place only. One that
    // was sped up does so too.
    let address = fate.kind === "mined" ? fate.receipt.contract : null;
    if (nonce !== null) address = getCreateAddress({ from, nonce: BigInt(nonce) });
    const code = address === null ? "none" : await readCode(provider, address);
    // A node that is behind has nothing there yet.
    if (address === null || code === "none") return false;
    if (code === "other") {
      fail({ kind: "nonsense" });
      return true;
    }
    done();
    // A chain that nobody knows gets no endpoint into its link: other players bring a wallet that is on it.
    go({ chain: action.chain, address, rpc: null });
    return true;
  }
  if (action.kind !== "newGame" || !sight?.game) return false;
  const { players, id } = sight.game;
  const begun = id > BigInt(pending.moves) && players.join() === action.players.join();
  const settled = fate.kind === "mined" ? sight.head.number >= fate.receipt.block : fate.kind === "covered" && begun;
  if (settled) done();
  return settled;
}

/** Why a block refused it: asked again as of that block. */
async function whyRefused(provider: Provider, { action, from, table }: Pending, block: number): Promise<Trouble> {
  if (action.kind === "deploy" || table === null) return { kind: "reverted" };
  try {
    await rehearse(provider, from, table.address, encodeAction(action), toQuantity(block));
    return { kind: "reverted" };
  } catch (error) {
    const why = toTrouble(error);
    return why.kind === "reason" ? why : { kind: "reverted" };
  }
}

onChange((now, was) => {
  if (now.pending?.hash && now.pending.hash !== was.pending?.hash) void checkPending();
});
document.addEventListener("visibilitychange", () => void checkPending());

// -- over a reload --------------------------------------------------------------

/** A table on its way is remembered by itself, so that a look elsewhere does not lose it. */
const keyOf = ({ action }: Pending): "deploy" | "pending" => (action.kind === "deploy" ? "deploy" : "pending");

function keep(pending: Pending): void {
  const { action } = pending;
  const packed = "gameId" in action ? { ...action, gameId: String(action.gameId) } : action;
  remember.session(keyOf(pending), { ...pending, action: packed });
}

/** What was on its way at this table, or from the start page. */
export function resume(table: Table | null): void {
  try {
    const stored = asRecord(recall.session(table === null ? "deploy" : "pending"));
    const at = table === null ? null : asRecord(stored["table"]);
    if (at !== null && (at["address"] !== table?.address || at["chain"] !== table?.chain)) return;
    const action = actionIn(asRecord(stored["action"]));
    const from = parseAddress(String(stored["from"]));
    const { nonce, moves } = stored;
    if (action === null || from === null || !Number.isSafeInteger(moves) || (action.kind === "deploy") !== (table === null)) return;
    const known = typeof nonce === "number" && Number.isSafeInteger(nonce) && nonce >= 0 ? nonce : null;
    change({ pending: { action, table, from, phase: "sent", hash: asHash(stored["hash"]), nonce: known, moves: Number(moves) } });
  } catch {
    // Nothing is, or it is not ours, or of an older page.
  }
}

function actionIn({ kind, cell, gameId, players, chain }: Record<string, unknown>): Pending["action"] | null {
  switch (kind) {
    case "move":
      if (!Number.isInteger(cell) || Number(cell) < 0 || Number(cell) > 8) return null;
      return { kind, cell: Number(cell), gameId: BigInt(String(gameId)) };
    case "forfeit":
      return { kind, gameId: BigInt(String(gameId)) };
    case "newGame": {
      const [x, o] = Array.isArray(players) ? players.map((player) => parseAddress(String(player))) : [];
      return x && o ? { kind, players: [x, o] } : null;
    }
    case "deploy": {
      const id = parseChain(String(chain));
      return id === null ? null : { kind, chain: id };
    }
    default:
      return null;
  }
}
