/** Finds the packs of languages, and compiles their programs once. */

import { CATALOG, type Language } from "../languages/catalog.ts";

interface LoadedPack {
  pack: string;
  modules: Record<string, WebAssembly.Module>;
}

interface Waiting {
  resolve(folder: string): void;
  reject(error: Error): void;
}

export class PackLoader {
  readonly #folders = new Map<Language, Promise<string>>();
  readonly #waiting = new Map<Language, Waiting>();
  readonly #compiled = new Map<string, Promise<WebAssembly.Module>>();

  constructor(
    private readonly compiler: (path: string) => Promise<WebAssembly.Module>,
    private readonly ask: (language: Language) => void,
  ) {}

  /** Rejects with what the host says when the files cannot be had. */
  async get(language: Language): Promise<LoadedPack> {
    const { pack, modules } = CATALOG[language];
    if (!pack) return { pack: "", modules: {} };
    const folder = await this.#folder(language);
    const compiled = await Promise.all(modules.map((name) => this.compile(`${folder}/${name}`)));
    return { pack: folder, modules: Object.fromEntries(modules.map((name, index) => [name, compiled[index]])) };
  }

  compile(path: string): Promise<WebAssembly.Module> {
    let module = this.#compiled.get(path);
    if (!module) {
      module = this.compiler(path);
      module.catch(() => this.#compiled.delete(path));
      this.#compiled.set(path, module);
    }
    return module;
  }

  /** The host says where a language's files lie, or why they are not there. */
  resolvePack(language: Language, folder: string | null, error: string | null): void {
    const waiting = this.#waiting.get(language);
    this.#waiting.delete(language);
    if (folder !== null) return waiting?.resolve(folder);
    this.#folders.delete(language);
    waiting?.reject(new Error(error ?? "its files are not there"));
  }

  /** Its programs need not be kept any more. */
  forget(language: Language): void {
    void this.#folders.get(language)?.then((folder) => {
      const paths = [...this.#compiled.keys()].filter((path) => path.startsWith(`${folder}/`));
      for (const path of paths) this.#compiled.delete(path);
    }, () => {});
    this.#folders.delete(language);
  }

  #folder(language: Language): Promise<string> {
    let folder = this.#folders.get(language);
    if (!folder) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      this.#waiting.set(language, { resolve, reject });
      this.#folders.set(language, promise);
      folder = promise;
      this.ask(language);
    }
    return folder;
  }
}
