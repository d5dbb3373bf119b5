/** The service worker of Play: it keeps what was loaded, and isolates the page where its host does not. */

import { addressOf } from "./engine/site.ts";

/** So that a page that cannot be isolated is not loaded again and again. */
const TRIED = "cloche.play.isolated";

/** Starts the service worker, and says whether there is one; if there is none, Play works while its server does. */
export async function keepOffline(): Promise<boolean> {
  try {
    await navigator.serviceWorker?.register(
      addressOf(document.documentElement.dataset["embed"] ? "sw.js?static" : "sw.js"),
    );
    return navigator.serviceWorker !== undefined;
  } catch {
    // A browser that allows none, such as in a private window.
    return false;
  }
}

/** The same for a host that sends no headers of its own: the page is loaded once more, through the service worker. */
export async function isolate(): Promise<void> {
  const started = await keepOffline();
  if (crossOriginIsolated || !started) return;
  try {
    if (sessionStorage.getItem(TRIED)) return sessionStorage.removeItem(TRIED);
    await navigator.serviceWorker.ready;
    sessionStorage.setItem(TRIED, "yes");
    location.reload();
  } catch {
    // A frame whose browser keeps nothing for it: it stays as it is.
  }
}
