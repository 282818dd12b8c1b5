// The open table: where it is read, and the one loop that keeps the board and the pending transaction up to date. The loop polls the
// hash of the newest block, and reads the whole game again whenever the hash has changed. So the board is right after reorgs,
// restarts of the node, sleep and missed blocks.
import { batch, computed, effect, untracked } from "@preact/signals";
import type { Client } from "viem";
import { getChainId } from "viem/actions";
import { chainById, pollInterval } from "./chains.ts";
import { type CodeKind, type Head, readCode, readGame, readHead } from "./contract.ts";
import { forgetHistory, readHistory } from "./history.ts";
import { parseLink, type TableLink } from "./link.ts";
import { remember } from "./memory.ts";
import { clientOf, endpoints, InvalidAnswer, NoAnswer } from "./rpc.ts";
import { type Game, isOver, other, playerOf, playersOf } from "./rules.ts";
import { seat } from "./seat.ts";
import { openTable, report, type Snapshot, type Source, state } from "./state.ts";
import { kept, watch } from "./transactions.ts";

/** What the loop knows of a source, at first. */
const FRESH = {
  /** How many times in a row the node has reported a lower block. */
  lower: 0,
  /** Null until the chain and the code are checked. Reset after failures, because another node may answer. */
  code: null as CodeKind | null,
  failures: 0,
  asked: -Infinity,
  isBusy: false,
};

/** A source, and the table that is read there. `table` is null while the start page deploys a new one. */
type Visit = typeof FRESH & { client: Client; chain: number; table: TableLink | null; head: Head | null };

let visit: Visit | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

// -- opening ------------------------------------------------------------------------

/** Opens what the page's URL names, now and whenever it changes. */
export function start(): void {
  window.addEventListener("popstate", enter);
  document.addEventListener("visibilitychange", lookNow);
  window.addEventListener("online", lookNow);
  window.addEventListener("pageshow", lookNow);
  enter();
  // A link, a wallet, its chain, and the chain of a new table decide where the page reads.
  effect(() => {
    void [state.link.value, state.connection.value, deploying.value];
    // Waits a moment for the wallet used last time, which is preferred to an endpoint.
    if (!state.isReturning.value) untracked(attach);
  });
  // A transaction was sent or has ended: the board may be about to change.
  effect(() => {
    void sent.value;
    untracked(lookNow);
  });
}

const sent = computed(() => (state.pending.value?.phase === "sent" ? state.pending.value.hash : null));

const deploying = computed(() => (state.pending.value?.kind === "deploy" ? state.pending.value.chain : null));

function enter(): void {
  leave();
  const link = parseLink(location.search);
  batch(() => {
    for (const field of ["source", "nodeStatus", "snapshot", "notice", "links", "score", "dialog"] as const)
      state[field].value = null;
    state.link.value = link;
    state.pending.value = link.kind === "damaged" ? null : kept(openTable());
  });
}

function leave(): void {
  visit = null;
  forgetHistory();
  clearTimeout(timer);
}

function attach(): void {
  const table = openTable();
  const chain = table?.chain ?? deploying.value;
  if (chain === null) return leave();
  const [source, client] = sourceOf(chain);
  if (visit?.client === client && visit?.table === table) return;
  leave();
  state.source.value = source;
  if (client === null) return void (state.nodeStatus.value = null);
  visit = { ...FRESH, client, chain, table, head: state.snapshot.value?.head ?? null };
  void look(visit);
}

// -- where to read --------------------------------------------------------------------

/** One client for the endpoints of each chain: it knows which one answered last. */
const known = new Map<number, Client>();

/** The player's wallet if it is on the chain, else the endpoints of the build, if they have the chain. */
function sourceOf(chain: number): [Source, Client | null] {
  const { value: connection } = state.connection;
  if (connection?.chain === chain) return ["wallet", clientOf(connection.wallet.provider)];
  const urls = chainById(chain)?.rpcUrls.default.http;
  if (urls === undefined) return ["none", null];
  const client = known.get(chain) ?? endpoints(urls, chain);
  known.set(chain, client);
  return ["endpoint", client];
}

// -- the loop -------------------------------------------------------------------------

const LONGEST_PAUSE = 30_000;
/** Milliseconds between two looks of a hidden page that waits for somebody. Otherwise a hidden page asks nothing. */
const HIDDEN_INTERVAL = 15_000;
/** The longest pause between two looks while a transaction is pending and nodes answer, in milliseconds. */
const PENDING_INTERVAL = 1000;
/** How many times in a row a node must report a lower block before the page believes it. */
const LOWER_HEADS = 3;

/** Looks at once, unless a look is under way. A hidden page keeps its own interval. */
export function lookNow(): void {
  if (visit === null) return;
  // Shortens the pause. Not 0: the next failure is still an outage.
  visit.failures = Math.min(visit.failures, 1);
  void look(visit);
}

