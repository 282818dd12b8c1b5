// The transaction that the player asked for, from the wallet's question to the block that includes it, across reloads.
//
// How each kind ends:
//
//   move      the game shows it (`settle`), or its receipt says that it reverted (`check`)
//   forfeit   the game is over (`settle`), or its receipt says that it reverted (`check`)
//   newGame   its receipt (`check`), or a later game whose transaction is not this one (`check`)
//   deploy    the table's code is at its address (`check`)
//
// Any of them also ends when the wallet refuses, when the network drops or replaces it, and when the player stops waiting.
import type { Client } from "viem";
import { getChainId } from "viem/actions";
import { getCreateAddress } from "viem/utils";
import { asHash, asRecord } from "./answers.ts";
import { type Action, encodeAction, hasFactory, readCode, readGame, readHead, type Receipt, sendTransaction, simulate } from "./calls.ts";
import { pollInterval } from "./chains.ts";
import { readStarter } from "./events.ts";
import { type Failure, toFailure } from "./failures.ts";
import type { Snapshot } from "./follower.ts";
import { go, parseAddress, parseChain, type TableLink } from "./link.ts";
import { recall, remember } from "./memory.ts";
import { deployData, FACTORY, parseName, tableAddress } from "./naming.ts";
import { outcomeOf } from "./outcome.ts";
import { canPlayAgain } from "./player.ts";
import { clientOf } from "./provider.ts";
import { type Address, type Game, type Hex, isOver, playerOf, playersOf } from "./rules.ts";
import { current, publicClient } from "./source.ts";
import { change, onChange, openTable, type Pending, state } from "./state.ts";
import { type Connection, switchTo, WrongChain } from "./wallets.ts";

type NewGame = Extract<Action, { kind: "newGame" }>;

// -- asking ---------------------------------------------------------------------

/** The account that signs: of the player's accounts, the one whose turn it is, or the one that plays in the new game. */
function signer(action: Action): Address | null {
  const accounts = state.connection?.accounts ?? [];
  const game = state.snapshot?.game;
  if (action.kind === "newGame") return accounts.find((account) => action.players.includes(account)) ?? accounts[0] ?? null;
  if (!game || game.turn === null) return accounts[0] ?? null;
  const player = playerOf(game, game.turn);
  return accounts.includes(player) ? player : null;
}

/** The next round, with the seats swapped. If the opponent has pressed, too, one game starts: both replace the same one. */
export async function playAgain(): Promise<void> {
  const game = state.snapshot?.game;
  if (game && canPlayAgain(state)) await send({ kind: "newGame", players: [game.playerO, game.playerX], replaces: game.number });
}

export async function send(action: Action): Promise<void> {
  const table = openTable();
  const { connection, snapshot } = state;
  const from = signer(action);
  if (table === null || connection === null || state.pending !== null || !snapshot?.game) return;
  if (from === null) return fail({ kind: "reason", reason: "not your turn" });
  const client = clientOf(connection.wallet.provider);
  const data = encodeAction(action);
  const { head, game } = snapshot;
  await carry({ action, table, from, head: head.number, moves: game.moves.length, ...NOT_SENT, asked: Date.now() }, async (isOn) => {
    await switchTo(connection, table);
    await requireTable(client, table);
    await simulate(client, from, table.address, data);
    return isOn() ? sendTransaction(client, { from, to: table.address, data }, table.chain) : null;
  });
}

const NOT_SENT = { phase: "asking", hash: null, nonce: null } as const;

/** The tables that the wallet's node has shown since it was connected. */
const verified = new WeakMap<Connection, string>();

/** The wallet's node may differ from the one that the page has read so far. What it signs for must be a table there, too. */
async function requireTable(client: Client, table: TableLink): Promise<void> {
  const { connection } = state;
  const name = `${table.chain} ${table.address}`;
  if (connection !== null && verified.get(connection) === name) return;
  if ((await readCode(client, table.address)) !== "table") throw new NoTable();
  if (connection !== null) verified.set(connection, name);
}

