// The open table: finds a source for it, follows it, and passes what it sees to the rest of the page.
import type { Client } from "viem";
import { pollInterval } from "./chains.ts";
import { follow, type Follower, type Snapshot } from "./follower.ts";
import { forgetHistory, readHistory, readMissingHistory } from "./history.ts";
import { parseLink, type TableLink } from "./link.ts";
import { resume } from "./kept.ts";
import { remember } from "./memory.ts";
import { ownMarks, waitsForOther } from "./player.ts";
import { type Game, isOver, other, playerOf, playersOf } from "./rules.ts";
import { chooseSource, current, use } from "./source.ts";
import { change, openTable, state } from "./state.ts";

let follower: Follower | null = null;
/** Rises with every table that is opened, so that a late answer for an earlier one is ignored. */
let visit = 0;

// -- opening --------------------------------------------------------------------

/** Opens what the address names, now and whenever it changes. */
export function open(): void {
  window.addEventListener("popstate", enter);
  enter();
}

function enter(): void {
  visit += 1;
  detach();
  forgetHistory();
  const link = parseLink(location.search);
  change({
    link,
    source: null,
    nodeStatus: null,
    snapshot: null,
    notice: null,
    links: null,
    score: null,
    pending: null,
  });
  if (link.kind !== "fault") resume(openTable());
  void attach();
}

function detach(): void {
  follower?.stop();
  follower = null;
  use(null);
}

/** Rises with every try, so that a slow wallet's answer does not undo a later try. */
let tries = 0;

/** Follows the open table through its best source. */
export async function attach(): Promise<void> {
  const table = openTable();
  const mine = ++tries;
  // The wallet of the last visit comes before an endpoint, and gets a moment to return.
  if (table === null || state.returning) return;
  const source = await chooseSource(table);
  if (mine !== tries) return;
  if (source === null) {
    detach();
    change({ source: { kind: "none" }, nodeStatus: null });
    return;
  }
  if (current()?.client === source.client && follower !== null) return;
  detach();
  use(source);
  change({ source: source.info });
  const { client } = source;
  follower = follow({
    client,
    chain: table.chain,
    table: table.address,
    interval: pollInterval(table.chain),
    shown: state.snapshot?.head ?? null,
    waiting: () => waitsForOther(state),
    onSnapshot: (snapshot) => see(snapshot, table, client),
    onNodeStatus: (nodeStatus) => {
      if (state.nodeStatus === nodeStatus) return;
      const back = nodeStatus === "connected" && state.nodeStatus === "lost";
      change({ nodeStatus });
      if (back) readMissingHistory();
    },
  });
}

export const lookNow = (): void => follower?.poke();

// -- seeing ---------------------------------------------------------------------

function see(snapshot: Snapshot, table: TableLink, client: Client): void {
  const was = state.snapshot?.game ?? null;
  const { head, game } = snapshot;
  change({ snapshot });
  if (game === null) {
    change({ links: null, score: null });
    return;
  }
  // The score is between these two players, by their marks.
  if (was === null || playersOf(was).join() !== playersOf(game).join()) change({ score: null });
  if (was !== null) noteReorg(was, game);
  rememberTable(table, game);
  readHistory({ client, table, head: head.number, game });
}

/** What the page has remembered last, so that it does not write the same at every block. */
let remembered = "";

/** For the list of the player's tables. */
function rememberTable(table: TableLink, game: Game): void {
  const own = ownMarks(state);
  if (own[0] === undefined) return;
  const opponent = playerOf(game, own.length === 2 ? own[0] : other(own[0]));
  const known = {
    ...table,
    opponent,
    turn: game.turn === null ? "over" : own.includes(game.turn) ? "yours" : "theirs",
  } as const;
  if (remembered === JSON.stringify(known)) return;
  remembered = JSON.stringify(known);
  remember.table(known);
}

/** Reports a reorg that removed moves which the page had shown as included in a block. */
function noteReorg(was: Game, now: Game): void {
  if (now.number > was.number) return;
  const kept = now.number < was.number ? 0 : was.moves.findIndex((cell, at) => now.moves[at] !== cell);
  if (now.number === was.number && kept === -1 && !(isOver(was.status) && !isOver(now.status))) return;
  const lost = kept === -1 ? 0 : was.moves.length - kept;
  change({ notice: { kind: "reorg", moves: lost }, links: null });
  forgetHistory();
}
