// `npm run pictures`: screenshots of the page for the documents, in docs/pictures/*.png, with games on a local chain that has
// Sepolia's number, and with the test wallets of `npm run dev`.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { encodeFunctionData, parseAbi } from "viem/utils";
import { createServer } from "vite";
import { startAnvil } from "./anvil.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = fileURLToPath(new URL("../../docs/pictures", import.meta.url));
const SEPOLIA = 11_155_111;

const anvil = await startAnvil("--chain-id", String(SEPOLIA), "--gas-price", "1000000000");
process.env.VITE_LOCAL_NODE = anvil.url;
// The same port every time, because the pictures show the link.
const server = await createServer({ root, logLevel: "silent", server: { host: "127.0.0.1", port: 4173 } });
await server.listen();
const [url] = server.resolvedUrls.local;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync),
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});

/** The page has connected this player's wallet on an earlier visit. */
function sit(player) {
  sessionStorage.setItem(player, "yes");
  localStorage.setItem("tictactoe.wallet", JSON.stringify(player));
}

async function picture(name, { width, height, player, query = "", shows, ...look }) {
  const page = await browser.newPage({ viewport: { width, height }, locale: "en", reducedMotion: "reduce", ...look });
  if (player) await page.addInitScript(sit, player);
  await page.goto(url + query);
  if (shows) await page.getByText(shows).first().waitFor();
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: join(out, `${name}.png`) });
  console.log(`docs/pictures/${name}.png`);
  await page.close();
}

const [host, guest] = anvil.accounts;
const [anna, ben] = ["test.player0", "test.player1"];
const abi = parseAbi(["function newGame(address x, address o)", "function makeMove(uint8 row, uint8 col)"]);

/** A game at the table, with the host as X. */
async function play(cells) {
  const send = (from, functionName, args) =>
    anvil.rpc("eth_sendTransaction", { from, to: anvil.table, data: encodeFunctionData({ abi, functionName, args }) });
  await send(host, "newGame", [host, guest]);
  for (const [at, cell] of cells.entries())
    await send(at % 2 === 0 ? host : guest, "makeMove", [Math.floor(cell / 3), cell % 3]);
}

const query = `?chain=${SEPOLIA}&table=${anvil.table}`;
const [desktop, phone] = [
  { width: 1280, height: 720 },
  { width: 390, height: 664 },
];
await picture("start", desktop);
await picture("invite", { ...desktop, player: anna, query, shows: "Invite a friend" });
const invited = { player: ben, query: `${query}&with=${host}`, shows: "You are invited" };
await picture("invited", { ...phone, colorScheme: "dark", ...invited });
await play([4, 0, 8]);
await picture("small", { ...phone, player: ben, query, shows: "Your turn" });
await play([4, 0, 2, 6]);
await picture("game", { ...desktop, player: anna, query, shows: "Your turn" });
await play([0, 4, 8, 2, 6, 3, 7]);
await picture("won", { ...desktop, colorScheme: "dark", player: anna, query, shows: "You win" });
await browser.close();
anvil.stop();
await server.close();
