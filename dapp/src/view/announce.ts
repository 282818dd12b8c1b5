// What a screen reader hears as things happen: the moves, then whose turn it is or how it ended, and what went wrong.
import type { State } from "../state.ts";
import { markName } from "../table.ts";
import { fill, text } from "../text/index.ts";
import { notice, pendingMark, short, square, status } from "../words.ts";
import { byId } from "./dom.ts";

export function announce(now: State, before: State): void {
  const heard: string[] = [];
  const [game, was] = [now.sight?.game ?? null, before.sight?.game ?? null];
  if (now.link === before.link) {
    const account = now.connection?.accounts[0];
    if (account !== undefined && account !== before.connection?.accounts[0]) {
      heard.push(fill(text.say.connected, { account: short(account) }));
    } else if (now.connection === null && before.connection !== null) heard.push(text.say.disconnected);
    if (before.touch === "no" && now.touch === "yes") heard.push(text.say.backInTouch);
  }
  if (game !== null && was !== null && game.id === was.id) {
    for (const { cell, mark } of game.moves.slice(was.moves.length)) {
      heard.push(fill(text.say.move, { mark: markName(mark), square: square(cell) }));
    }
  }
  const pending = pendingMark(now);
  const told = pendingMark(before);
  if (pending !== null && pending.cell !== told?.cell) {
    heard.push(fill(text.say.pending, { mark: markName(pending.mark), square: square(pending.cell) }));
  }
  const changed = game?.id !== was?.id || game?.status !== was?.status || game?.moves.length !== was?.moves.length;
  if (game !== null && (changed || (before.pending !== null && now.pending === null))) {
    const { title, hint } = status(now);
    heard.push(fill(text.say.turn, { status: title, hint: hint.replace(/\.$/, "") }) + ".");
  }
  if (heard.length > 0) say("say", heard.join(" "));
  if (now.notice !== null && now.notice !== before.notice) say("alert", notice(now.notice));
  else if (now.touch === "no" && before.touch !== "no") say("alert", text.game.noTouch);
}

/** The same words twice are to be heard twice: a no-break space more or less is silent and makes them new. */
function say(id: "say" | "alert", words: string): void {
  const region = byId(id);
  region.textContent = region.textContent === words ? `${words}\u00a0` : words;
}
