// The start page: practise, open a table, set up a new one, return to one.
import { chainById, explorerLink, knownChains, PRACTICE_CHAIN } from "../chains.ts";
import { go, linkTo, parseChain, parsePasted } from "../link.ts";
import { recall } from "../memory.ts";
import { practise } from "../session.ts";
import { type State, state } from "../state.ts";
import { fill, text } from "../text/index.ts";
import { deploy, stopWaiting } from "../transactions.ts";
import { chainName, noticeText, short } from "../words.ts";
import { attribute, byId, enable, make, onPress, setText, show } from "./dom.ts";
import { openWallets } from "./dialogs.ts";

const OTHER = "other";

export function buildHome(): void {
  onPress("practise", () => void practise());
  onPress("deploy", () => (ready(state) ? void deploy() : openWallets()));
  byId("deploy-stop").addEventListener("click", stopWaiting);
  byId("open-chain").addEventListener("change", () => {
    chosenChain = true;
    show(byId("open-number-field"), byId<HTMLSelectElement>("open-chain").value === OTHER);
  });
  byId("open-form").addEventListener("submit", (event) => {
    event.preventDefault();
    open();
  });
}

/** Whether a wallet is connected that can deploy a table. The practice chain has its table already. */
const ready = ({ connection }: State): boolean => connection !== null && connection.chain !== PRACTICE_CHAIN;

function open(): void {
  const choice = byId<HTMLSelectElement>("open-chain").value;
  const number = byId<HTMLInputElement>("open-number");
  const input = byId<HTMLInputElement>("open-address");
  const chain = parseChain(choice === OTHER ? number.value.trim() : choice);
  const table = parsePasted(input.value, chain);
  // A link names its own chain.
  const badChain = table === null && chain === null;
  attribute(number, "aria-invalid", badChain ? "true" : null);
  attribute(input, "aria-invalid", table === null && !badChain ? "true" : null);
  if (table !== null) {
    setText(byId("open-error"), "");
    go(table);
  } else {
    setText(byId("open-error"), badChain ? text.home.badChain : text.home.badAddress);
    (badChain ? number : input).focus();
  }
}

/** The player has chosen a chain in the form. Until then it follows the wallet. */
let chosenChain = false;

function drawChoice({ connection }: State): void {
  const select = byId<HTMLSelectElement>("open-chain");
  const id = String(connection?.chain ?? "");
  if (chosenChain || ![...select.options].some(({ value }) => value === id)) return;
  select.value = id;
}

export function translateHome(): void {
  const select = byId<HTMLSelectElement>("open-chain");
  const chosen = select.value;
  select.replaceChildren(
    ...knownChains.map(({ id }) => make("option", { value: String(id) }, chainName(id))),
    make("option", { value: OTHER }, text.home.otherChain),
  );
  if (chosen !== "") select.value = chosen;
}

export function drawHome(now: State): void {
  const practising = now.practice === "loading";
  enable(byId("practise"), !practising);
  let hint = text.home.practiseHint;
  if (practising) hint = text.home.practiseLoading;
  else if (now.practice === "failed") hint = text.home.practiseFailed;
  setText(byId("practise-hint"), hint);

  const { connection, pending } = now;
  const button = byId("deploy");
  enable(button, pending === null);
  setText(button, ready(now) && connection !== null ? fill(text.home.deployOn, { chain: chainName(connection.chain) }) : text.home.deploy);
  let words = "";
  if (pending !== null) words = pending.phase === "asking" ? text.home.deployAsking : text.home.deploySent;
  else {
    const currency = connection === null ? text.home.coin : (chainById(connection.chain)?.currency.symbol ?? text.home.coin);
    words = fill(text.home.deployNeedsWallet, { currency });
  }
  setText(byId("deploy-hint"), words);
  const href = pending?.action.kind === "deploy" ? explorerLink(pending.action.chain, pending.hash) : null;
  attribute(byId("deploy-link"), "href", href);
  show(byId("deploy-link"), href !== null);
  show(byId("deploy-stop"), pending !== null && now.mayStop);
  drawChoice(now);
  setText(byId("deploy-error"), now.notice === null ? "" : noticeText(now.notice));
  drawRecent();
}

function drawRecent(): void {
  const tables = recall.tables().filter(({ chain }) => chain !== PRACTICE_CHAIN);
  const list = byId("recent");
  show(byId("recent-none"), tables.length === 0);
  const key = JSON.stringify([tables, text.language]);
  if (list.getAttribute("data-key") === key) return;
  list.setAttribute("data-key", key);
  list.replaceChildren(
    ...tables.map((table) => {
      const words = { table: short(table.address), chain: chainName(table.chain) };
      const link = make("a", { href: linkTo(table) }, fill(text.home.recentEntry, words));
      link.addEventListener("click", (event) => {
        // The browser opens new tabs and windows itself.
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        go(table);
      });
      return make("li", {}, link);
    }),
  );
}
