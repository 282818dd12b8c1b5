// For a player who is in another tab: the title and the icon say when it is their turn.
import { effect } from "@preact/signals";
import { needsPlayer } from "../player.ts";
import { openTable, state } from "../state.ts";
import { text } from "../text.ts";
import { statusText } from "../words.ts";
import { troubleOf } from "./troubleText.ts";

/** Drawn over the page's own icon. */
const DOT = '<circle cx="24" cy="8" r="8" fill="#bf3a1f" stroke="#fffdf8" stroke-width="2"/></svg>';

export function startAway(): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const plain = icon?.href ?? "";
  let marked: Promise<string> | null = null;
  const iconWithDot = async (): Promise<string> => {
    const svg = await (await fetch(plain)).text();
    return `data:image/svg+xml,${encodeURIComponent(svg.replace("</svg>", DOT))}`;
  };
  effect(() => {
    const atTable = openTable() !== null && troubleOf() === null;
    const turn = atTable && needsPlayer(state);
    const { title } = statusText(state);
    document.title = atTable ? `${turn ? "● " : ""}${title} · ${text.title}` : text.title;
    if (icon === null) return;
    icon.dataset["turn"] = String(turn);
    if (!turn) icon.href = plain;
    else
      void (marked ??= iconWithDot()).then(
        (href) => icon.dataset["turn"] === "true" && (icon.href = href),
        () => (marked = null),
      );
  });
}
