// The questions the page asks: which wallet, which game, and whether to give up. A <dialog> keeps the focus inside, closes
// with Escape and gives the focus back.
import { PRACTICE_WALLET } from "../chains.ts";
import { toTrouble } from "../failures.ts";
import { parseAddress } from "../link.ts";
import { type Address, O, other, playerOf, X, ZERO } from "../rules.ts";
import { practise } from "../session.ts";
import { change, openTable, type State, state } from "../state.ts";
import { isPerson, markName } from "../table.ts";
import { fill, text } from "../text/index.ts";
import { send } from "../transactions.ts";
import { connect, disconnect, switchTo, type Wallet } from "../wallets.ts";
import { ownMarks, short, trouble } from "../words.ts";
import { attribute, byId, make, show, write } from "./dom.ts";

const dialog = (id: string): HTMLDialogElement => byId<HTMLDialogElement>(id);

export function report(error: unknown): void {
  change({ notice: { kind: "trouble", trouble: toTrouble(error) } });
}

const DIALOGS = ["wallet-dialog", "new-dialog", "forfeit-dialog"];

/** A question about one table is not one about the next, to which the browser's Back may lead. */
export function closeDialogs(): void {
  for (const id of DIALOGS) dialog(id).close();
}

export function buildDialogs(): void {
  for (const id of DIALOGS) {
    const box = dialog(id);
    // A click beside the dialog closes it; its own padding belongs to a child.
    box.addEventListener("click", (event) => {
      if (event.target === box && outside(box, event)) box.close();
    });
  }
  byId("wallet-close").addEventListener("click", () => dialog("wallet-dialog").close());
  byId("wallet-disconnect").addEventListener("click", () => {
    disconnect();
    dialog("wallet-dialog").close();
  });
  byId("new-cancel").addEventListener("click", () => dialog("new-dialog").close());
  dialog("new-dialog").addEventListener("close", () => (asked += 1));
  byId("new-form").addEventListener("submit", (event) => {
    event.preventDefault();
    void begin();
  });
  byId("new-form").addEventListener("change", drawSeats);
  byId("new-form").addEventListener("input", () => write(byId("new-error"), ""));
  byId("forfeit-no").addEventListener("click", () => dialog("forfeit-dialog").close());
  byId("forfeit-yes").addEventListener("click", () => {
    dialog("forfeit-dialog").close();
    const game = state.sight?.game;
    if (game && game.id === forfeited) void send({ kind: "forfeit", gameId: game.id });
  });
}

function outside(box: HTMLElement, { clientX, clientY }: MouseEvent): boolean {
  const { left, right, top, bottom } = box.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}

// -- which wallet ---------------------------------------------------------------

export function openWallets(): void {
  write(byId("wallet-error"), "");
  drawWallets(state);
  dialog("wallet-dialog").showModal();
}

export function drawWallets({ wallets, connection }: State): void {
  write(byId("wallet-words"), wallets.length === 0 ? text.wallet.none : text.wallet.choose);
  show(byId("wallet-disconnect"), connection !== null);
  const list = byId("wallet-list");
  const connected = wallets.findIndex(({ provider }) => provider === connection?.wallet.provider);
  const key = JSON.stringify([wallets.map(({ id, name }) => [id, name]), connected, connection?.accounts, text.language]);
  if (list.getAttribute("data-key") === key) return;
  list.setAttribute("data-key", key);
  list.replaceChildren(...wallets.map((wallet) => make("li", {}, walletButton(wallet, wallet === wallets[connected]))));
}

function walletButton(wallet: Wallet, connected: boolean): HTMLButtonElement {
  const icon = wallet.icon === null ? make("span", { class: "no-icon" }) : make("img", { src: wallet.icon, alt: "" });
  const account = state.connection?.accounts[0];
  const name = make("bdi", {}, wallet.name || text.wallet.unnamed);
  const button = make("button", { type: "button", class: "wallet" }, icon, name);
  if (connected && account !== undefined) {
    button.append(make("span", { class: "hint" }, `${text.wallet.connected} · ${short(account)}`));
  }
  button.addEventListener("click", () => void choose(wallet));
  return button;
}

async function choose(wallet: Wallet): Promise<void> {
  if (wallet.id === PRACTICE_WALLET) {
    // Its chain has one table, and this page is the only way to it.
    dialog("wallet-dialog").close();
    return practise();
  }
  write(byId("wallet-error"), text.wallet.connecting);
  try {
    if (!(await connect(wallet))) {
      write(byId("wallet-error"), text.failure.busy);
      return;
    }
  } catch (error) {
    write(byId("wallet-error"), trouble(toTrouble(error)));
    return;
  }
  dialog("wallet-dialog").close();
}

