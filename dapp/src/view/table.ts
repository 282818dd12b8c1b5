// The table: status, board, players and score, moves, and where all that comes from.
import { chainById, PRACTICE_CHAIN } from "../chains.ts";
import { linkTo, type Table } from "../link.ts";
import { isOver, type Mark, O, playerOf, X } from "../rules.ts";
import { lookNow } from "../session.ts";
import { change, openTable, type State, state } from "../state.ts";
import { markName } from "../table.ts";
import { send, stopWaiting } from "../transactions.ts";
import { fill, text } from "../text/index.ts";
import { switchTo } from "../wallets.ts";
import { canMove, chainName, notice, ownMarks, short, square, status } from "../words.ts";
import { buildBoard, drawBoard } from "./board.ts";
import { attribute, byId, enable, make, onPress, show, write } from "./dom.ts";
import { askForfeit, askNewGame, openWallets, report } from "./dialogs.ts";

export function buildTable(): void {
  buildBoard(choose);
  byId("stop-waiting").addEventListener("click", stopWaiting);
  onPress("new-game", () => (state.connection === null ? openWallets() : askNewGame()));
  onPress("forfeit", askForfeit);
  byId("notice-close").addEventListener("click", () => change({ notice: null }));
  byId("notice-action").addEventListener("click", act);
  byId("share").addEventListener("click", () => void share());
  for (const mark of [X, O] as const) byId("seats").append(seat(mark));
}

/** A square was chosen: played if it may be, and otherwise the reason is said. */
function choose(cell: number): void {
  const game = state.sight?.game;
  if (!game || state.pending !== null) return;
  if (game.status !== "IN_PROGRESS") return refuse(game.status === "NO_GAME" ? null : "no game in progress");
  if (state.connection === null) return openWallets();
  if (!canMove(state)) return refuse("not your turn");
  if (game.board[cell] !== 0) return refuse("cell is taken");
  void send({ kind: "move", cell, gameId: game.id });
}

function refuse(reason: "no game in progress" | "not your turn" | "cell is taken" | null): void {
  if (reason !== null) change({ notice: { kind: "trouble", trouble: { kind: "reason", reason } } });
}

async function share(): Promise<void> {
  const table = openTable();
  if (table === null) return;
  try {
    await navigator.clipboard.writeText(new URL(linkTo(table), location.href.split("?")[0]).href);
    change({ notice: { kind: "copied" } });
  } catch {
    // No permission, or no secure connection.
    change({ notice: { kind: "notCopied" } });
  }
}

const elsewhere = (now: State): boolean => {
  const table = openTable();
  return table !== null && now.connection !== null && now.connection.chain !== table.chain;
};

/** The one button that a notice can have: whatever helps. */
function act(): void {
  const table = openTable();
  if (state.notice === null && state.touch === "no") return lookNow();
  if (table !== null && state.connection !== null && elsewhere(state)) {
    void switchTo(state.connection, table).then(() => change({ notice: null }), report);
  }
}

function seat(mark: Mark): HTMLElement {
  return make(
    "li",
    { class: "seat", "data-seat": markName(mark).toLowerCase() },
    make("span", { class: "seat-mark", "aria-hidden": "true" }, markName(mark)),
    make("span", { class: "seat-who" }),
    make("span", { class: "seat-wins", "aria-hidden": "true" }),
  );
}

export function drawTable(now: State): void {
  const table = openTable();
  if (table === null) return;
  const words = status(now);
  write(byId("status-title"), words.title);
  write(byId("status-hint"), words.hint);
  attribute(byId("table"), "data-status", now.sight?.game?.status ?? "READING");
  attribute(byId("table"), "data-touch", now.touch);
  drawPending(now, table);
  drawBoard(now);
  drawNotice(now, table);
  drawPlayers(now);
  drawHistory(now, table);
  drawPlace(now, table);
}

function explorerLink(table: Table, hash: string | null | undefined): string | null {
  const explorer = chainById(table.chain)?.explorer;
  return explorer && hash ? `${explorer}/tx/${hash}` : null;
}

function drawPending({ pending }: State, table: Table): void {
  show(byId("stop-waiting"), pending !== null);
  const href = explorerLink(table, pending?.hash);
  const link = byId("pending-link");
  attribute(link, "href", href);
  show(link, href !== null);
}

function drawNotice(now: State, table: Table): void {
  const box = byId("notice");
  const action = byId("notice-action");
  let words = "";
  let help = "";
  let tone = "";
  if (now.notice !== null) {
    words = notice(now.notice);
    tone = now.notice.kind === "trouble" && now.notice.trouble.kind !== "declined" ? "bad" : "plain";
    if (elsewhere(now)) help = fill(text.game.switchChain, { chain: chainName(table.chain) });
  } else if (now.touch === "no") {
    words = text.game.noTouch;
    help = text.game.tryNow;
    tone = "bad";
  } else if (elsewhere(now) && now.connection !== null) {
    words = fill(text.game.switchHint, { chain: chainName(now.connection.chain) });
    help = fill(text.game.switchChain, { chain: chainName(table.chain) });
    tone = "plain";
  } else if (now.connection === null && !now.returning && now.sight?.game) {
    words = text.game.connectToPlay;
    tone = "plain";
  }
  write(byId("notice-text"), words);
  write(action, help);
  attribute(box, "data-tone", tone);
  show(action, help !== "");
  show(byId("notice-close"), now.notice !== null);
  show(box, words !== "");
}

