// For a player who is in another tab: the title says when it is their turn.
import { effect } from "@preact/signals";
import { needsPlayer } from "../player.ts";
import { openTable, state } from "../state.ts";
import { text } from "../text.ts";
import { statusText } from "../words.ts";
import { troubleOf } from "./troubleText.ts";

export function startAway(): void {
  effect(() => {
    const { title } = statusText(state);
    if (openTable() === null || troubleOf() !== null) document.title = text.title;
    else document.title = `${needsPlayer(state) ? "● " : ""}${title} · ${text.title}`;
  });
}