async function look(mine: Visit): Promise<void> {
  clearTimeout(timer);
  if (mine.isBusy) return;
  if (document.visibilityState === "hidden") {
    if (!seat.value.waits) return;
    const rest = mine.asked + HIDDEN_INTERVAL - performance.now();
    if (rest > 0) return void (timer = setTimeout(() => void look(mine), rest));
  }
  Object.assign(mine, { isBusy: true, asked: performance.now() });
  try {
    if (mine.table !== null) await readTable(mine, mine.table);
    mine.failures = 0;
    if (visit === mine && mine.table !== null) state.nodeStatus.value = "connected";
    if (visit === mine) await watch(mine.client, state.snapshot.value);
  } catch (error) {
    mine.failures += 1;
    // A single error may come from a node that is behind. No answer, or a second error while the table is read, is an outage.
    const isOutage = error instanceof NoAnswer || mine.failures > 1;
    // A local node that was restarted may have other code at the table's address.
    if (isOutage || error instanceof InvalidAnswer) mine.code = null;
    if (visit === mine && isOutage) {
      state.nodeStatus.value = "lost";
      forgetHistory();
    }
  }
  mine.isBusy = false;
  if (visit !== mine) return;
  const usual = pollInterval(mine.chain);
  const interval = state.pending.value === null ? usual : Math.min(PENDING_INTERVAL, usual);
  const pause = mine.failures === 0 ? interval : Math.min(LONGEST_PAUSE, usual * 2 ** (mine.failures - 1));
  timer = setTimeout(() => void look(mine), pause);
}

/** Whether the last block is still in the chain of the new one. */
async function follows(client: Client, last: Head, head: Head): Promise<boolean> {
  if (head.parent === last.hash) return true;
  return head.number > last.number && (await readHead(client, last.number)).hash === last.hash;
}

async function readTable(mine: Visit, table: TableLink): Promise<void> {
  const { client } = mine;
  if (mine.code === null && (await getChainId(client)) !== table.chain) {
    mine.head = null;
    throw new NoAnswer("the node serves another chain");
  }
  const head = await readHead(client);
  // An endpoint can have several nodes, some of them a block behind.
  mine.lower = mine.head !== null && head.number < mine.head.number ? mine.lower + 1 : 0;
  if (mine.lower > 0 && mine.lower < LOWER_HEADS) return;
  mine.lower = 0;
  if (mine.head?.hash === head.hash && mine.code !== null) return;
  // A reorg can bring the same moves back in other transactions.
  if (mine.head !== null && !(await follows(client, mine.head, head))) forgetHistory();
  // A table's code stays. Where there is none, any block may bring it.
  const code = mine.code === "table" ? mine.code : await readCode(client, table.address);
  const game = code === "table" ? await readGame(client, table.address, head.number) : null;
  Object.assign(mine, { code, head });
  if (visit === mine) see({ head, code, game }, table, client);
}

// -- seeing ---------------------------------------------------------------------------

function see(snapshot: Snapshot, table: TableLink, client: Client): void {
  const was = state.snapshot.value?.game ?? null;
  const { head, game } = snapshot;
  batch(() => {
    state.snapshot.value = snapshot;
    // Other players, or swapped seats, need a new score.
    if (game === null || was === null || playersOf(was).join() !== playersOf(game).join()) state.score.value = null;
    if (game?.number !== was?.number) state.links.value = null;
    if (game !== null && was !== null) react(was, game);
  });
  if (game === null) return forgetHistory();
  rememberTable(table, game);
  readHistory({ client, table, head: head.number, game });
}

/** Clears what no longer applies. Reports a reorg that removed what the page had shown as mined. */
function react(was: Game, now: Game): void {
  const isSame = now.number === was.number;
  // A dialog asks about one game, so another game closes it.
  if (!isSame && state.dialog.value !== null && state.dialog.value.kind !== "wallets") {
    state.dialog.value = null;
    report({ kind: "overwritten" });
  }
  if (isSame && (was.moves.join() !== now.moves.join() || was.status !== now.status)) state.notice.value = null;
  if (now.number > was.number) return;
  const lost = isSame ? was.moves.findIndex((cell, at) => now.moves[at] !== cell) : 0;
  if (lost === -1 && (!isOver(was.status) || isOver(now.status))) return;
  state.notice.value = { kind: "reorg", moves: lost === -1 ? 0 : was.moves.length - lost };
  state.links.value = null;
  forgetHistory();
}

/** For the list of the player's tables. */
function rememberTable(table: TableLink, game: Game): void {
  const { own } = seat.value;
  if (own[0] === undefined) return;
  const opponent = playerOf(game, other(own[0]));
  const turn = game.turn === null ? "over" : own.includes(game.turn) ? "yours" : "theirs";
  remember.table({ ...table, opponent, turn });
}