function drawPlayers(now: State): void {
  const game = now.sight?.game ?? null;
  const none = !game || game.status === "NO_GAME";
  const own = ownMarks(now);
  const score = typeof now.score === "object" ? now.score : null;
  write(byId("round"), none ? "" : fill(text.game.round, { id: String(game.id) }));
  for (const mark of [X, O] as const) {
    const row = document.querySelector(`[data-seat="${markName(mark).toLowerCase()}"]`);
    const [who, wins] = [row?.querySelector(".seat-who"), row?.querySelector(".seat-wins")];
    if (!row || !who || !wins) continue;
    const address = none ? null : playerOf(game, mark);
    let words = game ? text.game.nobody : "…";
    if (address !== null) words = short(address);
    const you = own.includes(mark) ? text.game.you : "";
    if (who.getAttribute("data-key") !== `${words} ${you}`) {
      who.setAttribute("data-key", `${words} ${you}`);
      who.replaceChildren(make("bdi", address === null ? {} : { class: "mono", title: address }, words));
      if (you !== "") who.append(" ", make("span", { class: "you" }, you));
    }
    write(wins, score === null ? "–" : String(score.wins[mark - 1]));
    attribute(row, "data-turn", game?.status === "IN_PROGRESS" && game.turn === mark ? "" : null);
  }
  let draws = " ";
  if (score !== null) draws = fill(text.game.draws, { count: score.draws });
  else if (now.score === "unknown") draws = text.game.scoreUnknown;
  write(byId("draws"), draws);
  const counts = score && { x: score.wins[0], o: score.wins[1], draws: score.draws };
  write(byId("score-label"), counts ? fill(text.game.scoreLabel, counts) : "");

  const busy = now.pending !== null || !game;
  const newGame = byId("new-game");
  enable(newGame, !busy);
  write(newGame, game && isOver(game.status) && own.length > 0 ? text.game.rematch : text.game.newGame);
  newGame.classList.toggle("primary", !game || game.status !== "IN_PROGRESS");
  enable(byId("forfeit"), !busy && canMove(now));
}

function drawHistory({ sight, links }: State, table: Table): void {
  const game = sight?.game ?? null;
  const moves = game?.moves ?? [];
  const hashes = links !== null && links.game === game?.id ? links.hashes : [];
  const list = byId("history");
  const key = JSON.stringify([moves, hashes, text.language, table.chain, game === null]);
  if (list.getAttribute("data-key") === key) return;
  list.setAttribute("data-key", key);
  const items = moves.map(({ cell, mark }, at) => {
    const href = explorerLink(table, hashes[at]);
    let place: Node | string = square(cell);
    if (href !== null) {
      const name = fill(text.game.moveLink, { square: square(cell), number: at + 1 });
      place = make("a", { href, target: "_blank", rel: "noopener noreferrer", "aria-label": name }, square(cell));
    }
    return make("li", { "data-mark": markName(mark).toLowerCase() }, make("b", {}, markName(mark)), " ", place);
  });
  const none = (): HTMLElement => make("li", { class: "none" }, game === null ? "…" : text.game.noMoves);
  list.replaceChildren(...(items.length > 0 ? items : [none()]));
  // Only of moves that were asked about: the newest may still be on its way.
  const explored = Boolean(chainById(table.chain)?.explorer);
  write(byId("history-hint"), explored && hashes.slice(0, moves.length).includes(null) ? text.game.linksUnknown : "");
  show(byId("history-hint"), explored);
}

function drawPlace(now: State, table: Table): void {
  const address = byId("where-address");
  write(address, short(table.address));
  address.title = table.address;
  write(byId("where-chain"), fill(text.game.onChain, { chain: chainName(table.chain) }));
  // The practice table is in this tab alone: a link to it would show nobody this game.
  show(byId("share"), table.chain !== PRACTICE_CHAIN);
  const { reading, touch, sight } = now;
  let how = text.status.reading;
  if (touch === "no") how = text.game.touchLost;
  else if (sight !== null && reading?.kind === "endpoint") how = fill(text.game.viaEndpoint, { host: reading.host });
  else if (sight !== null && reading?.kind === "wallet") {
    how = fill(text.game.viaWallet, { wallet: reading.name || text.game.yourWallet });
  }
  if (sight !== null && touch !== "no") how = `${how}\u00a0· ${fill(text.game.block, { number: sight.head.number })}`;
  write(byId("where-reading"), how);
}
