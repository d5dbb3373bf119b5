/** The engine in a page: languages in web workers, files in memory. */

import { RuntimeManager } from "../../client/manager.ts";
import type { MemoryFiles } from "./memory_files.ts";
import { makeFiles, makePlatform, pageConfig, type Site } from "./page_platform.ts";
import { spawnBrowserWorker } from "./spawn.ts";

export { openAlone } from "./alone_page.ts";
export { CATALOG } from "../../languages/catalog.ts";

export interface Page {
  manager: RuntimeManager;
  files: MemoryFiles;
}

/** A manager of all languages, and the files that they share. The page must be isolated from other origins. */
export function openPage(site: Site = {}): Page {
  if (!(globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated) {
    throw new Error("serve the page with COOP: same-origin and COEP: require-corp; languages share memory with it");
  }
  const files = makeFiles();
  const platform = makePlatform(site, files, spawnBrowserWorker(files));
  return { manager: RuntimeManager.connect(platform, pageConfig(site.snapshot)), files };
}
