/** git apply: all of a patch or nothing of it. */
import { fromArray, toArray } from "../../../text/byte_strings.ts";
import { applyHunks, type FilePatch, type Hunk, parsePatch, reversePatch } from "../../../text/diff/patch_format.ts";
import { type Args, GitError, parseArgs, usageError } from "../../options.ts";
import type { Call } from "../../call.ts";
import { type Count, renderStat, summaryLine } from "../../text/changes.ts";
import { Index } from "../../repository/index_file.ts";
import type { Item } from "../../repository/objects.ts";
import { LINK } from "../../repository/objects.ts";
import { checkPath, parentOf, quotePath } from "../../repository/paths.ts";
import { Repo } from "../../repository/repository.ts";
import { forget, readWork, statFile } from "../../repository/worktree_scan.ts";
import { decodeText } from "../../../text/byte_strings.ts";
import { flattenTree, writeIndexTree } from "../../repository/trees.ts";
import { removeWork, writeWork } from "../../repository/worktree_files.ts";

/** What a patch does to one file; names are bytes. */
interface FileChange {
  from: string | undefined;
  to: string | undefined;
  mode: number | undefined;
  copy: boolean;
  binary: boolean;
  hunks: Hunk[];
}

export async function runApply(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(
    args,
    "check reverse,R stat numstat summary p= index cached directory= verbose,v quiet,q 3way,3 reject whitespace= " +
      "unidiff-zero allow-empty recount apply include= exclude= allow-overlap inaccurate-eof ignore-whitespace C=",
  );
  if (given.has("3way") || given.has("reject")) throw new GitError("apply --3way and --reject are not supported here");
  const repo = await Repo.find(call);
  const sources = given.everything.length > 0 ? given.everything : ["-"];
  const changes: FileChange[] = [];
  for (const name of sources) changes.push(...readPatch(await source(call, name), given));
  if (changes.length === 0 && !given.has("allow-empty")) {
    throw usageError('No valid patches in input (allow with "--allow-empty")', 128);
  }
  const shows = ["stat", "numstat", "summary"].some((name) => given.has(name));
  if (shows) tellCounts(call, changes, given);
  if (shows && !given.has("apply")) return 0;
  const job = new Applying(repo, await repo.index(), given);
  for (const change of changes) await job.prepare(change);
  if (job.complain() || given.has("check")) return job.failed ? 1 : 0;
  await job.write();
  return 0;
}

/** Applies a patch to index and work tree; returns the complaints, none if all of it was applied. */
export async function applyToIndex(repo: Repo, text: string, words: string[] = []): Promise<string[]> {
  const given = parseArgs(["--index", ...words], "index cached directory= p= reverse,R include= exclude=");
  const changes = readPatch(text, given);
  const job = new Applying(repo, await repo.index(), given);
  for (const change of changes) await job.prepare(change);
  if (!job.failed) await job.write();
  return job.errors;
}

/** The trees of a patch's own base and of the patch applied to it; undefined if the repository has not got them. */
export async function applyToBase(repo: Repo, text: string, tree: string, words: string[] = []) {
  const given = parseArgs(["--cached", ...words], "index cached directory= p= reverse,R include= exclude=");
  const index = new Index();
  for (const [path, item] of await flattenTree(repo, tree)) index.put(path, item);
  const changed: string[] = [];
  for (const piece of text.split(/^(?=diff --git )/m)) {
    const old = piece.match(/^index ([0-9a-f]{4,40})\.\.[0-9a-f]+(?: (\d+))?$/m);
    const [change] = piece.startsWith("diff --git ") ? readPatch(piece, given) : [];
    if (!change || !old || change.from === undefined) continue;
    const oid = await repo.objects.expand(old[1]);
    if (oid === undefined) return undefined;
    const path = decodeText(change.from);
    const entry = index.entries.get(path);
    if (entry?.oid !== oid) changed.push(path);
    index.put(path, { oid, mode: old[2] === undefined ? entry?.mode ?? 0o100644 : parseInt(old[2], 8) });
  }
  const base = await writeIndexTree(repo, index);
  const job = new Applying(repo, index, given);
  for (const change of readPatch(text, given)) await job.prepare(change);
  if (job.failed) return undefined;
  await job.stage();
  return { base, theirs: await writeIndexTree(repo, index), changed };
}

async function source(call: Call, name: string): Promise<string> {
  if (name === "-") return call.stdin();
  try {
    return fromArray(await call.ctx.fs.readFileBuffer(call.path(name)));
  } catch {
    throw usageError(`can't open patch '${name}': No such file or directory`, 128);
  }
}

function readPatch(text: string, given: Args): FileChange[] {
  const strip = given.number("p", 1);
  const pieces = text.split(/^(?=diff --git )/m);
  const changes = pieces.flatMap((piece) =>
    piece.startsWith("diff --git ") ? [gitChange(piece, strip)] : plainChanges(piece, strip)
  );
  return given.has("reverse") ? changes.map(reversed).reverse() : changes;
}

