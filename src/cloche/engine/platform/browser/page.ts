/** The engine in a page: languages in web workers, files in memory. */

import type { Platform } from "../../client/connection.ts";
import { FOLDERS, makeConfig } from "../../client/engine_config.ts";
import { FIXED_LIMITS, RUN_LIMITS } from "../../limits.ts";
import type { Config, Language } from "../../protocol.ts";
import { MemoryFiles } from "./memory_files.ts";
import { RuntimeManager } from "../../client/manager.ts";
import { spawnBrowserWorker } from "./spawn.ts";

/** Where the engine's assets, the snapshot and the packs of languages are served: by default beside the engine itself. */
export interface Site {
  assets?: string;
  snapshot?: string;
  packs?: string;
  /** Called while a program is fetched; the total is 0 if the server does not send it. */
  progress?(address: string, bytes: number, total: number): void;
}

export interface Page {
  manager: RuntimeManager;
  files: MemoryFiles;
}

export { CATALOG } from "../../languages/catalog.ts";

const NETWORK = "code in a page has no network";
const PACKAGES = "no packages can be installed in a page; modules of your own can be put into /workspace";

/** A manager of all languages, and the files that they share. The page must be isolated from other origins. */
export function openPage(site: Site = {}): Page {
  if (!(globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated) {
    throw new Error("serve the page with COOP: same-origin and COEP: require-corp; languages share memory with it");
  }
  const files = new MemoryFiles();
  for (const folder of FOLDERS) files.makeFolders(folder);
  return { manager: RuntimeManager.connect(platform(site, files), pageConfig(site.snapshot ?? beside("snapshot"))), files };
}

function platform(site: Site, files: MemoryFiles): Platform {
  const { assets = beside("assets"), packs = beside("packs") } = site;
  return {
    assets,
    spawn: spawnBrowserWorker(files),
    compile: (path) => compile(path, site),
    pack: (language: Language) => Promise.resolve(`${packs}/${language}`),
    changeFile: (change) => {
      if (change.kind === "link") files.makeLink(change.target, change.path);
      else files.chmod(change.path, change.mode);
      return null;
    },
    ask: ({ kind }) => Promise.reject(new Error(["fetch", "reach"].includes(kind) ? NETWORK : PACKAGES)),
  };
}

function beside(name: string): string {
  return new URL(`./${name}`, import.meta.url).href;
}

async function compile(address: string, { progress }: Site): Promise<WebAssembly.Module> {
  const response = await fetch(address);
  if (!response.ok || !response.body) {
    throw new Error(`the page's server has no ${address} (${response.status} ${response.statusText})`);
  }
  if (!progress) return WebAssembly.compileStreaming(response);
  const total = Number(response.headers.get("Content-Length") ?? 0);
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, out) {
      bytes += piece.length;
      progress(address, bytes, total);
      out.enqueue(piece);
    },
  });
  const counted = new Response(response.body.pipeThrough(counter), { headers: response.headers });
  return WebAssembly.compileStreaming(counted);
}

function pageConfig(snapshot: string): Config {
  const folders = FOLDERS.map((target) => ({ target, host: target, readOnly: false }));
  return makeConfig({ folders, snapshot, limits: { ...RUN_LIMITS, filesLimit: FIXED_LIMITS.pageFilesLimit } });
}
