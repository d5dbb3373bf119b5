/** Files that come with Cloche, read through Deno. */

// Taken before the guest runs, as the worker deletes `Deno` from its globals.
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
