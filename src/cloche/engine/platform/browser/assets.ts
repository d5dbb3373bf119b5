/** Files that come with Cloche, from the page's server. */

import type { Pack } from "../../languages/language.ts";

/** The only way to wait for a file. */
interface Request {
  responseType: string;
  readonly status: number;
  readonly statusText: string;
  readonly response: ArrayBuffer;
  open(method: string, url: string, later: boolean): void;
  send(): void;
}

// Taken before the guest runs, because the worker removes it from its globals.
const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest: new () => Request };

const known = new Map<string, Uint8Array<ArrayBuffer>>();
/** A file that is opened a second time is kept: Python opens its library for every module. */
const closed = new Set<string>();

function load(path: string): Uint8Array<ArrayBuffer> {
  let data = known.get(path);
  if (!data) {
    const request = new XMLHttpRequest();
    request.open("GET", path, false);
    request.responseType = "arraybuffer";
    request.send();
    if (request.status !== 200) {
      throw new Error(`${path} could not be fetched: ${request.status} ${request.statusText}`);
    }
    data = new Uint8Array(request.response);
    known.set(path, data);
  }
  return data;
}

export function openAsset(path: string) {
  const data = load(path);
  return {
    size: data.length,
    read(into: Uint8Array, position: number): void {
      if (position + into.length > data.length) throw new Error(`${path} is shorter than it should be`);
      into.set(data.subarray(position, position + into.length));
    },
    close(): void {
      if (!closed.has(path)) known.delete(path);
      closed.add(path);
    },
  };
}

/** The downloaded folder of a language. */
export function openPack(folder: string, modules: Record<string, WebAssembly.Module>): Pack {
  return {
    open: (name) => openAsset(`${folder}/${name}`),
    read(name) {
      const data = load(`${folder}/${name}`);
      known.delete(`${folder}/${name}`);
      return data;
    },
    url: (name) => new URL(`${folder}/${name}`, self.location.href).href,
    module(name) {
      if (!modules[name]) throw new Error(`the program ${name} was not sent`);
      return modules[name];
    },
  };
}
