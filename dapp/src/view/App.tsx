// The page: header, one of three views, footer, and what is over them.
import { useLayoutEffect, useRef } from "preact/hooks";
import { go } from "../link.ts";
import { state } from "../state.ts";
import { lookNow } from "../table.ts";
import { fill, text } from "../text.ts";
import { chainName, short } from "../words.ts";
import { alerted, said } from "./announce.ts";
import { focusBoard } from "./Board.tsx";
import { Dialogs, openWallets } from "./Dialogs.tsx";
import { Home } from "./Home.tsx";
import { Button, LocalLink, OutsideLink, Person } from "./parts.tsx";
import { Table } from "./Table.tsx";

export function App() {
  const trouble = troubleOf();
  const view = state.link.value.kind === "home" ? "home" : trouble ? "trouble" : "table";
  const main = useRef<HTMLElement>(null);
  const shown = useRef(view);
  useLayoutEffect(() => {
    if (shown.current === view) return;
    shown.current = view;
    if (state.dialog.peek() !== null) return;
    // The focus goes to the heading of a new view, so that a screen reader announces it.
    main.current?.querySelector("h1")?.focus();
    window.scrollTo(0, 0);
  }, [view]);
  const toBoard = (event: MouseEvent): void => {
    event.preventDefault();
    focusBoard();
  };
  return (
    <>
      {view !== "trouble" && (
        <a class="button primary skip unseen" href="#main" onClick={toBoard}>
          {text.header.skip}
        </a>
      )}
      <Header />
      <main id="main" ref={main}>
        {view === "home" && <Home />}
        {view === "table" && <Table />}
        {trouble && <TroubleView trouble={trouble} />}
      </main>
      <footer class="foot hint">{text.footer}</footer>
      <Dialogs />
      <p class="unseen" role="status">
        {said}
      </p>
      <p class="unseen" role="alert">
        {alerted}
      </p>
    </>
  );
}

function Header() {
  const { value: connection } = state.connection;
  const account = connection?.accounts[0];
  const label = account && fill(text.wallet.label, { account: short(account), chain: chainName(connection.chain) });
  const words = state.wallets.value.length > 0 ? text.header.connect : text.header.noWallet;
  return (
    <header class="top row apart">
      <LocalLink class="brand row" table={null}>
        <img src="./icon.svg" alt="" width="32" height="44" />
        <span>{text.title}</span>
      </LocalLink>
      <Button class="quiet row" aria-label={label} press={openWallets}>
        {account ? <Person address={account} /> : words}
      </Button>
    </header>
  );
}

// -- why a link opens no table --------------------------------------------------------

interface Trouble {
  title: string;
  words: string;
  /** What to do about it, besides going to the start page. */
  act?: { words: string; press: () => void };
}

export function troubleOf(): Trouble | null {
  const words = text.trouble;
  const { value: link } = state.link;
  const code = state.snapshot.value?.code;
  if (link.kind === "home") return null;
  if (link.kind === "damaged") return { title: words.linkTitle, words: words.damaged };
  const names = { address: link.table.address, chain: chainName(link.table.chain) };
  const trouble = (title: string, sentence: string): Trouble => ({ title, words: fill(sentence, names) });
  if (state.source.value === "none")
    return { ...trouble(words.unknownTitle, words.unknown), act: { words: text.header.connect, press: openWallets } };
  if (code === "none")
    return { ...trouble(words.noneTitle, words.none), act: { words: text.game.tryNow, press: lookNow } };
  return code === "other" ? trouble(words.otherTitle, words.other) : null;
}

function TroubleView({ trouble: { title, words, act } }: { trouble: Trouble }) {
  return (
    <section class="stack">
      <svg viewBox="0 0 100 100" width="6rem" stroke-width="3.5" aria-hidden="true">
        <path d="M35 8c-1 28 1 56 0 84M66 8c1 28-1 56 0 84M8 35c28-1 56 1 84 0M8 66c28 1 34 0 50 0" />
      </svg>
      <h1 tabIndex={-1}>{title}</h1>
      <p>{words}</p>
      <div class="row">
        {act && <Button class="primary" {...act} />}
        <Button class={act ? undefined : "primary"} press={() => go(null)} words={text.trouble.home} />
      </div>
    </section>
  );
}

/**
 * All that the page shows inside another page's frame, which could draw its own buttons over these. Many static hosts cannot forbid
 * frames by a header.
 */
export const Framed = () => (
  <main>
    <OutsideLink href={location.href} words={text.framed} />
  </main>
);
