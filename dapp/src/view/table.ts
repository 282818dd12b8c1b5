// The table: status, board, players and score, moves, and where the page reads all of it from.
import { chainById, explorerLink, PRACTICE_CHAIN } from "../chains.ts";
import { linkTo, type TableLink } from "../link.ts";
import { isOver, type Mark, markName, markOfMove, O, playerOf, X } from "../rules.ts";
import { lookNow } from "../session.ts";
import { change, type Notice, openTable, type State, state } from "../state.ts";
import { send, stopWaiting } from "../transactions.ts";
import { fill, text } from "../text/index.ts";
import { switchTo } from "../wallets.ts";
import { canMove, cellName, chainName, noticeText, ownMarks, short, statusText } from "../words.ts";
import { buildBoard, drawBoard } from "./board.ts";
import { attribute, byId, enable, make, onPress, setText, show } from "./dom.ts";
import { askForfeit, askNewGame, openWallets, report } from "./dialogs.ts";

export function buildTable(): void {
  buildBoard(playCell);
  byId("stop-waiting").addEventListener("click", stopWaiting);
  onPress("new-game", startGame);
  onPress("forfeit", askForfeit);
  byId("notice-close").addEventListener("click", () => change({ notice: null }));
  byId("notice-action").addEventListener("click", act);
  byId("share").addEventListener("click", () => void share());
  for (const mark of [X, O] as const) byId("seats").append(makeSeat(mark));
}

/** Asks for the players. Without a wallet, asks for the wallet first. */
function startGame(): void {
  if (state.connection === null) openWallets(askNewGame);
  else askNewGame();
}

/** Plays a cell, or reports why that is not possible. */
function playCell(cell: number): void {
  const game = state.snapshot?.game;
  if (!game || state.pending !== null) return;
  if (game.status === "no_game") return startGame();
  if (game.status !== "in_progress") return refuse("no game in progress");
  if (state.connection === null) return openWallets();
  if (!canMove(state)) return refuse("not your turn");
  if (game.moves.includes(cell)) return refuse("cell is taken");
  void send({ kind: "move", cell, number: game.number });
}

function refuse(reason: "no game in progress" | "not your turn" | "cell is taken"): void {
  change({ notice: { kind: "failure", failure: { kind: "reason", reason } } });
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

/** Whether the connected wallet is on another chain than the table. */
const onOtherChain = (now: State): boolean => {
  const table = openTable();
  return table !== null && now.connection !== null && now.connection.chain !== table.chain;
};

/** What the button in the notice does. */
function act(): void {
  const table = openTable();
  if (state.notice === null && state.nodeStatus === "lost") return lookNow();
  if (table !== null && state.connection !== null && onOtherChain(state)) {
    void switchTo(state.connection, table).then(() => change({ notice: null }), report);
  }
}

function makeSeat(mark: Mark): HTMLElement {
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
  const { title, hint } = statusText(now);
  setText(byId("status-title"), title);
  setText(byId("status-hint"), hint);
  attribute(byId("table"), "data-status", now.snapshot?.game?.status ?? "reading");
  attribute(byId("table"), "data-node", now.nodeStatus);
  drawPending(now, table);
  drawBoard(now);
  drawNotice(now, table);
  drawPlayers(now);
  drawHistory(now, table);
  drawSource(now, table);
}

function drawPending({ pending, mayStop }: State, table: TableLink): void {
  show(byId("stop-waiting"), pending !== null && mayStop);
  const href = explorerLink(table.chain, pending?.hash);
  const link = byId("pending-link");
  attribute(link, "href", href);
  show(link, href !== null);
}

/** Declining is no error, nor is a next game that somebody else has started for the player. */
function isError(notice: Notice): boolean {
  if (notice.kind !== "failure" || notice.failure.kind === "declined") return false;
  return notice.failure.kind !== "started" || notice.failure.by === "others";
}

function drawNotice(now: State, table: TableLink): void {
  const box = byId("notice");
  const action = byId("notice-action");
  let words = "";
  let label = "";
  let tone = "";
  if (now.notice !== null) {
    words = noticeText(now.notice);
    tone = isError(now.notice) ? "bad" : "plain";
    if (onOtherChain(now)) label = fill(text.game.switchChain, { chain: chainName(table.chain) });
  } else if (now.nodeStatus === "lost") {
    words = now.snapshot === null ? text.game.nodeLostFirst : text.game.nodeLost;
    label = text.game.tryNow;
    tone = "bad";
  } else if (onOtherChain(now) && now.connection !== null) {
    words = fill(text.game.switchHint, { chain: chainName(now.connection.chain) });
    label = fill(text.game.switchChain, { chain: chainName(table.chain) });
    tone = "plain";
  } else if (now.connection === null && !now.returning && now.snapshot?.game) {
    words = text.game.connectToPlay;
    tone = "plain";
  }
  setText(byId("notice-text"), words);
  setText(action, label);
  attribute(box, "data-tone", tone);
  show(action, label !== "");
  show(byId("notice-close"), now.notice !== null);
  show(box, words !== "");
}

function drawPlayers(now: State): void {
  const game = now.snapshot?.game ?? null;
  const none = !game || game.status === "no_game";
  const own = ownMarks(now);
  const score = typeof now.score === "object" ? now.score : null;
  setText(byId("number"), none ? "" : fill(text.game.number, { number: String(game.number) }));
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
    setText(wins, score === null ? "–" : String(score.wins[mark - 1]));
    attribute(row, "data-turn", game?.turn === mark ? "" : null);
  }
  let draws = " ";
  if (score !== null) draws = fill(text.game.draws, { count: score.draws });
  else if (now.score === "unknown") draws = text.game.scoreUnknown;
  setText(byId("draws"), draws);
  const counts = score && { x: score.wins[0], o: score.wins[1], draws: score.draws };
  setText(byId("score-label"), counts ? fill(text.game.scoreLabel, counts) : "");

  const busy = now.pending !== null || !game;
  const newGame = byId("new-game");
  enable(newGame, !busy);
  setText(newGame, game && isOver(game.status) && own.length > 0 ? text.game.rematch : text.game.newGame);
  newGame.classList.toggle("primary", !game || game.status !== "in_progress");
  enable(byId("forfeit"), !busy && canMove(now));
}

