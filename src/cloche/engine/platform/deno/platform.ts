/** An engine under Deno without the Python host: for tests, and for programs that use the engine alone. */

import type { PackageSource, Platform } from "../../client/connection.ts";
import { FOLDERS, makeConfig } from "../../client/engine_config.ts";
import type { Code } from "../../fs/files.ts";
import type { Config, HostFileChange, Language } from "../../protocol.ts";
import { spawnDenoWorker } from "./spawn.ts";

export interface EnginePaths {
  assets: string;
  snapshot: string;
  /** The downloaded folders of languages. */
  packs: Partial<Record<Language, string>>;
  workspace: string;
}

export function denoPlatform({ assets, packs }: EnginePaths, packages?: PackageSource): Platform {
  return {
    assets,
    packages,
    spawn: spawnDenoWorker(),
    compile: async (path) => await WebAssembly.compile(await Deno.readFile(path)),
    pack: (language) => {
      const folder = packs[language];
      return folder ? Promise.resolve(folder) : Promise.reject(new Error(`run \`cloche fetch ${language}\` first`));
    },
    changeFile,
  };
}

export function denoConfig({ snapshot, workspace }: EnginePaths): Config {
  const folders = FOLDERS.map((target) => {
    const host = `${workspace}${target}`;
    Deno.mkdirSync(host, { recursive: true });
    return { target, host, readOnly: false };
  });
  return makeConfig({ folders, snapshot });
}

/** Creates links and sets modes as the host does for a sandbox. */
export function changeFile(change: HostFileChange): Code | null {
  try {
    if (change.kind === "link") Deno.symlinkSync(change.target, change.path);
    else Deno.chmodSync(change.path, change.mode);
    return null;
  } catch (error) {
    return error instanceof Deno.errors.AlreadyExists ? "EEXIST" : "EIO";
  }
}
