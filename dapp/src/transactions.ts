// What the player asks the wallet for. What ends it is in pending.ts.
import type { Client } from "viem";
import { getChainId } from "viem/actions";
import { type Action, encodeAction, readCode, sendTransaction, simulate } from "./calls.ts";
import { type Failure, toFailure } from "./failures.ts";
import { keep } from "./kept.ts";
import type { TableLink } from "./link.ts";
import { end, explainRevert } from "./pending.ts";
import { canPlayAgain } from "./player.ts";
import { clientOf } from "./provider.ts";
import { type Address, type Hex, playerOf } from "./rules.ts";
import { change, openTable, type Pending, state } from "./state.ts";
import { type Connection, switchTo, WrongChain } from "./wallets.ts";

/** The account that signs: of the player's accounts, the one whose turn it is, or the one that plays in the new game. */
function signer(action: Action): Address | null {
  const accounts = state.connection?.accounts ?? [];
  const game = state.snapshot?.game;
  if (action.kind === "newGame")
    return accounts.find((account) => action.players.includes(account)) ?? accounts[0] ?? null;
  if (!game || game.turn === null) return accounts[0] ?? null;
  const player = playerOf(game, game.turn);
  return accounts.includes(player) ? player : null;
}

/** The next round, with the seats swapped. If the opponent has pressed, too, one game starts: both replace the same one. */
export async function playAgain(): Promise<void> {
  const game = state.snapshot?.game;
  if (game && canPlayAgain(state))
    await send({ kind: "newGame", players: [game.playerO, game.playerX], replaces: game.number });
}

export async function send(action: Action): Promise<void> {
  const table = openTable();
  const { connection, snapshot } = state;
  const from = signer(action);
  if (table === null || connection === null || state.pending !== null || !snapshot?.game) return;
  if (from === null) return end({ kind: "reason", reason: "not your turn" });
  const client = clientOf(connection.wallet.provider);
  const data = encodeAction(action);
  const { game } = snapshot;
  await carry({ action, table, from, moves: game.moves.length, ...NOT_SENT, asked: Date.now() }, async (isOn) => {
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

/** Deploys a new table on the wallet's current chain. */
export async function deploy(): Promise<void> {
  const { connection } = state;
  const from = connection?.accounts[0];
  if (connection === null || from === undefined || state.pending !== null) return;
  const { wallet, chain } = connection;
  const action = { kind: "deploy", chain } as const;
  await carry({ action, table: null, from, moves: 0, ...NOT_SENT, asked: Date.now() }, async (isOn) => {
    const { BYTECODE } = await import("./generated/bytecode.ts");
    const client = clientOf(wallet.provider);
    if ((await getChainId(client)) !== chain) throw new WrongChain();
    return isOn() ? sendTransaction(client, { from, data: BYTECODE }, chain) : null;
  });
}

/** The code that the wallet's node has at the table's address is not a table's. */
class NoTable extends Error {}

async function explain(error: unknown, { action, table }: Pending): Promise<Failure | null> {
  if (error instanceof WrongChain) return { kind: "wrongChain" };
  if (error instanceof NoTable) return { kind: "notTable" };
  const failure = toFailure(error);
  const { connection } = state;
  return connection === null || table === null
    ? failure
    : explainRevert(failure, action, clientOf(connection.wallet.provider), table);
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
    if (sent.action.kind === "deploy" && state.pending === null && state.link.kind === "home")
      change({ pending: sent });
  } catch (error) {
    const failure = await explain(error, pending);
    if (isOn()) end(failure);
  }
}
