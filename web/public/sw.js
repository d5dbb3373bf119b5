/**
 * The service worker of Play. What the engine consists of is kept, so that Play starts fast and goes on without its
 * server; a host that sends no headers for isolation gets them here. Everything else passes as if this were not there.
 */

const KEPT = "cloche-play";
const BASE = new URL("./", self.location.href).pathname;
/** What never changes below its address: the engine of one version, and files with a hash in their name. */
const FIXED = /^(engine\/[0-9a-f]{16}\/|page\/)/;
/** What is asked for each time, and kept for when nobody answers. */
const FRESH = /^(engine\/site\.json|engine\/ready\/\w+|icon\.svg|play|embed|(index|embed)\.html)?$/;
const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
};
/** For the form that pages of others show in a frame: it is isolated by itself, in browsers that can do that. */
const FRAMED = {
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Document-Isolation-Policy": "isolate-and-require-corp",
};

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin || !pathname.startsWith(BASE)) return;
  const name = pathname.slice(BASE.length);
  if (FIXED.test(name)) event.respondWith(answerFixed(request));
  else if (FRESH.test(name) && isOurs(request, name)) event.respondWith(answerFresh(event, name));
});

/** The first page of a server is not Play: only a folder of files has Play there. */
function isOurs(request, name) {
  return name !== "" || (request.mode === "navigate" && STATIC);
}

const STATIC = new URL(self.location.href).searchParams.has("static");

async function answerFixed(request) {
  const kept = await caches.open(KEPT).catch(() => undefined);
  const known = await kept?.match(request.url);
  if (known) return known;
  const response = isolated(await fetch(request));
  // Where there is no room, the next time asks again.
  if (response.ok) void kept?.put(request.url, response.clone()).catch(() => undefined);
  return response;
}

async function answerFresh(event, name) {
  const { url } = event.request;
  const address = url.split(/[?#]/)[0];
  const kept = await caches.open(KEPT).catch(() => undefined);
  try {
    const response = isolated(await fetch(event.request));
    if (response.ok) {
      const copy = response.clone();
      event.waitUntil(kept?.put(address, copy).catch(() => undefined));
      if (name === "engine/site.json") event.waitUntil(dropOthers(kept, response.clone()));
    }
    return response;
  } catch (error) {
    const known = await kept?.match(address);
    if (known) return known;
    throw error;
  }
}

/** Removes the engines of other versions. */
async function dropOthers(kept, response) {
  const { root } = await response.json();
  for (const { url } of await kept.keys()) {
    const name = new URL(url).pathname.slice(BASE.length);
    if (/^engine\/[0-9a-f]{16}\//.test(name) && !name.startsWith(root)) await kept.delete(url);
  }
}

/** A response with the headers that let a page share memory with its workers, unless its host sends its own. */
function isolated(response) {
  if (response.type.startsWith("opaque") || response.headers.has("Cross-Origin-Embedder-Policy")) return response;
  const headers = new Headers(response.headers);
  const framed = response.url.slice(self.location.origin.length + BASE.length).startsWith("embed");
  for (const [name, value] of Object.entries({ ...HEADERS, ...(framed && FRAMED) })) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
