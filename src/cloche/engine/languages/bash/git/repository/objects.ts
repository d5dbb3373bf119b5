/** A repository's objects: commits, trees, files, tags. */
import git from "isomorphic-git";
import { decodeText, encodeText, fromArray, toArray } from "../../text/byte_strings.ts";
import { concatBytes } from "../../../../text/bytes.ts";
import { checkInterrupt, type Context } from "../../just_bash/command.ts";
import { GitError } from "../options.ts";
import type { GitFiles } from "../isomorphic_files.ts";
import { hashObject, LooseObjects } from "./loose_objects.ts";
import { byBytes } from "./paths.ts";

export type ObjectKind = "blob" | "tree" | "commit" | "tag";

const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
export const EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
export const FOLDER = 0o040000;
export const LINK = 0o120000;
export const MODULE = 0o160000;

/** Something in a tree or the index. */
export interface Item {
  mode: number;
  oid: string;
}

export interface TreeEntry extends Item {
  name: string;
}

export interface Person {
  name: string;
  email: string;
  /** Seconds since 1970. */
  time: number;
  zone: string;
}

export interface Commit {
  oid: string;
  tree: string;
  parents: string[];
  author: Person;
  committer: Person;
  message: string;
}

/** Packs that were read stay while there is memory for them. */
let shared = new WeakRef<object>({});

export class Objects {
  readonly #cache: object;
  readonly #loose: LooseObjects;

  constructor(private readonly ctx: Context, private readonly fs: GitFiles, readonly gitdir: string) {
    this.#loose = new LooseObjects(ctx.fs, gitdir);
    this.#cache = shared.deref() ?? {};
    shared = new WeakRef(this.#cache);
  }

  async read(oid: string): Promise<{ kind: ObjectKind; data: Uint8Array }> {
    checkInterrupt(this.ctx);
    try {
      const loose = oid === EMPTY_TREE ? undefined : await this.#loose.read(oid);
      if (loose) return { kind: loose.kind as ObjectKind, data: loose.data };
      const { fs, gitdir } = this;
      const found = await git.readObject({ fs, gitdir, oid, format: "content", cache: this.#cache });
      return { kind: found.type as ObjectKind, data: found.object as Uint8Array };
    } catch (error) {
      if (isNotFound(error)) throw new GitError(`bad object ${oid}`);
      throw error;
    }
  }

  async has(oid: string): Promise<boolean> {
    try {
      await this.read(oid);
      return true;
    } catch (error) {
      if (error instanceof GitError) return false;
      throw error;
    }
  }

  async write(kind: ObjectKind, data: Uint8Array): Promise<string> {
    checkInterrupt(this.ctx);
    return await this.#loose.write(kind, data);
  }

  async blob(oid: string): Promise<Uint8Array> {
    return (await this.#expect(oid, "blob")).data;
  }

  async tree(oid: string): Promise<TreeEntry[]> {
    return parseTree((await this.#expect(oid, "tree")).data);
  }

  async commit(oid: string): Promise<Commit> {
    return parseCommit(oid, (await this.#expect(oid, "commit")).data);
  }

  async #expect(oid: string, kind: ObjectKind): Promise<{ data: Uint8Array }> {
    const found = await this.read(oid);
    if (found.kind !== kind) throw new GitError(`object ${oid} is a ${found.kind}, not a ${kind}`);
    return found;
  }

  /** Whole names of the objects that begin with these digits. */
  async expand(prefix: string): Promise<string | undefined> {
    try {
      return await git.expandOid({ fs: this.fs, gitdir: this.gitdir, oid: prefix, cache: this.#cache });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (error instanceof Error && error.name === "AmbiguousError") {
        throw new GitError(`ambiguous argument '${prefix}': short object ID ${prefix} is ambiguous`);
      }
      throw error;
    }
  }

  async writeTree(entries: TreeEntry[]): Promise<string> {
    const key = (entry: TreeEntry) => entry.mode === FOLDER ? entry.name + "/" : entry.name;
    const sorted = [...entries].sort((a, b) => byBytes(key(a), key(b)));
    const parts = sorted.map(({ mode, name, oid }) =>
      `${mode.toString(8)} ${encodeText(name)}\0${fromArray(Uint8Array.fromHex(oid))}`
    );
    return await this.write("tree", toArray(parts.join("")));
  }

  async writeCommit(commit: Omit<Commit, "oid">): Promise<string> {
    const head = [
      `tree ${commit.tree}`,
      ...commit.parents.map((parent) => `parent ${parent}`),
      `author ${personText(commit.author)}`,
      `committer ${personText(commit.committer)}`,
    ].join("\n");
    return await this.write("commit", toArray(encodeText(`${head}\n\n${commit.message}`)));
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === "NotFoundError";
}

/** The name that git would give to these contents. */
export async function hashOf(kind: ObjectKind, data: Uint8Array): Promise<string> {
  return await hashObject(concatBytes([new TextEncoder().encode(`${kind} ${data.length}\0`), data]));
}

export function parseTree(data: Uint8Array): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < data.length;) {
    const space = data.indexOf(0x20, at);
    const end = data.indexOf(0, space);
    if (space < 0 || end < 0 || end + 21 > data.length) throw new GitError("malformed tree object");
    const mode = parseInt(fromArray(data.subarray(at, space)), 8);
    const name = decodeText(fromArray(data.subarray(space + 1, end)));
    entries.push({ mode: normalMode(mode), name, oid: data.subarray(end + 1, end + 21).toHex() });
    at = end + 21;
  }
  return entries;
}

/** One of the five modes that git knows. */
export function normalMode(mode: number): number {
  const kind = mode & 0o170000;
  if (kind === FOLDER || kind === LINK || kind === MODULE) return kind;
  return mode & 0o100 ? 0o100755 : 0o100644;
}

function parseCommit(oid: string, data: Uint8Array): Commit {
  const text = decodeText(fromArray(data));
  const gap = text.indexOf("\n\n");
  const lines = (gap < 0 ? text : text.slice(0, gap)).split("\n");
  const values = (name: string) =>
    lines.filter((line) => line.startsWith(name + " ")).map((line) => line.slice(name.length + 1));
  const [tree] = values("tree");
  if (tree === undefined) throw new GitError(`malformed commit ${oid}`);
  return {
    oid,
    tree,
    parents: values("parent"),
    author: parsePerson(values("author")[0] ?? ""),
    committer: parsePerson(values("committer")[0] ?? ""),
    message: gap < 0 ? "" : text.slice(gap + 2),
  };
}

export function parsePerson(text: string): Person {
  const match = text.match(/^(.*?) ?<([^<>]*)>(?: (-?\d+)(?: ([-+]\d{4}))?)?/);
  if (!match) return { name: text, email: "", time: 0, zone: "+0000" };
  return { name: match[1], email: match[2], time: Number(match[3] ?? 0), zone: match[4] ?? "+0000" };
}

export function personText({ name, email, time, zone }: Person): string {
  return `${name} <${email}> ${time} ${zone}`;
}
