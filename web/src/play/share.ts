/** A piece of code as an address: what is shared is in the part of it that browsers keep to themselves. */

export interface Shared {
  language: string;
  code: string;
  /** Small files, by their path below /workspace. */
  files: Record<string, Uint8Array>;
}

/** Characters of an address that others still take. */
export const LONGEST = 32_000;

interface Packed {
  c: string;
  f?: Record<string, string>;
}

/** Where shared files are for code. */
export function inWorkspace(files: Shared["files"]): Shared["files"] {
  return Object.fromEntries(Object.entries(files).map(([path, data]) => [`/workspace/${path}`, data]));
}

/** The part of an address after the #. */
export async function packShared({ code, files }: Shared): Promise<string> {
  const f = Object.fromEntries(Object.entries(files).map(([path, data]) => [path, encode(data)]));
  const packed: Packed = { c: code, ...(Object.keys(f).length > 0 && { f }) };
  const bytes = new TextEncoder().encode(JSON.stringify(packed));
  return `code=${encode(await pump(bytes, new CompressionStream("deflate-raw")))}`;
}

/** What an address holds; undefined if it holds none. Throws if that is damaged. */
export async function unpackShared(address: URL): Promise<Shared | undefined> {
  const language = address.searchParams.get("lang") ?? "";
  const given = new URLSearchParams(address.hash.slice(1)).get("code");
  if (!given) return undefined;
  const text = new TextDecoder().decode(await pump(decode(given), new DecompressionStream("deflate-raw")));
  const { c, f = {} } = JSON.parse(text) as Packed;
  const files = Object.fromEntries(Object.entries(f).map(([path, data]) => [path, decode(data)]));
  return { language, code: String(c), files };
}

async function pump(data: Uint8Array<ArrayBuffer>, through: CompressionStream | DecompressionStream) {
  const stream = new Blob([data]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function encode(data: Uint8Array): string {
  let text = "";
  for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
}