/** Deploys a new table on the wallet's current chain, or the table with a name on its chain. */
export async function deploy(named: TableLink | null = null): Promise<void> {
  const { connection } = state;
  const from = connection?.accounts[0];
  if (connection === null || from === undefined || state.pending !== null) return;
  const { wallet } = connection;
  const { chain, name } = named ?? { chain: connection.chain, name: undefined };
  const action = { kind: "deploy", chain, ...(name === undefined ? {} : { name }) } as const;
  await carry({ action, table: null, from, head: 0, moves: 0, ...NOT_SENT, asked: Date.now() }, async (isOn) => {
    const { BYTECODE } = await import("./generated/bytecode.ts");
    const client = clientOf(wallet.provider);
    if (named !== null) await switchTo(connection, named);
    if ((await getChainId(client)) !== chain) throw new WrongChain();
    if (name !== undefined && !(await hasFactory(client))) throw new NoFactory();
    const call: { to?: Address; data: Hex } = name === undefined ? { data: BYTECODE } : { to: FACTORY, data: deployData(name, BYTECODE) };
    return isOn() ? sendTransaction(client, { from, ...call }, chain) : null;
  });
}

/** The code that the wallet's node has at the table's address is not a table's. */
class NoTable extends Error {}

/** The chain has no factory for tables with names. */
class NoFactory extends Error {}

async function explain(error: unknown, { action, table }: Pending): Promise<Failure> {
  if (error instanceof WrongChain) return { kind: "wrongChain" };
  if (error instanceof NoFactory) return { kind: "noFactory" };
  if (error instanceof NoTable) return { kind: "notTable" };
  const failure = toFailure(error);
  const { connection } = state;
  return connection === null || table === null ? failure : afterRevert(failure, action, clientOf(connection.wallet.provider), table);
}

async function carry(pending: Pending, ask: (isOn: () => boolean) => Promise<Hex | null>): Promise<void> {
  // False once it has ended, or the page shows something else.
  const isOn = (): boolean => state.pending === pending;
  change({ pending, notice: null });
  try {
    const hash = await ask(isOn);
    if (hash === null) return;
    const sent: Pending = { ...pending, phase: "sent", hash };
    const shown = isOn();
    if (shown) change({ pending: sent });
    // The player has paid for a table. The page remembers it even if it shows something else by now, or no longer waits.
    if (shown || sent.action.kind === "deploy") keep(sent);
    if (sent.action.kind === "deploy" && state.pending === null && state.link.kind === "home") change({ pending: sent });
  } catch (error) {
    if (!isOn()) return;
    const failure = await explain(error, pending);
    if (isOn()) fail(failure);
  }
}

// -- the end of it --------------------------------------------------------------

function end(failure: Failure | null): void {
  if (state.pending !== null) store(state.pending.action)(keyOf(state.pending), null);
  change({ pending: null, notice: failure === null ? null : { kind: "failure", failure } });
}

const done = (): void => end(null);

export const fail = (failure: Failure): void => end(failure);

/** How long the player waits before the page offers to stop waiting, in milliseconds. */
export const STOP_AFTER = 30_000;

export function stopWaiting(): void {
  const { notice } = state;
  done();
  change({ notice });
}

let stopTimer: ReturnType<typeof setTimeout> | undefined;

onChange(({ pending }, was) => {
  if (pending?.asked === was.pending?.asked) return;
  clearTimeout(stopTimer);
  change({ mayStop: false });
  if (pending !== null) stopTimer = setTimeout(() => change({ mayStop: true }), pending.asked + STOP_AFTER - Date.now());
});

/** A move or a forfeit ends when the game shows it, under whichever hash. */
export function settle({ game }: Snapshot): void {
  const { pending } = state;
  if (pending === null || game === null) return;
  const { action } = pending;
  if (action.kind !== "move" && action.kind !== "forfeit") return;
  if (game.number !== action.number) return fail({ kind: "overwritten" });
  if (action.kind === "forfeit") {
    if (isOver(game.status)) done();
    return;
  }
  const cell = game.moves[pending.moves];
  if (cell === action.cell) done();
  else if (cell !== undefined || isOver(game.status)) fail({ kind: "taken" });
}

/** What the player reads when a game has started that is not the one they asked for. */
export function alreadyStarted(game: Game, walletAsks = false): Failure {
  const accounts = state.connection?.accounts ?? [];
  const own = playersOf(game).filter((player) => accounts.includes(player)).length;
  return { kind: "started", by: own === 2 ? "you" : own === 1 ? "opponent" : "others", walletAsks };
}

/** A new game that reverts with `not the current game` came too late: the page says who is in the game that came first. */
async function afterRevert(failure: Failure, action: Pending["action"], client: Client, table: TableLink, block?: number): Promise<Failure> {
  if (action.kind !== "newGame" || failure.kind !== "reason" || failure.reason !== "not the current game") return failure;
  try {
    const at = block ?? (await readHead(client)).number;
    return alreadyStarted(await readGame(client, table.address, at));
  } catch {
    return { kind: "started", by: "others", walletAsks: false };
  }
}

// -- waiting --------------------------------------------------------------------

