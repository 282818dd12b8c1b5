// Keeps the page's own files, so that it opens, and practice works, without a network. It never touches what is asked of a
// chain: only GETs of this folder pass here. vite.config.ts puts in the list of files and writes this as sw.js.
const FILES = ["files of the build"];
// Another folder of the same host may hold another copy of the page, with files of its own.
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

// The names of files hold a hash of what is in them, so one that is kept is never out of date. The document has no such
// name: the network's is taken while there is a network.
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

// The page tells what practice was loaded from, in case that was before this worker had taken over.
self.addEventListener("message", (event) => {
  const files = event.data?.keep;
  if (!Array.isArray(files)) return;
  const own = files.filter((file) => typeof file === "string" && file.startsWith(self.registration.scope) && file.includes("/assets/"));
  event.waitUntil(
    Promise.all(own.map(async (file) => (await caches.match(file)) ?? keep(new Request(file)))),
  );
});
