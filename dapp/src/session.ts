// The open table: it is followed wherever its chain can be read, and the rest of the page is told what was seen.
import { pace, PRACTICE_CHAIN } from "./chains.ts";
import { follow, type Follower, type Sight } from "./follower.ts";
import { forgetHistory, readHistory, readMissingHistory } from "./history.ts";
import { go, parseLink, type Table } from "./link.ts";
import { remember } from "./memory.ts";
import { type Game, isOver } from "./rules.ts";
import { allow, choose, current, use } from "./source.ts";
import { change, onChange, openTable, state } from "./state.ts";
import { checkPending, resume, send, settle } from "./transactions.ts";
import { connect, disconnect, MOMENT, walletReturned } from "./wallets.ts";

let follower: Follower | null = null;
/** Rises with every opened table, so that an answer for the last one is known to be late. */
let visit = 0;

// -- opening --------------------------------------------------------------------

export function start(): void {
  window.addEventListener("popstate", enter);
  onChange((now, before) => {
    const moved =
      now.connection?.wallet !== before.connection?.wallet || now.connection?.chain !== before.connection?.chain;
    if (moved || now.wallets !== before.wallets) attachSoon();
    // What was sent may stand in a block before the next look is due.
    if (now.pending?.hash && now.pending.hash !== before.pending?.hash) lookNow();
  });
  enter();
}

function enter(): void {
  visit += 1;
  detach();
  forgetHistory();
  const link = parseLink(location.search);
  change({ link, reading: null, touch: null, sight: null, notice: null, links: null, score: null, pending: null });
  const practising = link.kind === "table" && link.table.chain === PRACTICE_CHAIN;
  // Away from the practice table the player's own wallet is theirs again.
  if (!practising && state.connection?.chain === PRACTICE_CHAIN) disconnect();
  if (link.kind !== "fault") resume(openTable());
  if (practising) void practise();
  else void attach();
}

function detach(): void {
  follower?.stop();
  follower = null;
  use(null);
}

export function allowEndpoint(yes: boolean): void {
  const table = openTable();
  if (table === null || table.rpc === null) return;
  allow(table, yes);
  void attach();
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

/** Rises with every try: a wallet may take seconds to say where it is, and its answer is void after a later try's. */
let tries = 0;

async function attach(): Promise<void> {
  const table = openTable();
  const mine = ++tries;
  if (table === null) return;
  // The wallet of the last visit gets a moment before a public endpoint is asked in its place, and all the time that it
  // may need before the player is asked for anything.
  await Promise.race([walletReturned(), new Promise((resolve) => setTimeout(resolve, MOMENT))]);
  let chosen = await choose(table);
  if (typeof chosen === "string" && mine === tries) {
    await walletReturned();
    chosen = await choose(table);
  }
  if (mine !== tries) return;
  if (typeof chosen === "string") {
    detach();
    change({ reading: { kind: "none", why: chosen }, touch: null });
    return;
  }
  if (current()?.provider === chosen.provider && follower !== null) return;
  detach();
  use(chosen);
  change({ reading: chosen.reading });
  const here = visit;
  follower = follow({
    provider: chosen.provider,
    chain: table.chain,
    table: table.address,
    pace: pace(table.chain, chosen.url),
    shown: state.sight?.head ?? null,
    onSight: (sight) => here === visit && see(sight, table),
    onTouch: (touch) => {
      if (here !== visit || state.touch === touch) return;
      const back = touch === "yes" && state.touch === "no";
      change({ touch });
      if (back) void readMissingHistory();
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
  settle(sight);
  void checkPending();
  void readHistory();
}

/** Says it when the chain has taken moves back that the page had shown as settled. */
function noteReorg(was: Game, now: Game): void {
  if (now.id > was.id) return;
  const kept = now.id < was.id ? 0 : was.moves.findIndex((move, at) => now.moves[at]?.cell !== move.cell);
  if (now.id === was.id && kept === -1 && !(isOver(was.status) && !isOver(now.status))) return;
  const lost = kept === -1 ? 0 : was.moves.length - kept;
  // The same move may stand in another transaction now.
  forgetHistory();
  change({ notice: { kind: "reorg", moves: lost }, links: null });
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
    if (state.connection?.wallet.provider !== wallet.provider) await connect(wallet);
    if (openTable()?.chain !== PRACTICE_CHAIN) go({ chain: PRACTICE_CHAIN, address: table, rpc: null });
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