/** Patches without git's own head. */
function plainChanges(text: string, strip: number): FileChange[] {
  return parsePatch(text).map((file) => {
    const name = (given: string) => given === "/dev/null" ? undefined : stripped(given, strip);
    return {
      from: name(file.oldName),
      to: name(file.newName),
      mode: undefined,
      copy: false,
      binary: false,
      hunks: file.hunks,
    };
  }).map((change) => change.from !== undefined && change.to !== undefined ? { ...change, from: change.to } : change);
}

function gitChange(piece: string, strip: number): FileChange {
  const head = piece.split(/^@@ /m)[0];
  const value = (pattern: RegExp) => head.match(pattern)?.[1];
  const [first] = head.split("\n");
  const names = namesOf(first.slice("diff --git ".length), strip);
  const path = (text: string | undefined) => {
    if (text === undefined) return undefined;
    const plain = unquote(text.replace(/\t$/, ""));
    return plain === "/dev/null" ? undefined : stripped(plain, strip);
  };
  const newMode = value(/^new file mode (\d+)$/m) ?? value(/^new mode (\d+)$/m);
  const created = /^new file mode /m.test(head);
  const deleted = /^deleted file mode /m.test(head);
  const moved = value(/^(?:rename|copy) from (.*)$/m);
  const target = value(/^(?:rename|copy) to (.*)$/m);
  const minus = head.match(/^--- (.*)$/m)?.[1];
  const plus = head.match(/^\+\+\+ (.*)$/m)?.[1];
  const from = moved === undefined ? minus === undefined ? names : path(minus) : unquote(moved);
  const to = target === undefined ? plus === undefined ? names : path(plus) : unquote(target);
  const hunks = minus === undefined ? [] : parsePatch(piece)[0]?.hunks ?? [];
  return {
    from: created ? undefined : from ?? to,
    to: deleted ? undefined : to ?? from,
    mode: newMode === undefined ? undefined : parseInt(newMode, 8),
    copy: /^copy from /m.test(head),
    binary: /^(GIT binary patch|Binary files .* differ)$/m.test(piece),
    hunks,
  };
}

