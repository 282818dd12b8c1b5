// The open table: who answers for its chain, what was seen there last, and what the player has sent to it.
import { chainById, pace, PRACTICE_CHAIN } from "./chains.ts";
import { type Place, readMoveHashes, readScore } from "./events.ts";
import { toTrouble, type Trouble } from "./failures.ts";
import { follow, type Follower, type Sight } from "./follower.ts";
import { linkTo, parseAddress, parseChain, parseLink, type Table } from "./link.ts";
import { recall, remember } from "./memory.ts";
import { asHash, asRecord, endpoint, type Provider, toQuantity } from "./provider.ts";
import { type Address, type Game, type Hex, isOver, playerOf } from "./rules.ts";
import { change, onChange, type Pending, type Reading, state } from "./state.ts";
import {
  type Action,
  encodeAction,
  readChain,
  readCode,
  readNextNonce,
  readNonce,
  readReceipt,
  rehearse,
} from "./table.ts";
import { connect, disconnect, switchTo, WrongChain } from "./wallets.ts";

interface Source {
  provider: Provider;
  reading: Reading;
  url: string | null;
}

let follower: Follower | null = null;
let source: Source | null = null;
/** Rises with every opened table, so that an answer for the last one is known to be late. */
let visit = 0;

export const openTable = (): Table | null => (state.link.kind === "table" ? state.link.table : null);

// -- opening --------------------------------------------------------------------

export function start(): void {
  window.addEventListener("popstate", () => enter());
  onChange((now, before) => {
    const moved =
      now.connection?.wallet !== before.connection?.wallet || now.connection?.chain !== before.connection?.chain;
    if (moved || now.wallets !== before.wallets) attachSoon();
  });
  enter();
}

export function go(table: Table | null): void {
  history.pushState(null, "", table === null ? location.pathname : linkTo(table));
  enter();
}

function enter(): void {
  visit += 1;
  detach();
  const link = parseLink(location.search);
  told = null;
  change({ link, reading: null, touch: null, sight: null, notice: null, links: null, score: null, pending: null });
  const practising = link.kind === "table" && link.table.chain === PRACTICE_CHAIN;
  // Away from the practice table the player's own wallet is theirs again.
  if (!practising && state.connection?.chain === PRACTICE_CHAIN) disconnect(false);
  if (link.kind === "home") resumeDeployment();
  if (link.kind !== "table") return;
  restorePending(link.table);
  if (practising) void practise();
  else void attach();
}

function detach(): void {
  follower?.stop();
  follower = null;
  source = null;
}

/** Who answers for a chain: the player's wallet, else an endpoint that the player allowed, else a known one. */
async function choose(table: Table): Promise<Source | "consent" | "unknownChain"> {
  const wallet = (provider: Provider, name: string): Source => ({ provider, url: null, reading: { kind: "wallet", name } });
  const at = (url: string): Source => ({
    provider: source?.url === url ? source.provider : endpoint(url),
    url,
    reading: { kind: "endpoint", host: new URL(url).host },
  });
  const { connection } = state;
  if (connection?.chain === table.chain) return wallet(connection.wallet.provider, connection.wallet.name);
  if (table.chain === PRACTICE_CHAIN) return "unknownChain";
  if (table.rpc !== null && recall.isAllowed(table)) return at(table.rpc);
  if (table.rpc !== null && !refused.has(linkTo(table))) return "consent";
  const known = chainById(table.chain);
  if (known !== undefined) return at(known.endpoint);
  // The last resort: a wallet that is on this chain already may be asked to read, which needs no permission.
  for (const { provider, name } of state.wallets) {
    if ((await readChain(provider).catch(() => null)) === table.chain) return wallet(provider, name);
  }
  return "unknownChain";
}

/** Links whose endpoint the player does not want; until the page is loaded again. */
const refused = new Set<string>();

export function allowEndpoint(yes: boolean): void {
  const table = openTable();
  if (table === null || table.rpc === null) return;
  if (yes) remember.allowed(table);
  else refused.add(linkTo(table));
  void attach();
}

