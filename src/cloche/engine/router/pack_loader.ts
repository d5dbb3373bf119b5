/** Finds the packs of languages, and compiles their modules once. */

import { CATALOG, type Language } from "../languages/catalog.ts";

interface LoadedPack {
  pack: string;
  modules: Record<string, WebAssembly.Module>;
}

export class PackLoader {
  readonly #folders = new Map<Language, Promise<string>>();
  readonly #compiled = new Map<string, Promise<WebAssembly.Module>>();

  constructor(
    private readonly compiler: (path: string) => Promise<WebAssembly.Module>,
    /** Where its files are; rejects with why they are missing. */
    private readonly ask: (language: Language) => Promise<unknown>,
  ) {}

  /** Rejects with the host's message if the files are not available. */
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

  /** A module need not be kept any more. */
  drop(path: string): void {
    this.#compiled.delete(path);
  }

  /** Its modules need not be kept any more. */
  forget(language: Language): void {
    // Concurrent requests for one language are sent once.
    void this.#folders.get(language)?.then((folder) => {
      this.#folders.delete(language);
      const paths = [...this.#compiled.keys()].filter((path) => path.startsWith(`${folder}/`));
      for (const path of paths) this.#compiled.delete(path);
    }, () => {});
  }

  #folder(language: Language): Promise<string> {
    let folder = this.#folders.get(language);
    if (!folder) {
      folder = this.ask(language).then(String);
      folder.catch(() => this.#folders.delete(language));
      this.#folders.set(language, folder);
    }
    return folder;
  }
}
