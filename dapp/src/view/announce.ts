// What a screen reader announces: moves, then whose turn it is or how the game ended, and failures.
import { signal } from "@preact/signals";
import { pendingMark } from "../player.ts";
import { markName, markOfMove } from "../rules.ts";
import type { State } from "../state.ts";
import { fill, text } from "../text.ts";
import { cellName, noticeText, short, statusText } from "../words.ts";

export const said = signal("");
export const alerted = signal("");

let since: State | null = null;

/** Changes that follow from each other are announced together. */
export function announce(now: State, before: State): void {
  if (since === null) setTimeout(() => announceAll(now), 0);
  since ??= before;
}

function announceAll(now: State): void {
  const before = since ?? now;
  since = null;
  const words: string[] = [];
  const [game, was] = [now.snapshot?.game ?? null, before.snapshot?.game ?? null];
  if (now.link === before.link) {
    const account = now.connection?.accounts[0];
    if (account !== undefined && account !== before.connection?.accounts[0]) {
      words.push(fill(text.say.connected, { account: short(account) }));
    } else if (now.connection === null && before.connection !== null) words.push(text.say.disconnected);
    if (before.nodeStatus === "lost" && now.nodeStatus === "connected") words.push(text.say.nodeBack);
  }
  if (game !== null && was !== null && game.number === was.number) {
    for (const [at, cell] of game.moves.entries()) {
      if (at >= was.moves.length)
        words.push(fill(text.say.move, { mark: markName(markOfMove(at)), cell: cellName(cell) }));
    }
  }
  const pending = pendingMark(now);
  const pendingBefore = pendingMark(before);
  if (pending !== null && pending.cell !== pendingBefore?.cell) {
    words.push(fill(text.say.pending, { mark: markName(pending.mark), cell: cellName(pending.cell) }));
  }
  const changed =
    game?.number !== was?.number || game?.status !== was?.status || game?.moves.length !== was?.moves.length;
  if (game !== null && (changed || (before.pending !== null && now.pending === null))) {
    const { title, hint } = statusText(now);
    words.push(fill(text.say.turn, { status: title, hint: hint.replace(/\.$/, "") }) + ".");
  }
  if (words.length > 0) say(said, words.join(" "));
  if (now.notice !== null && now.notice !== before.notice) say(alerted, noticeText(now.notice));
  else if (now.nodeStatus === "lost" && before.nodeStatus !== "lost")
    say(alerted, now.snapshot === null ? text.game.nodeLostFirst : text.game.nodeLost);
}

/** A screen reader announces changes only. A no-break space makes a repeated sentence a new one. */
function say(region: typeof said, words: string): void {
  region.value = region.value === words ? `${words}\u00a0` : words;
}