// -- which game -----------------------------------------------------------------

/** The running game that the player was told about, and would end. */
let seen = 0n;

const seat = (): string => String(new FormData(byId<HTMLFormElement>("new-form")).get("seat"));
const opponentInput = (): HTMLInputElement => byId<HTMLInputElement>("new-opponent");

export function askNewGame(): void {
  const game = state.sight?.game;
  if (!game) return;
  write(byId("new-error"), "");
  const [own] = ownMarks(state);
  if (own !== undefined && ownMarks(state).length === 1) {
    // Play again: against the same person, who now has the other seat.
    opponentInput().value = playerOf(game, other(own));
    const next = own === X ? "o" : "x";
    byId("new-form").querySelector<HTMLInputElement>(`[value="${next}"]`)?.click();
  } else if (ownMarks(state).length === 2) byId("new-form").querySelector<HTMLInputElement>('[value="both"]')?.click();
  drawSeats();
  drawOver();
  dialog("new-dialog").showModal();
}

function drawSeats(): void {
  const both = seat() === "both";
  show(byId("new-opponent-field"), !both);
}

/** A game that is going on is not ended by mistake: it is said first, and the button says it too. */
function drawOver(): void {
  const game = state.sight?.game;
  const running = game?.status === "IN_PROGRESS";
  seen = game?.id ?? 0n;
  show(byId("new-over"), running);
  if (game && running) {
    write(byId("new-over"), fill(text.newGame.over, { x: short(playerOf(game, X)), o: short(playerOf(game, O)) }));
  }
  write(byId("new-begin"), running ? text.newGame.beginOver : text.newGame.begin);
  byId("new-begin").classList.toggle("danger", running);
}

/** Rises when the dialog closes: an answer that takes until then begins no game any more. */
let asked = 0;

async function begin(): Promise<void> {
  const mine = asked;
  const problem = await seats();
  if (mine !== asked) return;
  const error = byId("new-error");
  if (typeof problem === "string") {
    write(error, problem);
    attribute(opponentInput(), "aria-invalid", "true");
    if (seat() !== "both") opponentInput().focus();
    return;
  }
  attribute(opponentInput(), "aria-invalid", null);
  const game = state.sight?.game;
  if (!game) return;
  if (game.id !== seen && game.status === "IN_PROGRESS") {
    drawOver();
    write(error, text.newGame.changed);
    return;
  }
  dialog("new-dialog").close();
  void send({ kind: "newGame", players: problem });
}

/** Who sits where, or why that cannot be: said here, before it costs anything. */
async function seats(): Promise<string | [Address, Address]> {
  const { connection } = state;
  const table = openTable();
  const own = connection?.accounts[0];
  if (connection === null || own === undefined || table === null) return text.game.connectToPlay;
  if (seat() === "both") return [own, connection.accounts[1] && ownMarks(state).length === 2 ? secondSeat(connection.accounts) : own];
  const opponent = parseAddress(opponentInput().value);
  if (opponent === null) return text.newGame.badAddress;
  if (opponent === ZERO) return text.newGame.zeroAddress;
  if (opponent === own) return text.newGame.yourself;
  write(byId("new-error"), text.newGame.checking);
  try {
    await switchTo(connection, table);
    if (!(await isPerson(connection.wallet.provider, opponent))) return text.newGame.contract;
  } catch (error) {
    const found = toTrouble(error);
    return found.kind === "outOfTouch" || found.kind === "nonsense" ? text.newGame.unchecked : trouble(found);
  }
  write(byId("new-error"), "");
  return seat() === "x" ? [own, opponent] : [opponent, own];
}

/** At one screen with two accounts of one wallet, the game goes on between the same two. */
function secondSeat(accounts: readonly Address[]): Address {
  const game = state.sight?.game;
  const [first = ZERO, second = ZERO] = accounts;
  return game && playerOf(game, X) === playerOf(game, O) ? first : second;
}

// -- giving up ------------------------------------------------------------------

let forfeited = 0n;

export function askForfeit(): void {
  const game = state.sight?.game;
  if (!game || game.turn === 0) return;
  forfeited = game.id;
  write(byId("forfeit-text"), fill(text.forfeit.text, { player: markName(other(game.turn)) }));
  dialog("forfeit-dialog").showModal();
}
