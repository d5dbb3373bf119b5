/** Small commands that scripts use: rev-parse, ls-files, cat-file, ls-tree, hash-object, symbolic-ref, check-ignore... */
import { encodeText, fromArray } from "../../../text/byte_strings.ts";
import { toArray } from "../../../text/byte_strings.ts";
import { type Args, GitError, parseArgs } from "../../options.ts";
import type { Call } from "../../call.ts";
import { FOLDER, hashOf, type ObjectKind, type TreeEntry } from "../../repository/objects.ts";
import { quotePath, relativePath } from "../../repository/paths.ts";
import { Pathspec } from "../../repository/pathspec.ts";
import { Repo } from "../../repository/repository.ts";
import { commitOf, findRevision, peelObject, resolveRevision, treeOf, upstreamOf } from "../../repository/revision.ts";
import { compareWork, Finder } from "../../repository/worktree_scan.ts";
import { findAncestors, mergeBases } from "../../repository/history_walk.ts";

export async function runRevParse(call: Call, args: string[]): Promise<number> {
  const queue = [...args];
  let [short, abbreviate, verify, quiet, symbolic] = [0, false, false, false, false];
  const repo = await Repo.find(call);
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    const answer = await aboutPlace(repo, word);
    if (answer !== undefined) call.out(`${answer}\n`);
    else if (/^--short(=\d+)?$/.test(word)) short = Number(word.split("=")[1] ?? 7);
    else if (word.startsWith("--abbrev-ref")) abbreviate = true;
    else if (word === "--symbolic-full-name") symbolic = true;
    else if (word === "--verify") verify = true;
    else if (word === "-q" || word === "--quiet") quiet = true;
    else if (word === "--git-path") call.out(`${seen(repo, repo.gitdir)}/${queue.shift() ?? ""}\n`);
    else if (word === "--") call.out("--\n");
    else if (word.startsWith("--")) throw new GitError(`rev-parse ${word} is not supported here`);
    else {
      const text = await parseOne(repo, word, { short, abbreviate, symbolic }, verify);
      if (text === undefined && quiet) return 1;
      if (text === undefined) throw new GitError(verify ? "Needed a single revision" : await complain(repo, word));
      call.out(`${text}\n`);
    }
  }
  return 0;
}

async function complain(repo: Repo, word: string): Promise<string> {
  repo.call.out(`${word}\n`);
  return await resolveRevision(repo, word).then(() => "", (error) => error.message);
}

interface Form {
  short: number;
  abbreviate: boolean;
  symbolic: boolean;
}

