/** Native modules: loaded from installed packages, which the host has put there, and from nowhere else. */

import type { PackageMount } from "../../../fs/package_mount.ts";
import type { PyodideModule } from "./types.ts";

interface Loader extends PyodideModule {
  _free(address: number): void;
}

type Open = (handle: number) => number;

const LOADING = "loading";
const REFUSED = "native modules can be loaded from installed packages only";
/** Where a handle has the address and the size of the bytes that were read from the guest's files. */
const [DATA, SIZE] = [28, 32];

/**
 * Whatever Python code replaces, a library's bytes come through `FS.readFile`, which nothing else uses once Python
 * runs. The file that is read counts, not its name, so links do not matter either.
 */
export function guardLibraries(module: PyodideModule, packages: PackageMount): void {
  module.FS.readFile = (path) => {
    const data = packages.readPackaged(path);
    if (!data) throw new Error(REFUSED);
    return data;
  };
}

/** Makes every library be read again through `FS.readFile`, and forgets one that could not be loaded. */
export function wrapOpen(env: WebAssembly.ModuleImports, module: () => PyodideModule): void {
  const open = env._dlopen_js as Open;
  env._dlopen_js = (handle: number) => {
    const loader = module() as Loader;
    const [data, size] = [handle + DATA >>> 2, handle + SIZE >>> 2];
    loader._free(loader.HEAPU32[data]);
    loader.HEAPU32[data] = loader.HEAPU32[size] = 0;
    const result = open(handle);
    // Otherwise the next request would find it as if it were loaded.
    if (result === 0) forgetFailed(loader);
    return result;
  };
}

function forgetFailed({ LDSO: { loadedLibsByName } }: Loader): void {
  for (const [name, { exports }] of Object.entries(loadedLibsByName)) {
    if (exports === LOADING) delete loadedLibsByName[name];
  }
}
