// `npm run pictures`: screenshots of the built page for the documents, in docs/pictures/*.png. They show practice games, so they
// need no chain.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const out = fileURLToPath(new URL("../../docs/pictures", import.meta.url));
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2" };

const server = createServer((request, response) => {
  const path = normalize(new URL(request.url ?? "/", "http://host").pathname);
  const file = join(dist, path === "/" ? "index.html" : path);
  if (!file.startsWith(dist) || !existsSync(file)) return void response.writeHead(404).end();
  response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${server.address().port}/`;

const system = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));
const browser = await chromium.launch({ executablePath: system, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
mkdirSync(out, { recursive: true });

async function picture(name, { width, height, colorScheme, cells }) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme, locale: "en", reducedMotion: "reduce" });
  await page.goto(url);
  if (cells) {
    for (const cell of cells) {
      await page.getByRole("gridcell").nth(cell).click();
      await page.locator(`[role="gridcell"][data-phase="settled"]`).nth(cells.indexOf(cell)).waitFor();
    }
    await page.mouse.move(0, 0);
  }
  await page.screenshot({ path: join(out, `${name}.png`) });
  console.log(`docs/pictures/${name}.png`);
  await page.close();
}

await picture("start", { width: 1100, height: 780, colorScheme: "light" });
await picture("game", { width: 1100, height: 860, colorScheme: "light", cells: [4, 0, 2, 6, 3] });
await picture("won", { width: 1100, height: 860, colorScheme: "dark", cells: [0, 4, 8, 2, 6, 3, 7] });
await picture("small", { width: 320, height: 700, colorScheme: "light", cells: [4, 0, 8] });
await browser.close();
server.close();
