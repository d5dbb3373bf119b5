/** Where the engine is, and what a language needs of it: both from the folder in which the page is. */

import type { EngineModule } from "./engine_types.ts";

interface SiteIndex {
  root: string;
  languages: string[];
}

/** Whether the files of a language are there; if so, which they are. */
interface Preparation {
  ready?: boolean;
  step?: string;
  done?: number;
  total?: number;
  error?: string;
  /** What a first run loads, with the bytes of each. */
  files?: [address: string, bytes: number][];
  /** What may be needed later. */
  later?: string[];
}

export type Progress = (text: string, done?: number, total?: number) => void;

/** Milliseconds between two looks at how far the server is. */
const LOOK = 500;

export class EngineSite {
  readonly #prepared = new Map<string, Promise<Preparation>>();

  private constructor(readonly index: SiteIndex) {}

  static async open(): Promise<EngineSite> {
    return new EngineSite(await read<SiteIndex>("engine/site.json"));
  }

  get engine(): string {
    return addressOf(this.index.root);
  }

  async load(): Promise<EngineModule> {
    return await import(/* @vite-ignore */ `${this.engine}page.js`);
  }

  /** Loads the files of a language, so that its worker finds them in the browser. */
  async fetchLanguage(language: string, tell: Progress): Promise<void> {
    const { files = [] } = await this.#prepare(language, tell);
    const total = files.reduce((sum, [, bytes]) => sum + bytes, 0);
    let done = 0;
    await Promise.all(files.map(async ([address]) => {
      const response = await fetch(this.engine + address);
      if (!response.ok || !response.body) throw new Error(`${address} could not be loaded: ${response.status}`);
      // Not every browser can iterate over a body.
      const reader = response.body.getReader();
      for (let step = await reader.read(); !step.done; step = await reader.read()) {
        done += step.value.length;
        tell("Loading", Math.min(done, total), total);
      }
    }));
  }

  /** Loads what may be needed later, so that nothing is asked for when the server is gone. */
  async keepRest(language: string): Promise<void> {
    if (!navigator.serviceWorker?.controller) return;
    const { files = [], later = [] } = await this.#prepare(language, () => {});
    const left = [...listPage(), ...[...files.map(([address]) => address), ...later].map((each) => this.engine + each)];
    const fetchNext = async () => {
      for (let each = left.pop(); each !== undefined; each = left.pop()) await (await fetch(each)).body?.cancel();
    };
    await Promise.all([1, 2, 3].map(fetchNext));
  }

  #prepare(language: string, tell: Progress): Promise<Preparation> {
    const known = this.#prepared.get(language) ?? waitUntilReady(language, tell);
    this.#prepared.set(language, known);
    known.catch(() => this.#prepared.delete(language));
    return known;
  }
}

/** What the page itself was loaded from: some of it before the service worker was there. */
function listPage(): string[] {
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  return [addressOf(location.pathname), ...loaded.filter((name) => name.startsWith(addressOf("page/")))];
}

async function waitUntilReady(language: string, tell: Progress): Promise<Preparation> {
  for (;;) {
    const found = await read<Preparation>(`engine/ready/${language}`);
    if (found.error) throw new Error(found.error);
    if (found.ready) return found;
    tell(`The server prepares ${found.step || language}`, found.done, found.total);
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}

async function read<T>(address: string): Promise<T> {
  const response = await fetch(addressOf(address)).catch(() => undefined);
  if (!response) throw new Error("the server cannot be reached, and this is not kept in the browser");
  if (!response.ok) throw new Error(await explain(response, address));
  return await response.json();
}

/** What a server says of a file that it does not give: Cloche's says it as JSON, others in words of their own. */
async function explain(response: Response, address: string): Promise<string> {
  const told = await response.json().catch(() => ({}));
  return told.detail ?? `${address} is not there (${response.status})`;
}

export function addressOf(path: string): string {
  return new URL(path, document.baseURI).href;
}
