// The service worker at the root of a host that other pages use too, and that is in the middle of an upload.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { existsSync, readFileSync } from "node:fs";
import { DIST } from "./support/server.ts";
import { cellAt, expect, expectBoard, practise, test } from "./support/fixtures.ts";
import type { Page } from "@playwright/test";

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** A host that answers 200 with the start page for every file that it does not have, as many do. */
class Host {
  /** The files of the page are not uploaded yet, except the document and the worker. */
  incomplete = false;
  /** What another build has in place of a file. */
  changed = new Map<string, string>();
  sibling = 1;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      const path = new URL(request.url ?? "/", "http://host").pathname.slice(1);
      if (path.startsWith("other/")) {
        const isScript = path.endsWith(".js");
        const body = isScript ? `document.title = "sibling ${this.sibling}"` : '<script src="assets/app.js"></script>';
        response
          .writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html", "cache-control": "no-store" })
          .end(body);
        return;
      }
      const file =
        path === "" || !existsSync(join(DIST, path)) || (this.incomplete && path.startsWith("assets/"))
          ? "index.html"
          : path;
      const body = this.changed.get(file) ?? readFileSync(join(DIST, file));
      response
        .writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain", "cache-control": "no-cache" })
        .end(body);
    });
  }

  static async start(): Promise<Host> {
    const host = new Host();
    await new Promise<void>((resolve) => host.server.listen(0, "127.0.0.1", resolve));
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const works = (page: Page): Promise<boolean> =>
  page
    .locator(".home h1")
    .waitFor({ timeout: 2000 })
    .then(
      () => true,
      () => false,
    );

/** The files in the caches, with their types. */
const kept = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const all = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).matchAll()));
    return all.flat().map(({ headers }) => headers.get("content-type") ?? "");
  });

const active = (page: Page): Promise<unknown> =>
  page.evaluate(async () => (await navigator.serviceWorker.ready).active?.state);

let shared: Host;
test.beforeEach(async () => void (shared = await Host.start()));
test.afterEach(() => shared.stop());

test("a visit in the middle of an upload does not break the later ones", async ({ page, context, clean }) => {
  await page.goto(shared.url);
  await active(page);
  // A new build, which so far has only its document and its worker. The list of the worker differs from the last one's.
  const worker = readFileSync(join(DIST, "sw.js"), "utf8");
  shared.changed.set("sw.js", worker.replace('"first":false', '"first":true'));
  shared.incomplete = true;
  // A new tab has no worker of the last build for its assets.
  await page.evaluate(async () => {
    for (const each of await navigator.serviceWorker.getRegistrations()) await each.unregister();
    for (const name of await caches.keys()) await caches.delete(name);
  });
  await page.goto(shared.url);
  expect(await works(page)).toBe(false);
  shared.incomplete = false;
  for (let visit = 0; visit < 2; visit += 1) {
    await page.goto(shared.url);
    expect(await works(page)).toBe(true);
  }
  await active(page);
  expect((await kept(page)).filter((type) => type === "text/html")).toHaveLength(1);
  // Offline, too.
  await context.setOffline(true);
  await page.goto(shared.url);
  expect(await works(page)).toBe(true);
  clean.length = 0;
});

test("a worker with other files than the host's is not installed", async ({ page }) => {
  const worker = readFileSync(join(DIST, "sw.js"), "utf8");
  shared.changed.set("sw.js", worker.replace(/("assets\/index-[^"]*\.js":\{"hash":")./, "$1!"));
  await page.goto(shared.url);
  expect(await works(page)).toBe(true);
  const installing = (): Promise<boolean> =>
    page.evaluate(async () =>
      (await navigator.serviceWorker.getRegistrations()).some(({ installing: one }) => one !== null),
    );
  await expect.poll(installing).toBe(false);
  expect(
    await page.evaluate(async () =>
      (await navigator.serviceWorker.getRegistrations()).some(({ active: one }) => one !== null),
    ),
  ).toBe(false);
});

test("a file that another page has changed in the cache is not used", async ({ page }) => {
  await page.goto(shared.url);
  await active(page);
  await page.evaluate(async () => {
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        if (request.url.endsWith(".js"))
          await cache.put(
            request,
            new Response("window.poisoned = true", { headers: { "content-type": "text/javascript" } }),
          );
      }
    }
  });
  await page.reload();
  expect(await works(page)).toBe(true);
  expect(await page.evaluate(() => "poisoned" in window)).toBe(false);
});

test("the files of another page on the host are left alone", async ({ page, context }) => {
  await page.goto(shared.url);
  await active(page);
  const other = await context.newPage();
  for (const version of [1, 2, 3]) {
    shared.sibling = version;
    await other.goto(`${shared.url}other/`);
    await expect(other).toHaveTitle(`sibling ${version}`);
  }
  // Offline, it does not become this page.
  await context.setOffline(true);
  await expect(other.goto(`${shared.url}other/`)).rejects.toThrow();
});

test("practice and the start page work offline after the first visit", async ({ page, context, host }) => {
  await practise(page, host);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await expect
    .poll(() =>
      page.evaluate(
        async () =>
          (
            await Promise.all(
              (await caches.keys()).map(async (key) => (await (await caches.open(key)).keys()).map(({ url }) => url)),
            )
          )
            .flat()
            .filter((url) => /start-/.test(url)).length,
      ),
    )
    .toBe(1);
  await context.setOffline(true);
  await page.goto(host);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Three in a row, on the record.");
  // The first click on the start page's board is a move.
  await cellAt(page, 4).click();
  await expectBoard(page, "....x....");
  for (const cell of [0, 8]) {
    await cellAt(page, cell).click();
    await expect(cellAt(page, cell)).toHaveAttribute("data-phase", "settled");
  }
  await expectBoard(page, "o...x...x");
  await page.reload();
  await expectBoard(page, "o...x...x");
});

test("a new version of the page deletes the cache of the last one, and no other", async ({ page, host }) => {
  await page.goto(host);
  await page.evaluate(async (scope) => {
    await (await navigator.serviceWorker.ready).unregister();
    for (const name of await caches.keys()) await caches.delete(name);
    for (const name of [`tictactoe ${scope} old`, `tictactoe ${scope}beta/ old`, "something else"])
      await caches.open(name);
  }, host);
  await page.reload();
  await page.evaluate(() => navigator.serviceWorker.ready);
  await expect
    .poll(async () => (await page.evaluate(() => caches.keys())).map((name) => name.replace(/ \S{43}=$/, "")))
    .toEqual([`tictactoe ${host}beta/ old`, "something else", `tictactoe ${host}`]);
});
