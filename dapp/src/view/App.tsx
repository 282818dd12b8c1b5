// The page: header, one of three views, footer, and what is over them.
import { useLayoutEffect, useRef } from "preact/hooks";
import { state } from "../state.ts";
import { text } from "../text.ts";
import { alerted, said } from "./announce.ts";
import { openDialog } from "./dialogs.ts";
import { Footer } from "./Footer.tsx";
import { ForfeitDialog } from "./ForfeitDialog.tsx";
import { Header } from "./Header.tsx";
import { Home } from "./Home.tsx";
import { NewGameDialog } from "./NewGameDialog.tsx";
import { Table } from "./Table.tsx";
import { Trouble } from "./Trouble.tsx";
import { troubleOf } from "./troubleText.ts";
import { WalletDialog } from "./WalletDialog.tsx";

export function App() {
  const trouble = troubleOf();
  const view = state.link.kind === "home" ? "home" : trouble ? "trouble" : "table";
  const main = useRef<HTMLElement>(null);
  const shown = useRef(view);
  useLayoutEffect(() => {
    if (shown.current === view) return;
    shown.current = view;
    if (openDialog.peek() !== null) return;
    // The focus goes to the heading of a new view, so that a screen reader announces it.
    main.current?.querySelector("h1")?.focus();
    window.scrollTo(0, 0);
  }, [view]);
  const toBoard = (event: MouseEvent): void => {
    event.preventDefault();
    main.current?.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus();
  };
  return (
    <>
      {view !== "trouble" && (
        <a class="skip unseen" href="#main" onClick={toBoard}>
          {text.header.skip}
        </a>
      )}
      <Header />
      <main id="main" ref={main}>
        {view === "home" && <Home />}
        {view === "table" && <Table />}
        {trouble && <Trouble trouble={trouble} />}
      </main>
      <Footer />
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

function Dialogs() {
  const open = openDialog.value;
  switch (open?.kind) {
    case "wallets":
      return <WalletDialog wish={open.wish} />;
    case "newGame":
      return <NewGameDialog />;
    case "forfeit":
      return <ForfeitDialog />;
    default:
      return null;
  }
}