async function parseOne(repo: Repo, word: string, form: Form, verify: boolean): Promise<string | undefined> {
  const range = verify ? null : word.match(/^(.*?)\.\.([^.].*|)$/s);
  if (range) {
    const [from, to] = [
      await resolveRevision(repo, range[1] || "HEAD"),
      await resolveRevision(repo, range[2] || "HEAD"),
    ];
    return `${to}\n^${from}`;
  }
  const exclude = word.startsWith("^");
  if (form.abbreviate || form.symbolic) {
    const ref = await fullName(repo, word);
    if (ref !== undefined) return form.abbreviate ? ref.replace(/^refs\/(heads|tags|remotes)\//, "") : ref;
  }
  const oid = await findRevision(repo, exclude ? word.slice(1) : word);
  return oid && (exclude ? "^" : "") + (form.short > 0 ? oid.slice(0, form.short) : oid);
}

async function fullName(repo: Repo, word: string): Promise<string | undefined> {
  if (word === "HEAD" || word === "@") {
    return await repo.head() === undefined ? undefined : await repo.branch() ?? "HEAD";
  }
  const upstream = word.match(/^(.*)@\{(?:u|upstream)\}$/)?.[1];
  if (upstream !== undefined) {
    const found = await upstreamOf(repo, upstream);
    if (found === undefined) throw new GitError(`no upstream configured for branch '${upstream || "HEAD"}'`);
    return found;
  }
  const back = word.match(/^@\{-(\d+)\}$/)?.[1];
  const name = back === undefined ? word : await repo.reflog.previous(Number(back)) ?? word;
  for (const folder of ["refs/tags", "refs/heads", "refs/remotes"]) {
    if ((await repo.refs(folder)).includes(name)) return `${folder}/${name}`;
  }
  return undefined;
}

function seen(repo: Repo, path: string): string {
  if (path === repo.call.cwd) return ".";
  return path === `${repo.call.cwd}/.git` ? ".git" : path;
}

async function aboutPlace(repo: Repo, word: string): Promise<string | undefined> {
  switch (word) {
    case "--show-toplevel":
      return repo.top;
    case "--is-inside-work-tree":
      return String(repo.root !== undefined && !repo.call.cwd.startsWith(repo.gitdir));
    case "--is-inside-git-dir":
      return String(repo.call.cwd.startsWith(repo.gitdir));
    case "--is-bare-repository":
      return String(repo.root === undefined);
    case "--is-shallow-repository":
      return String(await repo.call.text(`${repo.common}/shallow`) !== undefined);
    case "--git-dir":
      return seen(repo, repo.gitdir);
    case "--absolute-git-dir":
      return repo.gitdir;
    case "--git-common-dir":
      return seen(repo, repo.common);
    case "--show-prefix":
      return repo.prefix === "" ? "" : repo.prefix + "/";
    case "--show-cdup":
      return repo.prefix === "" ? "" : repo.prefix.split("/").map(() => "../").join("");
    case "--show-object-format":
      return "sha1";
    default:
      return undefined;
  }
}

export async function runLsFiles(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(
    args,
    "others,o modified,m deleted,d cached,c stage,s unmerged,u exclude-standard ignored,i z error-unmatch full-name directory t",
  );
  const repo = await Repo.find(call);
  const names = given.everything;
  const spec = new Pathspec(repo, names.length === 0 && repo.prefix !== "" ? ["."] : names);
  const index = await repo.index();
  const paths: string[] = [];
  const kinds = ["others", "modified", "deleted"].filter((name) => given.has(name));
  if (given.has("stage") || given.has("unmerged")) return listStages(repo, given, spec, index);
  if (kinds.length === 0 || given.has("cached")) paths.push(...new Set(index.all().map(({ path }) => path)));
  if (given.has("others")) paths.push(...await findOthers(repo, given, spec, index));
  if (given.has("modified") || given.has("deleted")) {
    const { changes } = await compareWork(repo, index, spec);
    paths.push(...changes.filter((change) => given.has("modified") || !change.new).map(({ path }) => path));
  }
  const shown = paths.filter((path) => spec.matches(path.replace(/\/$/, "")));
  const end = given.has("z") ? "\0" : "\n";
  const base = given.has("full-name") ? "" : repo.prefix;
  for (const path of shown) call.bytes(encodeName(relativePath(base, path), given.has("z")) + end);
  if (given.has("error-unmatch")) {
    const [name] = spec.unused;
    if (name !== undefined) {
      throw new GitError(
        `pathspec '${name}' did not match any file(s) known to git\nDid you forget to 'git add'?`,
        1,
        "error: ",
      );
    }
  }
  return 0;
}

function encodeName(path: string, plain: boolean): string {
  return plain ? encodeText(path) : quotePath(path);
}

async function findOthers(repo: Repo, given: Args, spec: Pathspec, index: Awaited<ReturnType<Repo["index"]>>) {
  const ignore = given.has("exclude-standard") ? await repo.ignore() : undefined;
  const finder = new Finder(repo, index, ignore, given.has("directory") ? "normal" : "all", spec);
  const found = await finder.run();
  return given.has("ignored") ? finder.ignored.sort() : found;
}

function listStages(repo: Repo, given: Args, spec: Pathspec, index: Awaited<ReturnType<Repo["index"]>>): number {
  for (const { path, mode, oid, stage } of index.all()) {
    if (!spec.matches(path) || given.has("unmerged") && stage === 0) continue;
    repo.call.bytes(`${mode.toString(8)} ${oid} ${stage}\t${quotePath(relativePath(repo.prefix, path))}\n`);
  }
  return 0;
}

export async function runCatFile(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "p t s e batch=? batch-check=?");
  const repo = await Repo.find(call);
  if (given.has("batch") || given.has("batch-check")) return await catBatch(repo, given.has("batch"));
  const name = given.words.at(-1);
  if (name === undefined) throw new GitError("usage: git cat-file (-p | -t | -s | -e | <type>) <object>", 129, "");
  let oid = await findRevision(repo, name);
  if (oid === undefined) throw new GitError(`Not a valid object name ${name}`);
  const wanted = given.words.length > 1 ? given.words[0] : undefined;
  if (wanted !== undefined) oid = await peelObject(repo, oid, wanted);
  if (oid === undefined) throw new GitError(`git cat-file ${name}: bad file`);
  const { kind, data } = await repo.objects.read(oid);
  if (given.has("t")) call.out(`${kind}\n`);
  else if (given.has("s")) call.out(`${data.length}\n`);
  else if (given.has("p") && kind === "tree") {
    call.bytes((await repo.objects.tree(oid)).map((each) => treeLine(each)).join(""));
  } else if (!given.has("e")) call.bytes(fromArray(data));
  return 0;
}

