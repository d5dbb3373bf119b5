/** Keeps the files of /workspace in the browser, so that a reload finds them. */

import type { EngineFiles } from "./engine/engine_types.ts";

const ROOT = "/workspace/";
const STORE = "files";

export class SavedFiles {
  /** What was stored last: by its path, size and time. */
  readonly #known = new Map<string, string>();
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(private readonly database: IDBDatabase, private readonly files: EngineFiles) {}

  /** Opens the store and puts its files into /workspace. Rejects where the browser keeps nothing. */
  static async open(files: EngineFiles): Promise<SavedFiles> {
    const opening = indexedDB.open("cloche.play", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    const saved = new SavedFiles(await settled(opening), files);
    await saved.#restore();
    return saved;
  }

  /** Stores what has changed since the last time. Rejects if there is no room. */
  save(): Promise<void> {
    const done = this.#turn.then(() => this.#save());
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #save(): Promise<void> {
    const here = new Map(Object.keys(this.files.sizes()).map((path) => [path, this.#stamp(path)]));
    const changed = [...here].filter(([path, stamp]) => this.#known.get(path) !== stamp);
    const gone = [...this.#known.keys()].filter((path) => !here.has(path));
    if (changed.length === 0 && gone.length === 0) return;
    const writing = this.database.transaction(STORE, "readwrite");
    const store = writing.objectStore(STORE);
    for (const [path] of changed) store.put(this.files.exportFiles(path)[path], path);
    for (const path of gone) store.delete(path);
    await new Promise<void>((resolve, reject) => {
      writing.oncomplete = () => resolve();
      writing.onabort = writing.onerror = () => reject(writing.error ?? new Error("the browser stores nothing"));
    });
    for (const [path, stamp] of changed) this.#known.set(path, stamp);
    for (const path of gone) this.#known.delete(path);
  }

  async #restore(): Promise<void> {
    const store = this.database.transaction(STORE).objectStore(STORE);
    const [paths, contents] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
    paths.forEach((path, at) => {
      if (typeof path !== "string" || !path.startsWith(ROOT)) return;
      this.files.importFiles({ [path]: contents[at] as Uint8Array });
      this.#known.set(path, this.#stamp(path));
    });
  }

  #stamp(path: string): string {
    const { size, mtime } = this.files.lstat(path);
    return `${size} ${mtime}`;
  }
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser stores nothing"));
  });
}
