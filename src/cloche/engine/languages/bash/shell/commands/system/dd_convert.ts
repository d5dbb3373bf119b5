/** What dd does to each block that it has read. */

export function convertBlock(block: Uint8Array, size: number, conv: Set<string>, record: number): Uint8Array {
  let result = block;
  if (conv.has("sync") && block.length < size) {
    result = new Uint8Array(size).fill(conv.has("block") || conv.has("unblock") ? 32 : 0);
    result.set(block);
  }
  if (conv.has("swab")) result = swapPairs(result);
  if (conv.has("ucase")) result = result.map((byte) => byte >= 97 && byte <= 122 ? byte - 32 : byte);
  if (conv.has("lcase")) result = result.map((byte) => byte >= 65 && byte <= 90 ? byte + 32 : byte);
  if (record > 0 && conv.has("block")) return makeRecords(result, record);
  if (record > 0 && conv.has("unblock")) return makeLines(result, record);
  return result;
}

function swapPairs(bytes: Uint8Array): Uint8Array {
  const swapped = bytes.slice();
  for (let i = 0; i + 1 < bytes.length; i += 2) {
    swapped[i] = bytes[i + 1];
    swapped[i + 1] = bytes[i];
  }
  return swapped;
}

/** Lines become records of one length. */
function makeRecords(bytes: Uint8Array, record: number): Uint8Array {
  const out: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const found = bytes.indexOf(10, at);
    const end = found < 0 ? bytes.length : found;
    for (let i = 0; i < record; i++) out.push(at + i < end ? bytes[at + i] : 32);
    at = end + 1;
  }
  return Uint8Array.from(out);
}

/** Records become lines without the blanks at their end. */
function makeLines(bytes: Uint8Array, record: number): Uint8Array {
  const out: number[] = [];
  for (let at = 0; at < bytes.length; at += record) {
    let end = Math.min(at + record, bytes.length);
    while (end > at && bytes[end - 1] === 32) end--;
    out.push(...bytes.subarray(at, end), 10);
  }
  return Uint8Array.from(out);
}
