/** Objects that are a file each, compressed by the platform itself, which is many times faster than in JavaScript. */
import type { IFileSystem } from "just-bash";
import { fromArray } from "../../text/byte_strings.ts";
import { FIXED_LIMITS } from "../../../../limits.ts";
import { concatBytes } from "../../../../text/bytes.ts";
import { GitError } from "../options.ts";
import { isMissing } from "../isomorphic_files.ts";

const HEAD = 32;
const PIECE = 16_384;

export class LooseObjects {
  readonly #folders = new Set<string>();

  constructor(private readonly fs: IFileSystem, private readonly gitdir: string) {}

  /** The object with its head, or undefined if it is not here. */
  async read(oid: string): Promise<{ kind: string; data: Uint8Array } | undefined> {
    const path = this.#path(oid);
    try {
      if ((await this.fs.stat(path)).size > FIXED_LIMITS.gitLimit) throw new GitError(TOO_LARGE);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    const whole = await inflate(await this.fs.readFileBuffer(path), oid);
    const end = whole.subarray(0, HEAD).indexOf(0);
    const match = fromArray(whole.subarray(0, Math.max(0, end))).match(/^(blob|tree|commit|tag) (\d+)$/);
    if (!match || whole.length - end - 1 !== Number(match[2]) || await hashObject(whole) !== oid) {
      throw new GitError(`loose object ${oid} (stored in ${path}) is corrupt`);
    }
    return { kind: match[1], data: whole.subarray(end + 1) };
  }

  async write(kind: string, data: Uint8Array): Promise<string> {
    const whole = concatBytes([new TextEncoder().encode(`${kind} ${data.length}\0`), data]);
    const oid = await hashObject(whole);
    const path = this.#path(oid);
    if (await this.fs.exists(path)) return oid;
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!this.#folders.has(folder)) await this.fs.mkdir(folder, { recursive: true });
    this.#folders.add(folder);
    // Under another name first, so that an interruption leaves no broken object.
    const aside = `${folder}/tmp_obj_${oid.slice(0, 8)}`;
    await this.fs.writeFile(aside, await deflate(whole));
    await this.fs.mv(aside, path);
    return oid;
  }

  #path(oid: string): string {
    return `${this.gitdir}/objects/${oid.slice(0, 2)}/${oid.slice(2)}`;
  }
}

export async function hashObject(data: Uint8Array): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-1", data as Uint8Array<ArrayBuffer>)).toHex();
}

async function deflate(data: Uint8Array): Promise<Uint8Array> {
  return await pass(new CompressionStream("deflate"), data, Infinity);
}

/** A few bytes may expand to very many, so the output is bounded. */
async function inflate(data: Uint8Array, oid: string): Promise<Uint8Array> {
  try {
    return await pass(new DecompressionStream("deflate"), data, FIXED_LIMITS.gitLimit);
  } catch (error) {
    if (error instanceof GitError) throw error;
    throw new GitError(`loose object ${oid} is corrupt`);
  }
}

const TOO_LARGE = `an object of more than ${FIXED_LIMITS.gitLimit >> 20} MB cannot be read here`;

/** In small pieces, because the output of one is kept in memory. */
async function feed(writer: WritableStreamDefaultWriter<BufferSource>, data: Uint8Array): Promise<void> {
  for (let at = 0; at < data.length; at += PIECE) {
    await writer.ready;
    await writer.write(data.slice(at, at + PIECE));
  }
  await writer.close();
}

/** The size in the header of an object, so that a large one is not even started. */
function declared(start: Uint8Array): number {
  return Number(fromArray(start.subarray(0, HEAD)).match(/^[a-z]+ (\d+)\0/)?.[1] ?? 0);
}

async function pass(stream: CompressionStream | DecompressionStream, data: Uint8Array, limit: number) {
  // Its failure is seen where the other end is read.
  feed(stream.writable.getWriter(), data).catch(() => {});
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream.readable) {
    if (size === 0 && declared(part) > limit) throw new GitError(TOO_LARGE);
    parts.push(part);
    size += part.length;
    if (size > limit) throw new GitError(TOO_LARGE);
  }
  return parts.length === 1 ? parts[0] : concatBytes(parts);
}
