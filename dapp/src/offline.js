// The service worker. It keeps the page's own files, so that the page and practice work without a network. It handles only
// GET requests below its own folder, never a request to a node. vite.config.ts fills in the files and writes it as sw.js.
const FILES = ["files of the build"];
// Another folder of the same host may have another copy of the page, with its own cache.
const OWN = `tictactoe ${self.registration.scope} `;
const CACHE = OWN + FILES.join(" ");

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name.startsWith(OWN) && name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

// The names of assets contain a hash of their content, so a cached one is never out of date. The document has no hash in its
// name, so the network comes first.
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(self.registration.scope)) return;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => caches.match("./")));
  } else if (request.url.includes("/assets/")) {
    event.respondWith(caches.match(request).then((kept) => kept ?? keep(request)));
  } else {
    event.respondWith(fetch(request).catch(() => caches.match(request)));
  }
});

async function keep(request) {
  const response = await fetch(request);
  if (response.ok) await (await caches.open(CACHE)).put(request, response.clone());
  return response;
}

// The page sends the URLs that practice was loaded from, in case this worker was not active yet.
self.addEventListener("message", (event) => {
  const files = event.data?.keep;
  if (!Array.isArray(files)) return;
  const own = files.filter((file) => typeof file === "string" && file.startsWith(self.registration.scope) && file.includes("/assets/"));
  event.waitUntil(
    Promise.all(own.map(async (file) => (await caches.match(file)) ?? keep(new Request(file)))),
  );
});
