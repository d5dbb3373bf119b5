/** The memory of a perl that has started, as its difference from a fresh one. */

const WORD = 4;
/** Words of the header. */
const HEAD = 4;
const PAGE = 64 << 10;

export interface Image {
  /** Bytes of the whole memory, and of the part that is never used. */
  size: number;
  idle: number;
  /** The address where perl checks for a signal. */
  pending: number;
  /** Where each piece belongs, how long it is, and its bytes. */
  pieces: [number, Uint8Array][];
}

export function writeImage({ size, idle, pending, pieces }: Image): Uint8Array {
  const head = Uint32Array.of(
    size,
    idle,
    pending,
    pieces.length,
    ...pieces.flatMap(([at, data]) => [at, data.length]),
  );
  const written = new Uint8Array(
    pieces.reduce((sum, [, data]) => sum + data.length, head.byteLength),
  );
  written.set(new Uint8Array(head.buffer));
  let next = head.byteLength;
  for (const [, data] of pieces) {
    written.set(data, next);
    next += data.length;
  }
  return written;
}

/** `data` must have its own buffer. */
export function readImage(data: Uint8Array): Image {
  const [size, idle, pending, count] = new Uint32Array(data.buffer, 0, HEAD);
  const list = new Uint32Array(data.buffer, HEAD * WORD, count * 2);
  let next = (HEAD + list.length) * WORD;
  const pieces = Array.from(
    { length: count },
    (_, index): [number, Uint8Array] => {
      const start = next;
      next += list[index * 2 + 1];
      return [list[index * 2], data.subarray(start, next)];
    },
  );
  return { size, idle, pending, pieces };
}

/** Applies such a difference to the fresh memory of the same module. */
export function restoreImage(
  { size, pieces }: Image,
  memory: WebAssembly.Memory,
): void {
  memory.grow(Math.max(0, size - memory.buffer.byteLength) / PAGE);
  const bytes = new Uint8Array(memory.buffer);
  for (const [at, data] of pieces) bytes.set(data, at);
}
