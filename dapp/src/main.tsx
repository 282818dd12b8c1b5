// Starts the page.
import "./view/style.css";
import { render } from "preact";
import { start } from "./table.ts";
import { startAnnouncing } from "./view/announce.ts";
import { App, Framed } from "./view/App.tsx";
import { startWallets } from "./wallets.ts";

const page = document.getElementById("page") ?? document.body;

if (window.top !== window) render(<Framed />, page);
else {
  // The test players of `npm run dev`. A build contains neither this line nor the file.
  if (import.meta.env.DEV) await import("../dev/players.ts");
  startWallets();
  start();
  startAnnouncing();
  render(<App />, page);
}
