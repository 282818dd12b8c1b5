// The dialogs: which wallet, which game, and whether to give up. A <dialog> keeps the focus inside, closes with Escape and
// returns the focus.
import { isPerson } from "../calls.ts";
import { PRACTICE_CHAIN, PRACTICE_WALLET } from "../chains.ts";
import { toFailure } from "../failures.ts";
import { parseAddress } from "../link.ts";
import { clientOf } from "../provider.ts";
import { type Address, markName, O, other, playerOf, X, ZERO } from "../rules.ts";
import { practise } from "../session.ts";
import { change, openTable, type State, state } from "../state.ts";
import { fill, text } from "../text/index.ts";
import { alreadyStarted, send } from "../transactions.ts";
import { connect, disconnect, switchTo, type Wallet } from "../wallets.ts";
import { failureText, ownMarks, short } from "../words.ts";
import { attribute, byId, make, setText, show } from "./dom.ts";

const dialog = (id: string): HTMLDialogElement => byId<HTMLDialogElement>(id);

export function report(error: unknown): void {
  change({ notice: { kind: "failure", failure: toFailure(error) } });
}

const DIALOGS = ["wallet-dialog", "new-dialog", "forfeit-dialog"];

/** A dialog about one table must not stay open over the next. */
export function closeDialogs(): void {
  for (const id of DIALOGS) dialog(id).close();
}

