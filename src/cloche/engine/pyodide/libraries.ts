/** Native modules: loaded from installed packages, which the host has put there, and from nowhere else. */

import type { PackageMount } from "../fs/package_mount.ts";
import type { EmscriptenModule } from "./types.ts";

/** Emscripten's list of libraries; one that is not there yet has this text for its exports. */
interface Loader extends EmscriptenModule {
  LDSO: { loadedLibsByName: Record<string, { exports: unknown }> };
}

const LOADING = "loading";
const REFUSED = "native modules can be loaded from installed packages only";

/**
 * Whatever Python code believes or replaces, a library's bytes come through `FS.readFile`, which nothing else uses once
 * Python runs. What counts is the file that is read, not its name, so links do not matter either.
 */
export function guardLibraries(module: EmscriptenModule, packages: PackageMount | undefined): void {
  module.FS.readFile = (path) => {
    const data = packages?.readPackaged(path);
    if (!data) throw new Error(REFUSED);
    return data;
  };
}

type Open = (handle: number) => number;

/** Has a library that could not be loaded forgotten: asked for again, it would be taken for loaded. */
export function forgetFailed(env: WebAssembly.ModuleImports, module: () => EmscriptenModule): void {
  const open = env._dlopen_js as Open;
  env._dlopen_js = (handle: number) => {
    const result = open(handle);
    if (result === 0) {
      const { loadedLibsByName } = (module() as Loader).LDSO;
      for (const [name, { exports }] of Object.entries(loadedLibsByName)) {
        if (exports === LOADING) delete loadedLibsByName[name];
      }
    }
    return result;
  };
}
