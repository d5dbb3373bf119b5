/** The service worker of Play: it keeps what was loaded, and isolates the page where its host does not. */

import { addressOf } from "./engine/site.ts";

/** So that a page that cannot be isolated is not loaded again and again. */
const TRIED = "cloche.play.isolated";

/** Starts the service worker; where there is none, Play works while its server does. */
export async function keepOffline(): Promise<void> {
  try {
    await navigator.serviceWorker?.register(
      addressOf(document.documentElement.dataset["embed"] ? "sw.js?static" : "sw.js"),
    );
  } catch {
    // A browser that allows none, such as in a private window.
  }
}

/** The same for a host that sends no headers of its own: the page is loaded once more, through the service worker. */
export async function isolate(): Promise<void> {
  await keepOffline();
  if (crossOriginIsolated || !navigator.serviceWorker || sessionStorage.getItem(TRIED)) {
    sessionStorage.removeItem(TRIED);
    return;
  }
  await navigator.serviceWorker.ready;
  sessionStorage.setItem(TRIED, "yes");
  location.reload();
}
