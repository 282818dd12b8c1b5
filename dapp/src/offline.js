// The service worker. It keeps the page's own files, so that the page and practice work without a network. It handles only
// GET requests for these files, never one for a node or for another page of the same host. vite.config.ts fills in the list and
// writes it as sw.js.
//
// A host can answer with the wrong content: in the middle of an upload, or with its start page for a file that is missing. And
// other pages of the host can write to the cache. So a file is kept and used only if its type fits and its content is the one
// of the build.

/** By path below the worker's folder: the SHA-256, and whether a first visit needs the file. */
const FILES = { "files of the build": { hash: "", first: true } };
const DOCUMENT = "";
/** What a browser refuses under another type. Of a font or a picture it reads the content only. */
const TYPES = { "": "text/html", html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };

const SCOPE = self.registration.scope;
// Another folder of the same host may have another copy of the page, with its own cache.
const OWN = `tictactoe ${SCOPE} `;
const CACHE = OWN + FILES[DOCUMENT].hash;

/** The path of a request for one of the files, or null. The document has many addresses: every link to a table. */
function pathOf(url, isNavigation) {
  if (!url.startsWith(SCOPE)) return null;
  const path = url.slice(SCOPE.length).replace(/[?#].*/s, "");
  if (path === "" || path === "index.html") return isNavigation ? DOCUMENT : null;
  return Object.hasOwn(FILES, path) ? path : null;
}

/** The content of a response if it is the file of the build, else null. */
async function contentOf(path, response) {
  const type = TYPES[path.slice(path.lastIndexOf(".") + 1)];
  const given = (response.headers.get("content-type") ?? "")
    .split(";")[0]
    .trim()
    .replace("application/javascript", "text/javascript");
  if (!response.ok || response.redirected || (type !== undefined && given !== type)) return null;
  const content = await response.clone().arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return btoa(String.fromCharCode(...digest)) === FILES[path].hash ? content : null;
}

/** Fetches a file and keeps it, if it is the one of the build. */
async function fetchAndKeep(path, request) {
  const response = await fetch(request);
  const isOwn = (await contentOf(path, response)) !== null;
  if (isOwn) await (await caches.open(CACHE)).put(SCOPE + path, response.clone());
  return { response, isOwn };
}

async function kept(path) {
  const cache = await caches.open(CACHE);
  const found = await cache.match(SCOPE + path);
  if (found === undefined) return null;
  if ((await contentOf(path, found)) !== null) return found;
  await cache.delete(SCOPE + path);
  return null;
}

/** Fails, and is tried again on the next visit, unless the host has all files of the build. */
async function install() {
  const first = Object.keys(FILES).filter((path) => FILES[path].first);
  const all = await Promise.all(
    first.map((path) => fetchAndKeep(path, new Request(SCOPE + path, { cache: "no-cache" }))),
  );
  if (!all.every(({ isOwn }) => isOwn)) throw new Error("the host has other files than the build");
}

self.addEventListener("install", (event) => {
  event.waitUntil(install());
  self.skipWaiting();
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(names.filter((name) => name.startsWith(OWN) && name !== CACHE).map((name) => caches.delete(name))),
      )
      .then(() => self.clients.claim()),
  );
});

// The list has the hash of every file, so a kept one is never out of date. For the document the network comes first: it may
// belong to a newer build.
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const path = pathOf(request.url, request.mode === "navigate");
  if (path === null) return;
  if (path === DOCUMENT) event.respondWith(fetch(request).catch(async () => (await kept(path)) ?? Response.error()));
  else event.respondWith(kept(path).then(async (found) => found ?? (await fetchAndKeep(path, request)).response));
});

// The page sends the URLs that practice was loaded from, in case this worker was not active yet.
self.addEventListener("message", (event) => {
  const files = event.data?.keep;
  if (!Array.isArray(files)) return;
  const paths = files.flatMap((file) => (typeof file === "string" ? (pathOf(file, false) ?? []) : []));
  event.waitUntil(
    Promise.all(paths.map(async (path) => (await kept(path)) ?? fetchAndKeep(path, new Request(SCOPE + path)))),
  );
});
