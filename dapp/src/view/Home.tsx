// The start page: the player's tables, a board to try at once, a table for two, and a form for a link.
import { useSignal } from "@preact/signals";
import { state } from "../state.ts";
import { X } from "../rules.ts";
import { text } from "../text.ts";
import { Board } from "./Board.tsx";
import { Deploy } from "./Deploy.tsx";
import { OpenForm } from "./OpenForm.tsx";
import { expectPractice, practiseWith } from "./practice.ts";
import { YourTables } from "./YourTables.tsx";

export function Home() {
  return (
    <section class="home">
      <h1 tabIndex={-1}>{text.home.headline}</h1>
      <YourTables />
      <Try />
      <div class="side stack">
        <p class="lead">{text.home.pitch}</p>
        <Deploy />
        <OpenForm />
      </div>
    </section>
  );
}

/** The practice board. The first click is a move, which the practice table shows as soon as it is loaded. */
function Try() {
  const chosen = useSignal<number | null>(null);
  const loading = state.practice === "loading";
  const choose = (cell: number): void => {
    if (loading) return;
    chosen.value = cell;
    void practiseWith(cell);
  };
  let hint = text.home.practiseHint;
  if (loading) hint = text.home.practiseLoading;
  else if (state.practice === "failed") hint = text.home.practiseFailed;
  const pending = loading && chosen.value !== null ? ({ cell: chosen.value, mark: X, phase: "asking" } as const) : null;
  return (
    <div class="stage stack" onPointerEnter={expectPractice}>
      <div class="status">
        <h2>{text.home.practise}</h2>
        <p class="hint" role="status">
          {hint}
        </p>
      </div>
      <Board moves={[]} pending={pending} turn={loading ? null : X} choose={choose} />
    </div>
  );
}
