/** Files that come with Cloche, read through Deno. */

import type { Pack } from "../../languages/language.ts";

// Taken before the guest runs, because the worker deletes `Deno` from its globals.
const deno = Deno;

export function openAsset(path: string) {
  const file = deno.openSync(path);
  return {
    size: file.statSync().size,
    read(into: Uint8Array, position: number): void {
      file.seekSync(position, deno.SeekMode.Start);
      for (let done = 0; done < into.length;) {
        const count = file.readSync(into.subarray(done));
        if (count === null) throw new Error(`${path} is shorter than it should be`);
        done += count;
      }
    },
    close: () => file.close(),
  };
}

/** The downloaded folder of a language. */
export function openPack(folder: string, modules: Record<string, WebAssembly.Module>): Pack {
  return {
    open: (name) => openAsset(`${folder}/${name}`),
    read(name) {
      const file = openAsset(`${folder}/${name}`);
      try {
        const data = new Uint8Array(file.size);
        file.read(data, 0);
        return data;
      } finally {
        file.close();
      }
    },
    url: (name) => new URL(name, `file://${folder.split("/").map(encodeURIComponent).join("/")}/`).href,
    module(name) {
      if (!modules[name]) throw new Error(`the program ${name} was not sent`);
      return modules[name];
    },
  };
}
