/** Endless devices for commands that read files as a whole. */

const RANDOM_CHUNK = 65536;

/** The endless device that a path names. */
export function endlessDevice(path: string): string | undefined {
  return path.match(/^\/dev\/(zero|u?random)$/)?.[1];
}

/** Some bytes of an endless device. */
export function deviceBytes(device: string, count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count);
  if (!device.endsWith("random")) return bytes;
  for (let at = 0; at < count; at += RANDOM_CHUNK) crypto.getRandomValues(bytes.subarray(at, at + RANDOM_CHUNK));
  return bytes;
}
