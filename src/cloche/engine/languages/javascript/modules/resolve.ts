/** Finds the file that a name in `require` or `import` means, as Node does. */

import type { Tree } from "../../../fs/tree.ts";
import { isModule } from "../source/cell.ts";
import { findExport, findImport, type Mode, type Package, readPackage } from "./package_json.ts";

export type Kind = "module" | "commonjs" | "json" | "native";

/** Packages that were installed for the whole sandbox. */
export const INSTALLED = "/opt/languages/javascript/node_modules";

const EXTENSIONS = [".js", ".json", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".node"];
/** TypeScript names files by what they will be. */
const SOURCES: Record<string, string[]> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
  ".jsx": [".tsx"],
};
const KINDS: Record<string, Kind> = {
  ".json": "json",
  ".node": "native",
  ".mjs": "module",
  ".mts": "module",
  ".cjs": "commonjs",
  ".cts": "commonjs",
};
const NAME = /^(@[^/]+\/[^/]+|[^/@.][^/]*)(\/.*)?$/;

export class Resolver {
  readonly #packages = new Map<string, Package | undefined>();

  constructor(private readonly tree: Tree) {}

  /** Forgets what packages said: they may have changed. */
  forget(): void {
    this.#packages.clear();
  }

  /** The file for a name in the code of `folder`; undefined if there is none. */
  resolve(folder: string, name: string, mode: Mode): string | undefined {
    if (name.startsWith("file:")) return this.#file(fromUrl(name));
    if (/^\.{0,2}\/|^\.{1,2}$/.test(name)) return this.#fileOrFolder(absolutePath(folder, name), name.endsWith("/"));
    if (name.startsWith("#")) return this.#import(folder, name, mode);
    const [, owner, rest = ""] = NAME.exec(name) ?? [];
    return owner === undefined ? undefined : this.#package(folder, owner, rest, mode);
  }

  kind(path: string, read: () => string): Kind {
    const extension = path.slice(path.lastIndexOf("."));
    if (Object.hasOwn(KINDS, extension)) return KINDS[extension];
    const type = this.#nearest(parentFolder(path))?.type;
    if (type === "module" || type === "commonjs") return type;
    return isModule(read()) ? "module" : "commonjs";
  }

  #package(folder: string, owner: string, rest: string, mode: Mode): string | undefined {
    const own = this.#nearest(folder);
    if (own?.name === owner && own.exports !== undefined) return this.#within(own, rest, mode);
    const places = foldersAbove(folder).filter((each) => !each.endsWith("/node_modules")).map((each) =>
      `${each}/node_modules`
    );
    for (const place of [...places.map((each) => each.replace("//", "/")), INSTALLED]) {
      const home = `${place}/${owner}`;
      if (!this.#isFolder(home)) {
        const found = rest === "" ? this.#file(home) : undefined;
        if (found) return found;
        continue;
      }
      const found = this.#within(this.#read(home) ?? { folder: home }, rest, mode);
      if (found) return found;
    }
    return undefined;
  }

  #within(found: Package, rest: string, mode: Mode): string | undefined {
    if (found.exports !== undefined && found.exports !== null) {
      const path = findExport(found.exports, `.${rest}`, mode);
      return path === null ? undefined : this.#file(absolutePath(found.folder, path));
    }
    if (rest !== "") return this.#fileOrFolder(`${found.folder}${rest}`, rest.endsWith("/"));
    return this.#main(found);
  }

  #main(found: Package): string | undefined {
    const browser = typeof found.browser === "string" ? found.browser : undefined;
    for (const each of [found.main, found.module, browser]) {
      const path = each === undefined ? undefined : this.#fileOrIndex(absolutePath(found.folder, each));
      if (path) return path;
    }
    return this.#index(found.folder);
  }

  #import(folder: string, name: string, mode: Mode): string | undefined {
    const own = this.#nearest(folder);
    const found = own && findImport(own.imports, name, mode);
    if (!own || !found) return undefined;
    return found.startsWith(".") ? this.#file(absolutePath(own.folder, found)) : this.resolve(own.folder, found, mode);
  }

  #fileOrFolder(path: string, isFolder: boolean): string | undefined {
    const file = isFolder ? undefined : this.#file(path);
    if (file) return file;
    if (!this.#isFolder(path)) return undefined;
    const found = this.#read(path);
    return found ? this.#main(found) : this.#index(path);
  }

  #fileOrIndex(path: string): string | undefined {
    return this.#file(path) ?? (this.#isFolder(path) ? this.#index(path) : undefined);
  }

  #index(folder: string): string | undefined {
    return EXTENSIONS.map((extension) => `${folder}/index${extension}`).find((path) => this.#isFile(path));
  }

  #file(path: string): string | undefined {
    const end = path.slice(path.lastIndexOf("."));
    const sources = Object.hasOwn(SOURCES, end) ? SOURCES[end].map((other) => path.slice(0, -end.length) + other) : [];
    const candidates = [path, ...EXTENSIONS.map((extension) => path + extension), ...sources];
    const found = candidates.find((each) => this.#isFile(each));
    return found === undefined ? undefined : this.tree.realPath(found);
  }

  #nearest(folder: string): Package | undefined {
    for (const each of foldersAbove(folder)) {
      if (each.endsWith("/node_modules")) return undefined;
      const found = this.#read(each);
      if (found) return found;
    }
    return undefined;
  }

  #read(folder: string): Package | undefined {
    if (!folder.includes("/node_modules/")) return readPackage(this.tree, folder);
    if (!this.#packages.has(folder)) this.#packages.set(folder, readPackage(this.tree, folder));
    return this.#packages.get(folder);
  }

  #isFile(path: string): boolean {
    return this.#is(path, "file");
  }

  #isFolder(path: string): boolean {
    return this.#is(path, "directory");
  }

  #is(path: string, kind: string): boolean {
    try {
      return this.tree.stat(path).kind === kind;
    } catch {
      return false;
    }
  }
}

export function parentFolder(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** A folder and all those that it lies in. */
export function foldersAbove(folder: string): string[] {
  const all = [];
  for (let at = folder; at !== "/" && at !== ""; at = parentFolder(at)) all.push(at);
  return [...all, "/"];
}

export function absolutePath(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

function fromUrl(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    return url;
  }
}