/** The wallet of the last visit gets a moment to come back before a public endpoint is asked in its place. */
async function lastWallet(): Promise<void> {
  if (recall.wallet() === null) return;
  for (let waited = 0; waited < 300 && state.connection === null; waited += 20) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Who is asked may change a few times in a row, as it does while a page opens; then once in so many milliseconds. */
const ROW = 5;
const CALM = 1000;
let left = ROW;
let counted = 0;
let attachTimer: ReturnType<typeof setTimeout> | undefined;

/** A wallet that wanders to and fro without end does not set off a storm: each change begins with questions. */
function attachSoon(): void {
  const now = performance.now();
  left = Math.min(ROW, left + (now - counted) / CALM);
  counted = now;
  if (left >= 1) {
    left -= 1;
    void attach();
  } else {
    clearTimeout(attachTimer);
    attachTimer = setTimeout(attachSoon, CALM);
  }
}

let waitedForWallet = false;

async function attach(): Promise<void> {
  const table = openTable();
  const mine = visit;
  if (table === null) return;
  if (!waitedForWallet) {
    await lastWallet();
    waitedForWallet = true;
  }
  const chosen = await choose(table);
  if (mine !== visit) return;
  if (typeof chosen === "string") {
    detach();
    change({ reading: { kind: "none", why: chosen }, touch: null });
    return;
  }
  if (source?.provider === chosen.provider && follower !== null) return;
  detach();
  source = chosen;
  change({ reading: chosen.reading });
  follower = follow({
    provider: chosen.provider,
    chain: table.chain,
    table: table.address,
    pace: pace(table.chain, chosen.url),
    onSight: (sight) => mine === visit && see(sight, table),
    onTouch: (touch) => {
      if (mine !== visit || state.touch === touch) return;
      const back = touch === "yes" && state.touch === "no";
      change({ touch });
      // What was not told because nobody answered is asked for again.
      if (back && state.sight?.game) {
        told = null;
        void readHistory(state.sight.game, table, state.sight.head.number);
      }
    },
  });
}

export const lookNow = (): void => follower?.poke();

// -- seeing ---------------------------------------------------------------------

function see(sight: Sight, table: Table): void {
  const was = state.sight?.game ?? null;
  const { game } = sight;
  change({ sight });
  if (sight.code === "table") remember.table(table);
  if (game === null) {
    change({ links: null, score: null });
    return;
  }
  // The score is told by seats, so it belongs to those who sit in them.
  if (was?.players.join() !== game.players.join()) change({ score: null });
  if (was !== null) noteReorg(was, game);
  settleFromGame(game);
  void checkPending();
  void readHistory(game, table, sight.head.number);
}

/** Says it when the chain has taken moves back that the page had shown as settled. */
function noteReorg(was: Game, now: Game): void {
  if (now.id > was.id) return;
  const kept = now.id < was.id ? 0 : was.moves.findIndex((move, at) => now.moves[at]?.cell !== move.cell);
  if (now.id === was.id && kept === -1 && !(isOver(was.status) && !isOver(now.status))) return;
  const lost = kept === -1 ? 0 : was.moves.length - kept;
  // The same move may stand in another transaction now.
  told = null;
  change({ notice: { kind: "reorg", moves: lost }, links: null });
}

/** For what the events were last read, so that nothing is asked twice. */
let told: { provider: Provider; moves: string; round: string } | null = null;

/** The links to transactions, and the score. Whoever answers may not tell them; then the page says so. */
async function readHistory(game: Game, table: Table, head: number): Promise<void> {
  const mine = visit;
  const provider = source?.provider;
  if (provider === undefined) return;
  const before = told?.provider === provider ? told : null;
  const now = { provider, moves: [game.id, ...game.moves.map(({ cell }) => cell)].join(), round: `${game.id} ${game.status}` };
  told = now;
  if (game.status === "NO_GAME") return change({ links: null, score: null });
  const place = (part: "moves" | "round"): Place => ({
    provider,
    table: table.address,
    head,
    wanted: () => mine === visit && told?.provider === provider && told[part] === now[part],
  });
  if (before?.moves !== now.moves && chainById(table.chain)?.explorer) {
    const asked = place("moves");
    const known = state.links?.game === game.id ? state.links.hashes : [];
    const hashes = await readMoveHashes(asked, game, known).catch(() => game.moves.map(() => null));
    if (asked.wanted()) change({ links: { game: game.id, hashes } });
  }
  // The score changes when a round ends or another begins, not with a move.
  if (before?.round !== now.round) {
    const asked = place("round");
    const score = await readScore(asked, game).catch(() => null);
    if (asked.wanted()) change({ score: score ?? "unknown" });
  }
}

// -- sending --------------------------------------------------------------------

/** The account that acts: whoever of the player's own has the turn. */
export function signer(action: Action): Address | null {
  const accounts = state.connection?.accounts ?? [];
  const game = state.sight?.game;
  if (action.kind !== "newGame" && game && game.turn !== 0) {
    const player = playerOf(game, game.turn);
    return accounts.includes(player) ? player : null;
  }
  return accounts[0] ?? null;
}

export function fail(trouble: Trouble): void {
  change({ pending: null, notice: { kind: "trouble", trouble } });
  keepPending();
}

const explain = (error: unknown): Trouble => (error instanceof WrongChain ? { kind: "wrongChain" } : toTrouble(error));

/** Whether nothing has settled or given up this transaction meanwhile. */
const isOn = (pending: Pending): boolean => state.pending === pending;

export async function send(action: Action): Promise<void> {
  const table = openTable();
  const { connection } = state;
  const from = signer(action);
  const game = state.sight?.game ?? null;
  if (table === null || connection === null || state.pending !== null || game === null) return;
  if (from === null) return fail({ kind: "reason", reason: "not your turn" });
  const pending: Pending = {
    action,
    table,
    from,
    phase: "asking",
    hash: null,
    nonce: null,
    // What a new game is later than, or what a move comes after.
    moves: action.kind === "newGame" ? Number(game.id) : game.moves.length,
  };
  change({ pending, notice: null });
  const { provider } = connection.wallet;
  const data = encodeAction(action);
  try {
    await switchTo(connection, table);
    await rehearse(provider, from, table.address, data);
    if (!isOn(pending)) return;
    const hash = await transact(provider, { from, to: table.address, data }, table.chain);
    if (isOn(pending)) change({ pending: { ...pending, phase: "sent", hash } });
    keepPending();
  } catch (error) {
    if (isOn(pending)) fail(explain(error));
  }
  follower?.poke();
}

/** The only thing the page ever asks a wallet to sign. The chain in it stops a wallet that has wandered off meanwhile. */
async function transact(provider: Provider, call: { from: Address; to?: Address; data: Hex }, chain: number): Promise<Hex> {
  return asHash(await provider.request({ method: "eth_sendTransaction", params: [{ ...call, chainId: toQuantity(chain) }] }));
}

export function stopWaiting(): void {
  if (state.pending?.action.kind === "deploy") remember.session("deploy", null);
  change({ pending: null });
  keepPending();
}

/** A transaction is settled when the game shows what it was for, whoever carried it there. */
function settleFromGame(game: Game): void {
  const { pending } = state;
  if (pending === null) return;
  const { action } = pending;
  if (action.kind === "move") {
    const move = game.moves[pending.moves];
    if (game.id !== action.gameId) fail({ kind: "overwritten" });
    else if (move !== undefined && move.cell === action.cell) done();
    else if (move !== undefined || isOver(game.status)) fail({ kind: "taken" });
  } else if (action.kind === "forfeit") {
    if (game.id !== action.gameId) fail({ kind: "overwritten" });
    else if (isOver(game.status)) done();
  } else if (action.kind === "newGame") {
    const same = game.players[0] === action.players[0] && game.players[1] === action.players[1];
    if (game.id > BigInt(pending.moves) && same) done();
  }
}

function done(): void {
  change({ pending: null, notice: null });
  keepPending();
}

// -- waiting --------------------------------------------------------------------

const SECOND = 1000;
let missing = 0;
let checking = false;
let checkTimer: ReturnType<typeof setTimeout> | undefined;

/** What has become of the transaction: mined and failed, replaced by another, forgotten by the network, or still waiting. */
async function checkPending(): Promise<void> {
  const { pending } = state;
  const provider = source?.provider;
  if (pending?.hash === undefined || pending.hash === null || pending.table === null || provider === undefined || checking) return;
  checking = true;
  clearTimeout(checkTimer);
  const { hash, from, table, action } = pending;
  const current = (): boolean => state.pending?.hash === hash;
  try {
    const receipt = await readReceipt(provider, hash);
    if (receipt !== null) {
      missing = 0;
      if (!receipt.succeeded && current()) {
        const block = toQuantity(receipt.block);
        const why =
          action.kind === "deploy"
            ? null
            : await rehearse(provider, from, table.address, encodeAction(action), block).then(
                () => null,
                (error: unknown) => toTrouble(error),
              );
        if (current()) fail(why?.kind === "reason" ? why : { kind: "reverted" });
      }
    } else {
      const nonce = await readNonce(provider, hash);
      if (nonce !== null) {
        missing = 0;
        if (pending.nonce === null && current()) {
          change({ pending: { ...pending, nonce } });
          keepPending();
        }
      } else if (pending.nonce !== null) {
        // Seen once, and gone. Twice, because a block may have come between two of these questions.
        missing += 1;
        const used = (await readNextNonce(provider, from)) > pending.nonce;
        if (used && missing >= 2 && current()) fail({ kind: "replaced" });
        else if (!used && missing >= 3 && current()) fail({ kind: "dropped" });
      }
    }
  } catch {
    // Out of touch: the follower says so.
  }
  checking = false;
  if (state.pending !== null) {
    checkTimer = setTimeout(() => {
      if (document.visibilityState === "visible") void checkPending();
    }, SECOND);
  }
}

onChange((now, was) => {
  if (now.pending?.hash !== was.pending?.hash) missing = 0;
  if (now.pending?.hash && now.pending.hash !== was.pending?.hash) void checkPending();
});
document.addEventListener("visibilitychange", () => void checkPending());

/** What is on its way survives a reload of the page. */
function keepPending(): void {
  const { pending } = state;
  if (pending === null || pending.phase !== "sent") return remember.session("pending", null);
  const { action, ...rest } = pending;
  if (action.kind === "deploy") return; // kept by itself
  const packed = "gameId" in action ? { ...action, gameId: String(action.gameId) } : action;
  remember.session("pending", { ...rest, action: packed });
}

function restorePending(table: Table): void {
  const stored = recall.session("pending") as (Omit<Pending, "action"> & { action: Record<string, unknown> }) | null;
  try {
    if (stored === null || stored.table?.address !== table.address || stored.table.chain !== table.chain) return;
    const { kind, cell, gameId, players } = stored.action;
    const from = parseAddress(stored.from);
    if (from === null || !Number.isSafeInteger(stored.moves)) return;
    let action: Action;
    if (kind === "move" && Number.isInteger(cell) && Number(cell) >= 0 && Number(cell) < 9) {
      action = { kind, cell: Number(cell), gameId: BigInt(String(gameId)) };
    } else if (kind === "forfeit") action = { kind, gameId: BigInt(String(gameId)) };
    else if (kind === "newGame" && Array.isArray(players)) {
      const [x, o] = players.map((player) => parseAddress(String(player)));
      if (!x || !o) return;
      action = { kind, players: [x, o] };
    } else return;
    const nonce = Number.isSafeInteger(stored.nonce) ? stored.nonce : null;
    change({
      pending: { action, table, from, phase: "sent", hash: asHash(stored.hash), nonce, moves: stored.moves },
    });
  } catch {
    // Not ours, or of an older page.
  }
}

// -- a table of one's own -------------------------------------------------------

/** A table on its way. It costs its player money, so it survives a reload of the page, and a look elsewhere meanwhile. */
interface Deployment {
  chain: number;
  from: Address;
  hash: Hex;
}

const deploying = (from: Address, hash: Hex | null): Pending => ({
  action: { kind: "deploy" },
  table: null,
  from,
  phase: hash === null ? "asking" : "sent",
  hash,
  nonce: null,
  moves: 0,
});

export async function deploy(): Promise<void> {
  const { connection } = state;
  const from = connection?.accounts[0];
  if (connection === null || from === undefined || state.pending !== null) return;
  const { provider } = connection.wallet;
  const pending = deploying(from, null);
  change({ pending, notice: null });
  try {
    const { BYTECODE } = await import("./generated/bytecode.ts");
    const chain = await readChain(provider);
    const hash = await transact(provider, { from, data: BYTECODE }, chain);
    remember.session("deploy", { chain, from, hash });
    if (isOn(pending)) await awaitTable({ chain, from, hash });
  } catch (error) {
    if (isOn(pending)) fail(explain(error));
  }
}

/** Waits for the block that brings the table, and sits down at it. */
async function awaitTable({ chain, from, hash }: Deployment): Promise<void> {
  const pending = deploying(from, hash);
  change({ pending });
  while (isOn(pending)) {
    const provider = state.connection?.chain === chain ? state.connection.wallet.provider : null;
    if (provider !== null && document.visibilityState === "visible") {
      const found = await tableOf(provider, hash).catch(() => null);
      if (found !== null && isOn(pending)) {
        remember.session("deploy", null);
        if (typeof found !== "string") return fail(found);
        change({ pending: null });
        // A chain that nobody knows gets no endpoint into its link: other players bring a wallet that is on it.
        return go({ chain, address: found, rpc: null });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, pace(chain, null)));
  }
}

/** The table that a transaction has brought, or why it has not; null while no block has it. */
async function tableOf(provider: Provider, hash: Hex): Promise<Address | Trouble | null> {
  const receipt = await readReceipt(provider, hash);
  if (receipt === null) return null;
  if (!receipt.succeeded) return { kind: "reverted" };
  const { contract } = receipt;
  return contract !== null && (await readCode(provider, contract)) === "table" ? contract : { kind: "nonsense" };
}

function resumeDeployment(): void {
  const stored = recall.session("deploy");
  try {
    const { chain, from, hash } = asRecord(stored);
    const [id, account] = [parseChain(String(chain)), parseAddress(String(from))];
    if (id !== null && account !== null) void awaitTable({ chain: id, from: account, hash: asHash(hash) });
  } catch {
    // There is none, or it is not ours.
  }
}

// -- practice -------------------------------------------------------------------

/** Brings the chain inside the page up, as a wallet like any other, and sits down at its table. */
export async function practise(): Promise<void> {
  if (state.practice === "loading") return;
  change({ practice: "loading" });
  try {
    const { startPractice } = await import("./practice/start.ts");
    const { wallet, table } = await startPractice();
    change({ practice: "on" });
    if (state.connection?.wallet.provider !== wallet.provider) await connect(wallet, false);
    const open = openTable();
    if (open === null || open.chain !== PRACTICE_CHAIN) go({ chain: PRACTICE_CHAIN, address: table, rpc: null });
    else await attach();
  } catch {
    change({ practice: "failed" });
  }
}

/** A new practice game begins by itself: there is nobody to be asked. */
onChange((now) => {
  const [x, o] = now.connection?.accounts ?? [];
  const atPractice = openTable()?.chain === PRACTICE_CHAIN && now.connection?.chain === PRACTICE_CHAIN;
  const ready = now.sight?.game?.status === "NO_GAME" && now.pending === null && now.notice === null;
  if (atPractice && ready && x && o) void send({ kind: "newGame", players: [x, o] });
});
