// `npm run dev`: a local chain, a table on it, and the page with two test wallets. Ctrl-C stops everything.
import { fileURLToPath } from "node:url";
import { createServer } from "vite";
import { startAnvil } from "./anvil.mjs";

let anvil;
let vite;

async function stop() {
  anvil?.stop();
  await vite?.close();
  process.exit(0);
}

process.once("SIGINT", stop);
process.once("SIGTERM", stop);

anvil = await startAnvil();
process.env.VITE_LOCAL_NODE = anvil.url;
const root = fileURLToPath(new URL("..", import.meta.url));
vite = await createServer({ root, server: { host: "127.0.0.1", port: Number(process.env.PORT ?? 5173) } });
await vite.listen();
const [page] = vite.resolvedUrls.local;
const link = new URLSearchParams({ chain: "31337", table: anvil.table });
console.log(`
  Local chain  ${anvil.url}  (chain 31337)
  Table        ${anvil.table}
  The page     ${page}?${link}

  Connect "Test player Anna". Open the invitation that the page shows in a private window, and play as "Test player Ben".
  Ctrl-C stops everything.
`);
