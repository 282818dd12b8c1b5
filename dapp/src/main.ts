// Starts the page: text, views, wallets, and the table in the link.
import { go } from "./link.ts";
import { start } from "./session.ts";
import { onChange, type State, state } from "./state.ts";
import { fill, language, languages, loadLanguage, text } from "./text/index.ts";
import { announce } from "./view/announce.ts";
import { buildDialogs, closeDialogs, drawWallets, hasWallet, openWallets } from "./view/dialogs.ts";
import { attribute, byId, make, setText, show, translatePage } from "./view/dom.ts";
import { buildHome, drawHome, translateHome } from "./view/home.ts";
import { buildTable, drawTable } from "./view/table.ts";
import { buildTrouble, drawTrouble, troubleOf } from "./view/trouble.ts";
import { startWallets } from "./wallets.ts";
import { chainName, short, statusText } from "./words.ts";

declare global {
  interface Window {
    trustedTypes?: { createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): unknown } };
  }
}

type View = "home" | "table" | "trouble";

function viewOf(now: State): View {
  if (now.link.kind === "home") return "home";
  return troubleOf(now) === null ? "table" : "trouble";
}

let shown: View | null = null;

function draw(now: State): void {
  const view = viewOf(now);
  for (const name of ["home", "table", "trouble"] as const) show(byId(name), name === view);
  show(byId("skip"), view === "table");
  drawHeader(now);
  if (view === "home") drawHome(now);
  else if (view === "table") drawTable(now);
  else drawTrouble(now);
  if (byId<HTMLDialogElement>("wallet-dialog").open) drawWallets(now);
  document.title = view === "table" ? `${statusText(now).title} · ${text.title}` : text.title;
  // The focus goes to the heading of a new view, so that a screen reader announces it.
  if (shown !== null && shown !== view && document.querySelector("dialog[open]") === null) {
    byId(view).querySelector("h1")?.focus();
    window.scrollTo(0, 0);
  }
  shown = view;
}

function drawHeader(now: State): void {
  const { connection } = now;
  const button = byId("wallet");
  const account = connection?.accounts[0];
  let words = hasWallet(now) ? text.header.connect : text.header.noWallet;
  if (account !== undefined) words = short(account);
  setText(byId("wallet-text"), words);
  const { connect, noWallet } = text.header;
  attribute(byId("wallet-text"), "data-widest", connect.length > noWallet.length ? connect : noWallet);
  attribute(button, "data-connected", account === undefined ? null : "");
  const label = connection && account && fill(text.wallet.label, { account: short(account), chain: chainName(connection.chain) });
  attribute(button, "aria-label", label || null);
}

async function chooseLanguage(code?: string): Promise<void> {
  await loadLanguage(code);
  translatePage();
  translateHome();
  byId<HTMLSelectElement>("language").value = language;
  draw(state);
}

async function openPage(): Promise<void> {
  const select = byId<HTMLSelectElement>("language");
  select.append(...languages.map(({ code, name }) => make("option", { value: code, lang: code }, name)));
  select.addEventListener("change", () => void chooseLanguage(select.value));
  buildTable();
  buildHome();
  buildTrouble();
  buildDialogs();
  byId("wallet").addEventListener("click", () => openWallets());
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("board").querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  });
  byId("brand").addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(null);
  });
  // The test players of `npm run dev`. A build contains neither this line nor the file.
  if (import.meta.env.DEV) await import("../dev/players.ts");
  startWallets();
  start();
  // The page appears once it is complete and in its language, so that nothing moves later.
  await chooseLanguage();
  onChange((now, before) => {
    if (now.link !== before.link) closeDialogs();
    draw(now);
    announce(now, before);
  });
  draw(state);
  byId("page").hidden = false;
}

/** Registers the service worker, so that the page opens offline. Trusted Types allow this one URL only. */
function keepOffline(): void {
  const { serviceWorker } = navigator;
  if (import.meta.env.DEV || serviceWorker === undefined) return;
  const worker = "./sw.js";
  const trusted = window.trustedTypes?.createPolicy("page", { createScriptURL: (url) => (url === worker ? url : "") });
  const address = (trusted?.createScriptURL(worker) ?? worker) as string;
  serviceWorker.register(address).catch(() => null);
}

void openPage().then(keepOffline);