async function catBatch(repo: Repo, contents: boolean): Promise<number> {
  for (const name of repo.call.stdin().split("\n").filter(Boolean)) {
    const oid = await findRevision(repo, name);
    if (oid === undefined || !await repo.objects.has(oid)) {
      repo.call.out(`${name} missing\n`);
      continue;
    }
    const { kind, data } = await repo.objects.read(oid);
    repo.call.out(`${oid} ${kind} ${data.length}\n`);
    if (contents) repo.call.bytes(fromArray(data) + "\n");
  }
  return 0;
}

function kindOf(mode: number): ObjectKind {
  return mode === FOLDER ? "tree" : mode === 0o160000 ? "commit" : "blob";
}

function treeLine({ mode, oid, name }: TreeEntry): string {
  return `${mode.toString(8).padStart(6, "0")} ${kindOf(mode)} ${oid}\t${quotePath(name)}\n`;
}

function fillEntry(format: string, { mode, oid, name }: TreeEntry): string {
  const values: Record<string, string> = {
    objectmode: mode.toString(8).padStart(6, "0"),
    objecttype: kindOf(mode),
    objectname: oid,
    path: name,
  };
  return format.replace(/%\(([^)]*)\)|%x([0-9a-fA-F]{2})|%n/g, (all, field, code) => {
    if (code !== undefined) return String.fromCharCode(parseInt(code, 16));
    if (all === "%n") return "\n";
    if (values[field] === undefined) throw new GitError(`bad ls-tree format: %(${field})`);
    return values[field];
  });
}

/** With the size before the name. */
async function longLine(repo: Repo, entry: TreeEntry): Promise<string> {
  const size = kindOf(entry.mode) === "blob" ? String((await repo.objects.blob(entry.oid)).length) : "-";
  return treeLine(entry).replace("\t", ` ${size.padStart(7)}\t`);
}

