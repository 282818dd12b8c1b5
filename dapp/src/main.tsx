// Starts the page: its wallets, the table in the link, and what follows the state outside of the views.
// Before the views: a component's style may change what it shares.
import "./style.css";
import { render } from "preact";
import { start } from "./effects.ts";
import { onChange } from "./state.ts";
import { announce } from "./view/announce.ts";
import { App } from "./view/App.tsx";
import { startAway } from "./view/away.ts";
import { closeDialog } from "./view/dialogs.ts";
import { Framed } from "./view/Framed.tsx";
import { startWallets } from "./wallets.ts";

const page = document.getElementById("page") ?? document.body;

async function openPage(): Promise<void> {
  if (window.top !== window) return render(<Framed />, page);
  // The test players of `npm run dev`. A build contains neither this line nor the file.
  if (import.meta.env.DEV) await import("../dev/players.ts");
  startWallets();
  start();
  onChange((now, before) => {
    // A dialog about one table must not stay open over the next.
    if (now.link !== before.link) closeDialog();
    announce(now, before);
  });
  startAway();
  render(<App />, page);
}

void openPage();