/** How long a transaction must look replaced or dropped before the page reports it, in milliseconds. */
const GIVE_UP_AFTER = 5000;

let checking = false;
let checkTimer: ReturnType<typeof setTimeout> | undefined;
/** Since when it looks replaced or dropped. */
let missing: { hash: Hex; since: number } | null = null;

/** Looks for the outcome of the pending transaction, again and again until there is one. */
export async function checkPending(): Promise<void> {
  const { pending } = state;
  if (pending === null || checking || (pending.hash === null && pending.action.kind !== "newGame")) return;
  clearTimeout(checkTimer);
  const client = clientFor(pending);
  if (client !== null && document.visibilityState === "visible") {
    checking = true;
    // When the node does not answer, the follower reports it.
    await check(client, pending).catch(() => null);
    checking = false;
  }
  const chain = chainOf(pending);
  if (state.pending !== null) checkTimer = setTimeout(() => void checkPending(), Math.min(1000, pollInterval(chain, null)));
}

const chainOf = ({ action, table }: Pending): number => (action.kind === "deploy" ? action.chain : (table?.chain ?? 0));

function clientFor(pending: Pending): Client | null {
  if (pending.action.kind !== "deploy") return current()?.client ?? null;
  const { connection } = state;
  const chain = chainOf(pending);
  return connection?.chain === chain ? clientOf(connection.wallet.provider) : publicClient(chain);
}

async function check(client: Client, pending: Pending): Promise<void> {
  const { action, hash } = pending;
  const { snapshot } = state;
  // A copy with the hash or the nonce filled in is the same transaction.
  const isOn = (): boolean => state.pending?.action === action && state.pending.hash === hash;
  const block = snapshot?.head.number ?? "latest";
  const outcome = hash === null ? null : await outcomeOf(client, { ...pending, hash }, block);
  if (!isOn()) return;
  if (outcome?.kind === "mined") {
    const { receipt } = outcome;
    if (receipt.succeeded) return included(client, pending, receipt, snapshot);
    // Somebody else has deployed the table with this name first.
    if (action.kind === "deploy" && action.name !== undefined && (await deployed(client, pending, null))) return;
    const failure = await whyReverted(client, pending, receipt.block);
    if (isOn()) fail(failure);
    return;
  }
  // The contract accepts only what the player's own account has signed and sent.
  if (outcome?.kind === "relayed") return fail({ kind: "relayed" });
  if (action.kind === "newGame" && snapshot?.game && snapshot.game.number > action.replaces) {
    const starter = await whoStarted(client, pending, action, snapshot.game);
    if (!isOn()) return;
    if (starter === "player") return done();
    if (pending.phase === "asking") return fail(tooLate(action, snapshot.game));
    // Bound to the game that it replaces, it can only revert now. The first game of a table is bound to none.
    if (starter === "other" && action.replaces > 0n) return fail(alreadyStarted(snapshot.game));
    // The logs did not tell. The game that the player wanted is there, so a transaction that was sped up has made it.
    const wanted = playersOf(snapshot.game).join() === action.players.join();
    if (starter === "unknown" && outcome?.kind === "replaced" && wanted) return done();
  }
  if (hash === null || outcome === null) return;
  if (outcome.kind === "waiting") {
    missing = null;
    if (outcome.nonce !== pending.nonce) {
      const known = { ...pending, nonce: outcome.nonce };
      change({ pending: known });
      keep(known);
    }
    return;
  }
  if (action.kind === "deploy" && (await deployed(client, pending, null))) return;
  if (!isOn()) return;
  if (missing?.hash !== hash) missing = { hash, since: performance.now() };
  if (performance.now() - missing.since >= GIVE_UP_AFTER) fail({ kind: outcome.kind });
}

async function included(client: Client, pending: Pending, receipt: Receipt, snapshot: Snapshot | null): Promise<void> {
  if (pending.action.kind === "deploy") await deployed(client, pending, receipt.contract);
  // Moves and forfeits end in `settle`, when the board shows them.
  if (pending.action.kind === "newGame" && snapshot?.game && snapshot.head.number >= receipt.block) done();
}