/** The one name in "a/x b/x". */
function namesOf(text: string, strip: number): string {
  if (text.startsWith('"')) return stripped(unquote(text.match(/^"(?:[^"\\]|\\.)*"/)?.[0] ?? text), strip);
  const half = text.slice(0, (text.length - 1) / 2);
  const tail = text.slice(half.length + 1);
  const [a, b] = [stripped(half, strip), stripped(tail, strip)];
  return a === b ? a : stripped(text.split(" ")[0], strip);
}

function stripped(name: string, strip: number): string {
  return name.split("/").slice(strip).join("/");
}

const ESCAPES: Record<string, string> = { a: "\x07", b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r" };

function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  return text.slice(1, text.lastIndexOf('"')).replace(
    /\\([0-7]{3}|.)/gs,
    (_, code) => /^[0-7]{3}$/.test(code) ? String.fromCharCode(parseInt(code, 8)) : ESCAPES[code] ?? code,
  );
}

function reversed(change: FileChange): FileChange {
  const file: FilePatch = { oldName: "", newName: "", renames: false, hunks: change.hunks };
  return { ...change, from: change.to, to: change.from, mode: undefined, hunks: reversePatch(file).hunks };
}

function tellCounts(call: Call, changes: FileChange[], given: Args): void {
  const counts: Count[] = changes.map(({ from, to, hunks, binary }) => {
    const lines = hunks.flatMap((hunk) => hunk.lines);
    const count = (mark: string) => lines.filter((line) => line[0] === mark).length;
    const path = decodeText(to ?? from ?? "");
    return { path, binary: binary ? [0, 0] : undefined, added: count("+"), deleted: count("-") };
  });
  if (given.has("stat")) call.bytes(renderStat(counts, 4));
  if (given.has("numstat")) {
    for (const { path, added, deleted } of counts) call.bytes(`${added}\t${deleted}\t${quotePath(path)}\n`);
  }
  if (given.has("summary") && !given.has("stat")) call.bytes(summaryLine(counts));
}

interface Ready {
  path: string;
  data: string | undefined;
  mode: number;
}

/** Works out what every file will be, then writes all. */
class Applying {
  readonly #ready = new Map<string, Ready>();
  readonly #errors: string[] = [];

  constructor(private readonly repo: Repo, private readonly index: Index, private readonly given: Args) {}

  get errors(): string[] {
    return this.#errors;
  }

  get failed(): boolean {
    return this.#errors.length > 0;
  }

  async prepare(change: FileChange): Promise<void> {
    try {
      await this.#prepare(change);
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      if (error.message.startsWith("invalid path")) throw usageError(error.message, 128);
      this.#errors.push(error.message);
    }
  }

  async #prepare(change: FileChange): Promise<void> {
    const [from, to] = [this.#path(change.from), this.#path(change.to)];
    const name = to ?? from ?? "";
    if (change.binary) {
      throw new GitError(
        `cannot apply binary patch to '${name}' without full index line\nerror: ${name}: patch does not apply`,
      );
    }
    const old = from === undefined ? undefined : await this.#read(from);
    if (from !== undefined && !old) throw new GitError(`${from}: No such file or directory`);
    if (to !== undefined && to !== from && await this.#read(to)) {
      throw new GitError(
        `${to}: already exists in ${
          this.given.has("cached") || this.index.has(to) && this.given.has("index") ? "index" : "working directory"
        }`,
      );
    }
    const text = this.#patched(name, old?.data ?? "", change.hunks);
    if (from !== undefined && from !== to && !change.copy) {
      this.#ready.set(from, { path: from, data: undefined, mode: 0 });
    }
    if (to !== undefined) this.#ready.set(to, { path: to, data: text, mode: change.mode ?? old?.mode ?? 0o100644 });
    else if (text !== "" && from !== undefined) {
      throw new GitError(`removal patch leaves file contents\nerror: ${name}: patch does not apply`);
    }
  }

  #path(name: string | undefined): string | undefined {
    if (name === undefined) return undefined;
    const folder = [this.repo.prefix, this.given.get("directory") ?? ""].filter(Boolean).join("/");
    const path = decodeText(folder === "" ? name : `${folder}/${name}`);
    checkPath(path);
    return path;
  }

  /** The file as earlier parts of the patch left it, or as it is. */
  async #read(path: string): Promise<{ data: string; mode: number } | undefined> {
    const ready = this.#ready.get(path);
    if (ready) return ready.data === undefined ? undefined : { data: ready.data, mode: ready.mode };
    await this.#refuseLinks(path);
    const entry = this.index.entries.get(path);
    if (this.given.has("cached")) {
      return entry && { data: fromArray(await this.repo.objects.blob(entry.oid)), mode: entry.mode };
    }
    const stat = await statFile(this.repo, path);
    if (!stat) return undefined;
    if (this.given.has("index") && !entry) throw new GitError(`${path}: does not exist in index`);
    const mode = stat.isSymbolicLink ? LINK : stat.mode & 0o100 ? 0o100755 : 0o100644;
    return { data: fromArray(await readWork(this.repo, path, stat)), mode };
  }

  /** A patch must not be led elsewhere by a link that is there. */
  async #refuseLinks(path: string): Promise<void> {
    for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) {
      const stat = await this.repo.call.ctx.fs.lstat(this.repo.file(folder)).catch(() => undefined);
      if (stat?.isSymbolicLink) throw new GitError(`affected file '${path}' is beyond a symbolic link`);
    }
  }

  #patched(name: string, data: string, hunks: Hunk[]): string {
    const lines = data.split("\n");
    const failed = applyHunks(lines, hunks, 0).find(({ line }) => line === undefined);
    if (failed) {
      throw new GitError(`patch failed: ${name}:${failed.hunk.oldStart}\nerror: ${name}: patch does not apply`);
    }
    return lines.join("\n");
  }

  complain(): boolean {
    for (const message of this.#errors) this.repo.call.err(`error: ${message}\n`);
    return this.failed;
  }

  async write(): Promise<void> {
    await this.stage();
    if (this.given.has("index") || this.given.has("cached")) await this.repo.writeIndex(this.index);
  }

  /** Makes the changes without writing the index. */
  async stage(): Promise<void> {
    const { repo, index, given } = this;
    const stages = given.has("index") || given.has("cached");
    for (const { path, data } of this.#ready.values()) {
      if (data !== undefined) continue;
      if (!given.has("cached")) await removeWork(repo, path);
      if (stages) index.delete(path);
    }
    for (const { path, data, mode } of this.#ready.values()) {
      if (data === undefined) continue;
      if (stages) await this.#stage(path, { mode, oid: await repo.objects.write("blob", toArray(data)) });
      else await this.#put(path, data, mode);
    }
  }

  async #stage(path: string, item: Item): Promise<void> {
    if (this.given.has("cached")) this.index.put(path, item);
    else await writeWork(this.repo, this.index, path, item);
  }

  async #put(path: string, data: string, mode: number): Promise<void> {
    const { fs } = this.repo.call.ctx;
    const file = this.repo.file(path);
    await this.#refuseLinks(path);
    if (parentOf(path) !== "") await fs.mkdir(this.repo.file(parentOf(path)), { recursive: true });
    await fs.rm(file, { force: true });
    forget(this.repo);
    if (mode === LINK) return await fs.symlink(decodeText(data), file);
    await fs.writeFile(file, toArray(data));
    if (mode === 0o100755) await fs.chmod(file, 0o755);
  }
}
