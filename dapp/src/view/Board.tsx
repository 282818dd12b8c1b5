// The board: a grid as in the WAI-ARIA Authoring Practices. One cell is in the tab order, the arrow keys move between cells,
// and Enter and Space place a mark (a cell is a button, so the browser handles these two).
import { useSignal } from "@preact/signals";
import type { TargetedKeyboardEvent } from "preact";
import { useId } from "preact/hooks";
import { type Mark, markName, marksOf, winningLines, X } from "../rules.ts";
import type { PendingMark } from "../seat.ts";
import { text } from "../text.ts";
import { cellName } from "../words.ts";

interface BoardProps {
  moves: readonly number[];
  pending: PendingMark | null;
  /** The mark that the player may place now. */
  turn: Mark | null;
  /** Whether the game is still being read. */
  busy?: boolean;
  choose: (cell: number) => void;
}

/** A mark in the style sheet. */
export const nameOf = (mark: Mark): "x" | "o" => (mark === X ? "x" : "o");

const STROKES = {
  x: ["M23 25c19 15 37 33 54 52", "M77 23C60 40 40 60 24 78"],
  o: ["M53 20c21-2 31 15 28 33-3 20-21 29-36 25-18-5-27-21-23-37 4-13 16-22 33-20"],
};

/** X and O, drawn with two coloured pencils. */
export function Glyph({ mark }: { mark: Mark }) {
  const name = nameOf(mark);
  return (
    <svg key={name} class={`glyph ink-${name}`} viewBox="0 0 100 100" stroke-width="12" aria-hidden="true">
      {STROKES[name].map((d) => (
        <path key={d} d={d} pathLength="1" />
      ))}
    </svg>
  );
}

export function Board({ moves, pending, turn, busy = false, choose }: BoardProps) {
  /** The cell that the Tab key returns to. */
  const tabStop = useSignal(4);
  const help = useId();
  const marks = marksOf(moves);
  const lines = winningLines(marks);
  const winning = new Set<number>(lines.flat());

  const cellView = (cell: number) => {
    const mark = marks[cell] || null;
    const drawn = mark ?? (pending?.cell === cell ? pending.mark : null);
    const label = [cellName(cell), drawn ? markName(drawn) : text.board.empty];
    if (drawn && !mark) label.push(text.board.pending);
    if (cell === moves.at(-1)) label.push(text.board.last);
    if (winning.has(cell)) label.push(text.board.winning);
    return (
      <button
        key={cell}
        type="button"
        role="gridcell"
        class="cell"
        data-mark={drawn ? nameOf(drawn) : undefined}
        data-phase={drawn ? (mark ? "settled" : pending?.phase) : undefined}
        data-last={cell === moves.at(-1) ? "" : undefined}
        data-win={winning.has(cell) ? "" : undefined}
        aria-disabled={turn && !drawn ? undefined : "true"}
        aria-label={label.join(", ")}
        tabIndex={cell === tabStop.value ? 0 : -1}
        onFocus={() => (tabStop.value = cell)}
        onClick={() => {
          tabStop.value = cell;
          choose(cell);
        }}
      >
        <Glyph mark={drawn ?? turn ?? X} />
      </button>
    );
  };

  return (
    <div class="board">
      <svg viewBox="0 0 300 300" stroke-width="3.4" aria-hidden="true">
        <path d="M101 8c-2 94 2 188-1 284M200 7c2 95-2 188 1 286M8 101c94-2 188 2 284-1M7 200c95 2 188-2 286 1" />
      </svg>
      <div
        role="grid"
        class="cells"
        aria-label={text.board.label}
        aria-describedby={help}
        aria-busy={busy}
        data-turn={turn ? nameOf(turn) : undefined}
        data-over={lines.length > 0 ? "" : undefined}
        onKeyDown={moveFocus}
      >
        {[0, 3, 6].map((row) => (
          <div key={row} role="row">
            {[row, row + 1, row + 2].map(cellView)}
          </div>
        ))}
      </div>
      <svg class="board-wins" viewBox="0 0 300 300" stroke-width="6" aria-hidden="true">
        {lines.map((line) => (
          <path key={line.join()} d={strike(line)} pathLength="1" />
        ))}
      </svg>
      <p id={help} class="unseen">
        {text.board.help}
      </p>
    </div>
  );
}

/** A line that extends past the centres of its outer cells. */
function strike([from, , to]: readonly [number, number, number]): string {
  const centre = (cell: number): [number, number] => [(cell % 3) * 100 + 50, Math.floor(cell / 3) * 100 + 50];
  const [[x1, y1], [x2, y2]] = [centre(from), centre(to)];
  const [dx, dy] = [Math.sign(x2 - x1) * 34, Math.sign(y2 - y1) * 34];
  return `M${x1 - dx} ${y1 - dy}L${x2 + dx} ${y2 + dy}`;
}

function moveFocus(event: TargetedKeyboardEvent<HTMLElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="gridcell"]')];
  const cell = buttons.indexOf(event.target as HTMLElement);
  if (cell === -1 || event.altKey || event.metaKey) return;
  const [row, col] = [Math.floor(cell / 3), cell % 3];
  const targets: Record<string, number> = {
    ArrowLeft: row * 3 + Math.max(0, col - 1),
    ArrowRight: row * 3 + Math.min(2, col + 1),
    ArrowUp: Math.max(0, row - 1) * 3 + col,
    ArrowDown: Math.min(2, row + 1) * 3 + col,
    Home: event.ctrlKey ? 0 : row * 3,
    End: event.ctrlKey ? 8 : row * 3 + 2,
    PageUp: col,
    PageDown: 6 + col,
  };
  const target = targets[event.key];
  if (target === undefined) return;
  event.preventDefault();
  buttons[target]?.focus();
}

/** A control that is pressed and then goes leaves the focus to the board; a dialog returns it first. */
export const focusBoard = (): void =>
  void setTimeout(() => document.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus(), 0);
