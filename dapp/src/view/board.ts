// The board: a grid as in the WAI-ARIA Authoring Practices. One cell is in the tab order, the arrow keys move between cells,
// and Enter and Space place a mark (a cell is a button, so the browser handles these two).
import { markOfMove, marksOf, winningCells, winningLines, X } from "../rules.ts";
import type { State } from "../state.ts";
import { canMove, cellLabel, pendingMark } from "../words.ts";
import { attribute, byId, make, makeSvg } from "./dom.ts";

const SHAPES = {
  x: ["M23 25c19 15 37 33 54 52", "M77 23C60 40 40 60 24 78"],
  o: ["M53 20c21-2 31 15 28 33-3 20-21 29-36 25-18-5-27-21-23-37 4-13 16-22 33-20"],
};

const buttons: HTMLButtonElement[] = [];

export function buildBoard(onChoose: (cell: number) => void): void {
  const grid = byId("board");
  for (const row of [0, 1, 2]) {
    const line = make("div", { role: "row" });
    for (const col of [0, 1, 2]) {
      const cell = row * 3 + col;
      const button = make("button", { type: "button", role: "gridcell", class: "cell" });
      const glyph = (kind: "x" | "o"): SVGElement =>
        makeSvg("g", { class: `glyph-${kind}` }, ...SHAPES[kind].map((d) => makeSvg("path", { d, pathLength: "1" })));
      const svg = makeSvg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true", focusable: "false" }, glyph("x"), glyph("o"));
      button.append(svg);
      button.tabIndex = cell === 4 ? 0 : -1;
      button.addEventListener("click", () => {
        makeTabStop(cell);
        onChoose(cell);
      });
      button.addEventListener("focus", () => makeTabStop(cell));
      buttons.push(button);
      line.append(button);
    }
    grid.append(line);
  }
  grid.addEventListener("keydown", onKey);
}

/** The cell that the Tab key returns to. */
function makeTabStop(cell: number): void {
  for (const [at, button] of buttons.entries()) button.tabIndex = at === cell ? 0 : -1;
}

function onKey(event: KeyboardEvent): void {
  const cell = buttons.indexOf(document.activeElement as HTMLButtonElement);
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

export function drawBoard(state: State): void {
  const game = state.snapshot?.game ?? null;
  const moves = game?.moves ?? [];
  const marks = marksOf(moves);
  const pending = pendingMark(state);
  const winning = winningCells(marks);
  const open = canMove(state) && state.pending === null;
  const last = moves.at(-1);
  for (const [cell, button] of buttons.entries()) {
    const mark = marks[cell] ?? 0;
    const drawn = mark !== 0 ? mark : pending?.cell === cell ? pending.mark : 0;
    attribute(button, "data-mark", drawn === 0 ? null : drawn === X ? "x" : "o");
    attribute(button, "data-phase", drawn === 0 ? null : mark !== 0 ? "settled" : (state.pending?.phase ?? "asking"));
    attribute(button, "data-last", mark !== 0 && cell === last ? "" : null);
    attribute(button, "data-win", winning.has(cell) ? "" : null);
    attribute(button, "aria-disabled", open && drawn === 0 ? null : "true");
    attribute(button, "aria-label", cellLabel(state, cell, winning));
  }
  const grid = byId("board");
  attribute(grid, "data-turn", open && game?.turn ? (game.turn === X ? "x" : "o") : null);
  attribute(grid, "data-over", winning.size > 0 ? "" : null);
  attribute(grid, "aria-busy", game === null ? "true" : null);
  drawWins(moves);
}

function drawWins(moves: readonly number[]): void {
  const svg = document.querySelector(".board-wins");
  const lines = winningLines(marksOf(moves));
  const key = lines.join("|");
  if (svg === null || svg.getAttribute("data-key") === key) return;
  svg.setAttribute("data-key", key);
  svg.replaceChildren(
    ...lines.map(([from, , to]) => {
      const centre = (cell: number): [number, number] => [(cell % 3) * 100 + 50, Math.floor(cell / 3) * 100 + 50];
      const [[x1, y1], [x2, y2]] = [centre(from), centre(to)];
      // The line extends past the centres of its outer cells.
      const [dx, dy] = [Math.sign(x2 - x1) * 34, Math.sign(y2 - y1) * 34];
      const mark = markOfMove(moves.indexOf(from)) === X ? "x" : "o";
      return makeSvg("path", { d: `M${x1 - dx} ${y1 - dy}L${x2 + dx} ${y2 + dy}`, pathLength: "1", class: `win-${mark}` });
    }),
  );
}
