// The start page: the player's tables, a board to try at once, a table for two, and a form for a link.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { markName, markOfMove, marksOf, winningLines } from "../rules.ts";
import { fill, text } from "../text.ts";
import { Board } from "./Board.tsx";
import { Button } from "./Button.tsx";
import { Deploy } from "./Deploy.tsx";
import { OpenForm } from "./OpenForm.tsx";
import { YourTables } from "./YourTables.tsx";
import "./NextStep.css";
import "./Status.css";

export function Home() {
  return (
    <section class="home">
      <h1 tabIndex={-1}>{text.home.headline}</h1>
      <YourTables />
      <Practice />
      <div class="side stack">
        <p class="lead">{text.home.pitch}</p>
        <Deploy />
        <OpenForm />
      </div>
    </section>
  );
}

/** A game of both sides by the rules, without a table. It lasts as long as the start page is open. */
function Practice() {
  const stage = useRef<HTMLDivElement>(null);
  const moves = useSignal<readonly number[]>([]);
  const marks = marksOf(moves.value);
  const isWon = winningLines(marks).length > 0;
  const isOver = isWon || moves.value.length === 9;
  const next = markOfMove(moves.value.length);
  const choose = (cell: number): void => {
    if (!isOver && marks[cell] === 0) moves.value = [...moves.value, cell];
  };
  const again = (): void => {
    moves.value = [];
    // The button goes, so the focus returns to the board.
    stage.current?.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus();
  };
  let title = text.home.practise;
  if (isWon) title = fill(text.status.wins, { mark: markName(markOfMove(moves.value.length - 1)) });
  else if (isOver) title = text.status.draw;
  else if (moves.value.length > 0) title = fill(text.status.bothTurn, { mark: markName(next) });
  return (
    <div class="stage stack" ref={stage}>
      <div class="status">
        <div role="status">
          <h2>{title}</h2>
        </div>
        <p class="hint">{text.home.practiseHint}</p>
      </div>
      <Board moves={moves.value} pending={null} turn={isOver ? null : next} choose={choose} />
      <div class="next row">
        {isOver && (
          <Button class="primary" press={again}>
            {text.game.rematch}
          </Button>
        )}
        <Button class={isOver ? undefined : "primary"} press={toDeploy}>
          {text.home.deployTitle}
        </Button>
      </div>
    </div>
  );
}

/** The focus brings the card for a table of one's own onto the screen. */
const toDeploy = (): void => document.querySelector<HTMLElement>(".deploy button.primary")?.focus();