export async function runLsTree(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(
    args,
    "r t d name-only,name-status z full-tree full-name long,l abbrev=? format= object-only",
  );
  const repo = await Repo.find(call);
  const [name, ...paths] = given.everything;
  if (name === undefined) throw new GitError("usage: git ls-tree [<options>] <tree-ish> [<path>...]", 129, "");
  const show = async (entry: TreeEntry) => {
    const format = given.get("format");
    if (format !== undefined) call.bytes(encodeText(fillEntry(format, entry)) + (given.has("z") ? "\0" : "\n"));
    else if (given.has("long")) call.bytes(await longLine(repo, entry));
    else if (given.has("name-only")) {
      call.bytes(encodeName(entry.name, given.has("z")) + (given.has("z") ? "\0" : "\n"));
    } else call.bytes(treeLine(entry));
  };
  const wanted = paths.map((path) => path.replace(/\/+$/, ""));
  const list = async (oid: string, prefix: string, depth: number): Promise<void> => {
    if (depth > 512) throw new GitError("the tree is too deep to be read here");
    for (const entry of await repo.objects.tree(oid)) {
      const path = prefix + entry.name;
      const inside = wanted.length === 0 || wanted.some((each) => path === each || path.startsWith(each + "/"));
      const leads = wanted.some((each) => each.startsWith(path + "/")) || paths.includes(path + "/");
      const descend = entry.mode === FOLDER && (given.has("r") && inside || leads);
      if (inside && !(descend && !given.has("t")) && (!given.has("d") || entry.mode === FOLDER)) {
        await show({ ...entry, name: path });
      }
      if (descend) await list(entry.oid, path + "/", depth + 1);
    }
  };
  await list(await treeOf(repo, name), "", 0);
  return 0;
}

export async function runHashObject(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "w t= stdin");
  const kind = (given.get("t") ?? "blob") as ObjectKind;
  const sources: Uint8Array[] = given.has("stdin") ? [toArray(call.stdin())] : [];
  for (const name of given.everything) sources.push(await call.fs.readFile(call.path(name)) as Uint8Array);
  for (const data of sources) {
    const oid = given.has("w") ? await (await Repo.find(call)).objects.write(kind, data) : await hashOf(kind, data);
    call.out(`${oid}\n`);
  }
  return 0;
}

export async function runSymbolicRef(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "short quiet,q m=");
  const repo = await Repo.find(call);
  const [name, target] = given.words;
  if (name !== "HEAD") throw new GitError("only HEAD can be asked for here");
  if (target !== undefined) {
    if (!target.startsWith("refs/")) throw new GitError("Refusing to point HEAD outside of refs/");
    await repo.setRef("HEAD", target, true);
    return 0;
  }
  const branch = await repo.branch();
  if (branch === undefined && given.has("quiet")) return 1;
  if (branch === undefined) throw new GitError("ref HEAD is not a symbolic ref");
  call.out(`${given.has("short") ? branch.replace(/^refs\/heads\//, "") : branch}\n`);
  return 0;
}

export async function runCheckIgnore(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "quiet,q verbose,v stdin no-index");
  const repo = await Repo.find(call);
  const [ignore, index] = [await repo.ignore(), await repo.index()];
  const names = given.has("stdin") ? call.stdin().split("\n").filter(Boolean) : given.everything;
  let found = false;
  for (const name of names) {
    const path = repo.locate(name);
    const stat = await call.ctx.fs.lstat(repo.file(path)).catch(() => undefined);
    if (index.has(path) || !await ignore.ignores(path, stat?.isDirectory ?? name.endsWith("/"))) continue;
    found = true;
    if (!given.has("quiet")) call.bytes(`${quotePath(name)}\n`);
  }
  return found ? 0 : 1;
}

export async function runMergeBase(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "all,a is-ancestor");
  const repo = await Repo.find(call);
  const [first, second] = await Promise.all(
    given.words.slice(0, 2).map(async (name) => (await commitOf(repo, name)).oid),
  );
  if (second === undefined) throw new GitError("usage: git merge-base [-a] <commit> <commit>", 129, "");
  if (given.has("is-ancestor")) return (await findAncestors(repo, [second])).has(first) ? 0 : 1;
  const bases = await mergeBases(repo, first, second);
  for (const oid of given.has("all") ? bases : bases.slice(0, 1)) call.out(`${oid}\n`);
  return bases.length > 0 ? 0 : 1;
}
