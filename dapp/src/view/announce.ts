// For people who do not look at the page: what a screen reader announces, and the title of the tab.
import { effect, signal, untracked } from "@preact/signals";
import { markName, markOfMove } from "../rules.ts";
import { lostText, seat } from "../seat.ts";
import { openTable, state } from "../state.ts";
import { fill, text } from "../text.ts";
import { cellName, noticeText } from "../words.ts";
import { troubleOf } from "./App.tsx";

export const said = signal("");
export const alerted = signal("");

const moment = () => ({
  link: state.link.value,
  game: state.snapshot.value?.game ?? null,
  isLost: state.nodeStatus.value === "lost",
  isPending: state.pending.value !== null,
  notice: state.notice.value,
  mark: seat.value.mark,
  role: [seat.value.own, seat.value.host, seat.value.inviter].join(),
});

type Moment = ReturnType<typeof moment>;

export function startAnnouncing(): void {
  let last = moment();
  let timer: ReturnType<typeof setTimeout> | null = null;
  effect(() => {
    void moment();
    // Changes that follow from each other are announced together.
    timer ??= setTimeout(() => {
      timer = null;
      const now = untracked(moment);
      announce(now, last);
      last = now;
    }, 0);
  });
  effect(() => {
    const { title, isNeeded } = seat.value;
    if (openTable() === null || troubleOf() !== null) document.title = text.title;
    else document.title = `${isNeeded ? "● " : ""}${title} · ${text.title}`;
  });
}

/** Moves, then whose turn it is or how the game ended; and failures. */
function announce(now: Moment, before: Moment): void {
  const words: string[] = [];
  const { game, mark } = now;
  const was = before.game;
  if (now.link === before.link && before.isLost && !now.isLost) words.push(text.say.nodeBack);
  if (game !== null && game.number === was?.number) {
    for (const [at, cell] of game.moves.entries()) {
      if (at >= was.moves.length)
        words.push(fill(text.say.move, { mark: markName(markOfMove(at)), cell: cellName(cell) }));
    }
  }
  if (mark !== null && mark.cell !== before.mark?.cell)
    words.push(fill(text.say.pending, { mark: markName(mark.mark), cell: cellName(mark.cell) }));
  const hasChanged =
    game?.number !== was?.number || game?.status !== was?.status || game?.moves.length !== was?.moves.length;
  const isOther = hasChanged || now.role !== before.role;
  if (game !== null && (isOther || (before.isPending && !now.isPending))) {
    const { title, hint } = seat.peek();
    words.push(`${title}. ${hint}`);
  }
  if (words.length > 0) say(said, words.join(" "));
  // Cleared when it is over, so that a screen reader does not find it later.
  if (now.notice !== before.notice) say(alerted, now.notice === null ? "" : noticeText(now.notice));
  if (now.isLost !== before.isLost && now.notice === null) say(alerted, now.isLost ? lostText() : "");
}

/** A screen reader announces changes only. A no-break space makes a repeated sentence a new one. */
function say(region: typeof said, words: string): void {
  region.value = words !== "" && region.value === words ? `${words}\u00a0` : words;
}
