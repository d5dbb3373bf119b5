/** What a page gives the engine: files in memory, and what is served beside the engine. */

import type { Platform } from "../../client/connection.ts";
import { FOLDERS, makeConfig } from "../../client/engine_config.ts";
import { FIXED_LIMITS, RUN_LIMITS } from "../../limits.ts";
import type { Config, Language } from "../../protocol.ts";
import { MemoryFiles } from "./memory_files.ts";
import type { Spawn } from "../../router/worker_slot.ts";

/** Where the engine's assets, the snapshot and the packs of languages are served: by default beside the engine itself. */
export interface Site {
  assets?: string;
  snapshot?: string;
  packs?: string;
  /** Called while a program is fetched; the total is 0 if the server does not send it. */
  progress?(address: string, bytes: number, total: number): void;
}

const NETWORK = "code in a page has no network";
const PACKAGES = "no packages can be installed in a page; modules of your own can be put into /workspace";

/** The files that all languages share, at first only the folders of a sandbox. */
export function makeFiles(): MemoryFiles {
  const files = new MemoryFiles();
  for (const folder of FOLDERS) files.makeFolders(folder);
  return files;
}

export function makePlatform(site: Site, files: MemoryFiles, spawn: Spawn): Platform {
  const { assets = beside("assets"), packs = beside("packs") } = site;
  return {
    assets,
    spawn,
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

export function pageConfig(snapshot = beside("snapshot")): Config {
  const folders = FOLDERS.map((target) => ({ target, host: target, readOnly: false }));
  return makeConfig({ folders, snapshot, limits: { ...RUN_LIMITS, filesLimit: FIXED_LIMITS.pageFilesLimit } });
}
