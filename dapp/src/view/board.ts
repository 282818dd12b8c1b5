// The board: a grid as the WAI-ARIA practices describe it. One square is in the tab order, the arrow keys move between the
// squares, Enter and Space place a mark (a square is a button, so the browser brings those two by itself).
import { winningCells, winningLines, X } from "../rules.ts";
import type { State } from "../state.ts";
import { canMove, pendingMark, squareLabel } from "../words.ts";
import { attribute, byId, make, makeSvg } from "./dom.ts";

const SHAPES = {
  x: ["M23 25c19 15 37 33 54 52", "M77 23C60 40 40 60 24 78"],
  o: ["M53 20c21-2 31 15 28 33-3 20-21 29-36 25-18-5-27-21-23-37 4-13 16-22 33-20"],
};

const squares: HTMLButtonElement[] = [];

export function buildBoard(onChoose: (cell: number) => void): void {
  const grid = byId("board");
  for (const row of [0, 1, 2]) {
    const line = make("div", { role: "row" });
    for (const col of [0, 1, 2]) {
      const cell = row * 3 + col;
      const square = make("button", { type: "button", role: "gridcell", class: "square" });
      const glyph = (kind: "x" | "o"): SVGElement =>
        makeSvg("g", { class: `glyph-${kind}` }, ...SHAPES[kind].map((d) => makeSvg("path", { d, pathLength: "1" })));
      const svg = makeSvg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true", focusable: "false" }, glyph("x"), glyph("o"));
      square.append(svg);
      square.tabIndex = cell === 4 ? 0 : -1;
      square.addEventListener("click", () => {
        settle(cell);
        onChoose(cell);
      });
      square.addEventListener("focus", () => settle(cell));
      squares.push(square);
      line.append(square);
    }
    grid.append(line);
  }
  grid.addEventListener("keydown", onKey);
}

/** The square that the Tab key comes back to. */
function settle(cell: number): void {
  for (const [at, square] of squares.entries()) square.tabIndex = at === cell ? 0 : -1;
}

function onKey(event: KeyboardEvent): void {
  const cell = squares.indexOf(document.activeElement as HTMLButtonElement);
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
  squares[target]?.focus();
}

export function drawBoard(state: State): void {
  const game = state.sight?.game ?? null;
  const pending = pendingMark(state);
  const winning = game ? winningCells(game.board) : new Set<number>();
  const open = canMove(state) && state.pending === null;
  const last = game?.moves.at(-1)?.cell;
  for (const [cell, square] of squares.entries()) {
    const mark = game?.board[cell] ?? 0;
    const drawn = mark !== 0 ? mark : pending?.cell === cell ? pending.mark : 0;
    attribute(square, "data-mark", drawn === 0 ? null : drawn === X ? "x" : "o");
    attribute(square, "data-phase", drawn === 0 ? null : mark !== 0 ? "settled" : (state.pending?.phase ?? "asking"));
    attribute(square, "data-last", mark !== 0 && cell === last ? "" : null);
    attribute(square, "data-win", winning.has(cell) ? "" : null);
    // Readable everywhere, playable only where and when the rules allow it.
    attribute(square, "aria-disabled", open && drawn === 0 ? null : "true");
    attribute(square, "aria-label", squareLabel(state, cell, winning));
  }
  const grid = byId("board");
  attribute(grid, "data-turn", open && game && game.turn !== 0 ? (game.turn === X ? "x" : "o") : null);
  attribute(grid, "data-over", winning.size > 0 ? "" : null);
  attribute(grid, "aria-busy", game === null ? "true" : null);
  drawWins(state);
}

function drawWins(state: State): void {
  const board = state.sight?.game?.board ?? [];
  const svg = document.querySelector(".board-wins");
  const lines = winningLines(board);
  const key = lines.join("|");
  if (svg === null || svg.getAttribute("data-key") === key) return;
  svg.setAttribute("data-key", key);
  svg.replaceChildren(
    ...lines.map(([from, , to]) => {
      const centre = (cell: number): [number, number] => [(cell % 3) * 100 + 50, Math.floor(cell / 3) * 100 + 50];
      const [[x1, y1], [x2, y2]] = [centre(from), centre(to)];
      // A little past the outer squares' centres on both sides.
      const [dx, dy] = [Math.sign(x2 - x1) * 34, Math.sign(y2 - y1) * 34];
      const mark = board[from] === X ? "x" : "o";
      return makeSvg("path", { d: `M${x1 - dx} ${y1 - dy}L${x2 + dx} ${y2 + dy}`, pathLength: "1", class: `win-${mark}` });
    }),
  );
}