/** Opens the new table once its code is there. */
async function deployed(client: Client, { action, from, nonce }: Pending, contract: Address | null): Promise<boolean> {
  if (action.kind !== "deploy") return false;
  const { chain, name } = action;
  // The name determines the address, or the account and the nonce, also for a transaction that was sped up. So a node cannot
  // name another.
  const created = nonce === null ? contract : getCreateAddress({ from, nonce: BigInt(nonce) });
  const address = name === undefined ? created : tableAddress(name);
  const code = address === null ? "none" : await readCode(client, address);
  // A node that is behind has no code there yet.
  if (address === null || code === "none") return false;
  if (code === "other") {
    fail({ kind: "invalidAnswer" });
    return true;
  }
  done();
  // The link to a table on an unknown chain has no endpoint: other players bring a wallet on that chain.
  const open = openTable();
  if (open?.chain !== chain || open.address !== address) go({ chain, address, ...(name === undefined ? {} : { name }), rpc: null });
  return true;
}

/** Whose transaction started the game after the one that the player wanted to replace. */
async function whoStarted(client: Client, pending: Pending, action: NewGame, game: Game): Promise<"player" | "other" | "unknown"> {
  const { table, hash, from, nonce, head } = pending;
  if (table === null) return "unknown";
  const number = action.replaces === 0n ? game.number : action.replaces + 1n;
  const starter = await readStarter(client, table.address, number, head + 1).catch(() => null);
  if (starter === null) return "unknown";
  const same = starter.hash === hash || (starter.from === from && (nonce === null || starter.nonce === nonce));
  return same ? "player" : "other";
}

/** A game has started while the wallet still asks about another. */
const tooLate = ({ replaces }: NewGame, game: Game): Failure => (replaces === 0n ? { kind: "begun" } : alreadyStarted(game, true));

/** Why a block has it as reverted: simulated again as of that block. */
async function whyReverted(client: Client, { action, from, table }: Pending, block: number): Promise<Failure> {
  if (action.kind === "deploy" || table === null) return { kind: "reverted" };
  try {
    await simulate(client, from, table.address, encodeAction(action), block);
    return { kind: "reverted" };
  } catch (error) {
    const failure = toFailure(error);
    if (failure.kind !== "reason") return { kind: "reverted" };
    return afterRevert(failure, action, client, table, block);
  }
}

onChange((now, was) => {
  if (now.pending?.hash && now.pending.hash !== was.pending?.hash) void checkPending();
});
document.addEventListener("visibilitychange", () => void checkPending());

// -- across a reload ------------------------------------------------------------

/** A deployment has a key of its own, so that opening a table does not lose it. */
const keyOf = ({ action }: Pending): "deploy" | "pending" => (action.kind === "deploy" ? "deploy" : "pending");

function keep(pending: Pending): void {
  const action = Object.fromEntries(
    Object.entries(pending.action).map(([name, value]: [string, unknown]) => [name, typeof value === "bigint" ? String(value) : value]),
  );
  store(pending.action)(keyOf(pending), { ...pending, action });
}

/** A move belongs to its tab. A table that the player has paid for must survive the tab. */
const store = ({ kind }: Pending["action"]) => (kind === "deploy" ? remember.forAll : remember.session);

const asCount = (value: unknown): number | null => (Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null);

/** Restores the transaction that was pending at this table, or the deployment that the page waits for. */
export function resume(table: TableLink | null): void {
  if (table !== null) restore(recall.session("pending"), table);
  const deploying = table === null || table.name !== undefined;
  if (deploying && state.pending === null) restore(recall.forAll("deploy"), null);
  const { pending } = state;
  const elsewhere = pending?.action.kind === "deploy" && (pending.action.name !== table?.name || pending.action.chain !== table?.chain);
  if (table !== null && elsewhere) change({ pending: null });
}

function restore(kept: unknown, table: TableLink | null): void {
  try {
    const stored = asRecord(kept);
    const at = table === null ? null : asRecord(stored["table"]);
    if (at !== null && (at["address"] !== table?.address || at["chain"] !== table?.chain)) return;
    const action = actionIn(asRecord(stored["action"]));
    const from = parseAddress(String(stored["from"]));
    const [nonce, head, moves] = [asCount(stored["nonce"]), asCount(stored["head"]), asCount(stored["moves"])];
    if (action === null || from === null || head === null || moves === null || (action.kind === "deploy") !== (table === null)) return;
    const asked = Math.min(asCount(stored["asked"]) ?? 0, Date.now());
    change({ pending: { action, table, from, phase: "sent", hash: asHash(stored["hash"]), nonce, head, moves, asked } });
  } catch {
    // There is none, or an older page or another one wrote it.
  }
}

function actionIn({ kind, cell, number, players, replaces, chain, name: words }: Record<string, unknown>): Pending["action"] | null {
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
      const [id, name] = [parseChain(String(chain)), parseName(String(words ?? ""))];
      return id === null ? null : { kind, chain: id, ...(name === null ? {} : { name }) };
    }
    default:
      return null;
  }
}
