/** The engine in a page: languages in web workers, files in memory. */

import type { Platform } from "../connection.ts";
import type { Config, Language } from "../protocol.ts";
import { MemoryFiles } from "./memory.ts";
import { RuntimeManager } from "../manager.ts";
import { browserSpawn } from "./spawn.ts";

export interface Site {
  /** Where the engine's assets, the snapshot and the packs of languages are served. */
  assets: string;
  snapshot: string;
  packs: string;
}

export interface Page {
  manager: RuntimeManager;
  files: MemoryFiles;
}

const FOLDERS = ["/workspace", "/tmp", "/home/user"];

/** A manager of all languages, and the files that they share. The page has to be isolated from other origins. */
export function openPage(site: Site): Page {
  if (!(globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated) {
    throw new Error("serve the page with COOP: same-origin and COEP: require-corp; languages share memory with it");
  }
  const files = new MemoryFiles();
  for (const folder of FOLDERS) files.makeFolders(folder);
  return { manager: RuntimeManager.connect(platform(site, files), config(site)), files };
}

function platform({ assets, packs }: Site, files: MemoryFiles): Platform {
  return {
    assets,
    spawn: browserSpawn(files),
    compile: (path) => WebAssembly.compileStreaming(fetch(path)),
    pack: (language: Language) => Promise.resolve(`${packs}/${language}`),
    aid: (wish) => {
      if (wish.what === "link") files.makeLink(wish.target, wish.path);
      else files.chmod(wish.path, wish.mode);
      return null;
    },
  };
}

function config({ snapshot }: Site): Config {
  return {
    folders: FOLDERS.map((target) => ({ target, host: target, readOnly: false })),
    packages: [],
    autoInstall: false,
    env: {},
    snapshot,
    saved: null,
    added: {},
    memory: 512 << 20,
    files: 256 << 20,
    workers: 16,
    preload: [],
    shell: null,
  };
}