export function buildDialogs(): void {
  for (const id of DIALOGS) {
    const box = dialog(id);
    // A click on the backdrop closes the dialog. Its target is the dialog itself, also for a click on the padding.
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
  dialog("new-dialog").addEventListener("close", () => (closed += 1));
  byId("new-form").addEventListener("submit", (event) => {
    event.preventDefault();
    void startGame();
  });
  byId("new-form").addEventListener("change", drawSeats);
  byId("new-form").addEventListener("input", () => setText(byId("new-error"), ""));
  byId("forfeit-no").addEventListener("click", () => dialog("forfeit-dialog").close());
  byId("forfeit-yes").addEventListener("click", () => {
    dialog("forfeit-dialog").close();
    const game = state.snapshot?.game;
    if (game?.number === forfeited) void send({ kind: "forfeit", number: game.number });
  });
}

function outside(box: HTMLElement, { clientX, clientY }: MouseEvent): boolean {
  const { left, right, top, bottom } = box.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}

// -- which wallet ---------------------------------------------------------------

/** What the player wanted to do when the page asked for a wallet. */
let afterConnecting: (() => void) | null = null;

export function openWallets(then: (() => void) | null = null): void {
  afterConnecting = then;
  setText(byId("wallet-error"), "");
  drawWallets(state);
  dialog("wallet-dialog").showModal();
}

/** Whether there is a wallet to play with. The practice chain's plays nowhere else. */
export const hasWallet = ({ wallets }: State): boolean => wallets.some(({ id }) => id !== PRACTICE_WALLET);

export function drawWallets(now: State): void {
  const { connection } = now;
  const table = openTable();
  // At another table, choosing the practice wallet would mean leaving it.
  const elsewhere = table !== null && table.chain !== PRACTICE_CHAIN;
  const wallets = now.wallets.filter(({ id }) => !(elsewhere && id === PRACTICE_WALLET));
  setText(byId("wallet-words"), hasWallet(now) ? text.wallet.choose : text.wallet.none);
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
  button.addEventListener("click", () => void chooseWallet(wallet));
  return button;
}

async function chooseWallet(wallet: Wallet): Promise<void> {
  if (wallet.id === PRACTICE_WALLET) {
    // Its chain has one table. Connecting means opening it.
    dialog("wallet-dialog").close();
    return practise();
  }
  setText(byId("wallet-error"), text.wallet.connecting);
  try {
    if (!(await connect(wallet))) {
      setText(byId("wallet-error"), text.failure.busy);
      return;
    }
  } catch (error) {
    const failure = toFailure(error);
    setText(byId("wallet-error"), failure.kind === "declined" ? text.wallet.declined : failureText(failure));
    return;
  }
  const open = dialog("wallet-dialog").open;
  dialog("wallet-dialog").close();
  // Not if the player has closed the dialog while the wallet asked.
  if (open) afterConnecting?.();
}

// -- which game -----------------------------------------------------------------

/** The number of the game that the dialog shows the player as the one to end. */
let warnedAbout = 0n;

const chosenSeat = (): string => String(new FormData(byId<HTMLFormElement>("new-form")).get("seat"));
const opponentInput = (): HTMLInputElement => byId<HTMLInputElement>("new-opponent");

export function askNewGame(): void {
  const game = state.snapshot?.game;
  if (!game) return;
  setText(byId("new-error"), "");
  const [own] = ownMarks(state);
  if (own !== undefined && ownMarks(state).length === 1) {
    // Play again: the same opponent, with the marks swapped.
    opponentInput().value = playerOf(game, other(own));
    const next = own === X ? "o" : "x";
    byId("new-form").querySelector<HTMLInputElement>(`[value="${next}"]`)?.click();
  } else byId("new-form").querySelector<HTMLInputElement>(`[value="${own === undefined ? "x" : "both"}"]`)?.click();
  drawSeats();
  drawOver();
  dialog("new-dialog").showModal();
}

function drawSeats(): void {
  // On the practice chain there is nobody else.
  const practising = openTable()?.chain === PRACTICE_CHAIN;
  if (practising) byId("new-form").querySelector<HTMLInputElement>('[value="both"]')?.click();
  show(byId("new-seats"), !practising);
  show(byId("new-opponent-field"), chosenSeat() !== "both");
}

/** Warns before a game in progress is ended, above the button and on it. */
function drawOver(): void {
  const game = state.snapshot?.game;
  const running = game?.status === "in_progress";
  warnedAbout = game?.number ?? 0n;
  show(byId("new-over"), running);
  if (game && running) {
    setText(byId("new-over"), fill(text.newGame.over, { x: short(playerOf(game, X)), o: short(playerOf(game, O)) }));
  }
  setText(byId("new-begin"), running ? text.newGame.beginOver : text.newGame.begin);
  byId("new-begin").classList.toggle("danger", running);
}

/** Rises when the dialog closes, so that a check that ends after that does not start a game. */
let closed = 0;

async function startGame(): Promise<void> {
  const before = closed;
  const players = await chosenPlayers();
  if (before !== closed) return;
  const error = byId("new-error");
  if (typeof players === "string") {
    setText(error, players);
    attribute(opponentInput(), "aria-invalid", "true");
    if (chosenSeat() !== "both") opponentInput().focus();
    return;
  }
  attribute(opponentInput(), "aria-invalid", null);
  const game = state.snapshot?.game;
  if (!game) return;
  if (game.number !== warnedAbout && game.status === "in_progress") {
    // The opponent was faster: this is the game that both wanted.
    if (ownMarks(state).length > 0) {
      dialog("new-dialog").close();
      change({ notice: { kind: "failure", failure: alreadyStarted(game) } });
      return;
    }
    drawOver();
    setText(error, text.newGame.changed);
    return;
  }
  dialog("new-dialog").close();
  void send({ kind: "newGame", players, replaces: game.number });
}

/** X's and O's address, or the sentence that says what is wrong with them. */
async function chosenPlayers(): Promise<string | [Address, Address]> {
  const { connection } = state;
  const table = openTable();
  const own = connection?.accounts[0];
  if (connection === null || own === undefined || table === null) return text.game.connectToPlay;
  if (chosenSeat() === "both") return [own, connection.accounts[1] && ownMarks(state).length === 2 ? secondSeat(connection.accounts) : own];
  const opponent = parseAddress(opponentInput().value);
  if (opponent === null) return text.newGame.badAddress;
  if (opponent === ZERO) return text.newGame.zeroAddress;
  if (opponent === own) return text.newGame.yourself;
  setText(byId("new-error"), text.newGame.checking);
  try {
    await switchTo(connection, table);
    if (!(await isPerson(clientOf(connection.wallet.provider), opponent))) return text.newGame.contract;
  } catch (error) {
    const found = toFailure(error);
    return found.kind === "noAnswer" || found.kind === "invalidAnswer" ? text.newGame.unchecked : failureText(found);
  }
  setText(byId("new-error"), "");
  return chosenSeat() === "x" ? [own, opponent] : [opponent, own];
}

/** A player with both accounts of the last game plays on with both of them. */
function secondSeat(accounts: readonly Address[]): Address {
  const game = state.snapshot?.game;
  const [first = ZERO, second = ZERO] = accounts;
  return game && playerOf(game, X) === playerOf(game, O) ? first : second;
}

// -- giving up ------------------------------------------------------------------

/** The number of the game that the dialog asks about. */
let forfeited = 0n;

export function askForfeit(): void {
  const game = state.snapshot?.game;
  if (!game || game.turn === null) return;
  forfeited = game.number;
  setText(byId("forfeit-text"), fill(text.forfeit.text, { player: markName(other(game.turn)) }));
  dialog("forfeit-dialog").showModal();
}