function drawHistory({ snapshot, links }: State, table: TableLink): void {
  const game = snapshot?.game ?? null;
  const moves = game?.moves ?? [];
  const hashes = links !== null && links.number === game?.number ? links.hashes : [];
  const list = byId("history");
  const key = JSON.stringify([moves, hashes, text.language, table.chain, game === null]);
  if (list.getAttribute("data-key") === key) return;
  list.setAttribute("data-key", key);
  const items = moves.map((cell, at) => {
    const mark = markName(markOfMove(at));
    const href = explorerLink(table.chain, hashes[at]);
    let name: Node | string = cellName(cell);
    if (href !== null) {
      const label = fill(text.game.moveLink, { cell: cellName(cell), number: at + 1 });
      name = make("a", { href, target: "_blank", rel: "noopener noreferrer", "aria-label": label }, cellName(cell));
    }
    return make("li", { "data-mark": mark.toLowerCase() }, make("b", {}, mark), " ", name);
  });
  const none = (): HTMLElement => make("li", { class: "none" }, game === null ? "…" : text.game.noMoves);
  list.replaceChildren(...(items.length > 0 ? items : [none()]));
  // Only for moves whose links the page has asked for.
  const explored = Boolean(chainById(table.chain)?.explorer);
  setText(byId("history-hint"), explored && hashes.slice(0, moves.length).includes(null) ? text.game.linksUnknown : "");
  show(byId("history-hint"), explored);
}

function drawSource(now: State, table: TableLink): void {
  const address = byId("where-address");
  setText(address, short(table.address));
  address.title = table.address;
  setText(byId("where-chain"), fill(text.game.onChain, { chain: chainName(table.chain) }));
  // The practice table exists in this tab only, so a link to it is of no use.
  show(byId("share"), table.chain !== PRACTICE_CHAIN);
  const { source, nodeStatus, snapshot } = now;
  let words = text.status.reading;
  if (nodeStatus === "lost") words = text.game.nodeLostShort;
  else if (snapshot !== null && source?.kind === "endpoint") words = fill(text.game.viaEndpoint, { host: source.host });
  else if (snapshot !== null && source?.kind === "wallet") {
    words = fill(text.game.viaWallet, { wallet: source.name || text.game.yourWallet });
  }
  if (snapshot !== null && nodeStatus !== "lost") words = `${words}\u00a0· ${fill(text.game.block, { number: snapshot.head.number })}`;
  setText(byId("where-source"), words);
}
