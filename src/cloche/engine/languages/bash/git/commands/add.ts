/** git add, rm and mv: what goes into the index. */
import { checkInterrupt } from "../../just_bash/command.ts";
import { GitError, parseArgs, usageError } from "../options.ts";
import type { Call } from "../call.ts";
import { entryOf, type Index, modeOf } from "../repository/index_file.ts";
import { EMPTY_BLOB, MODULE } from "../repository/objects.ts";
import { checkPath, parentOf } from "../repository/paths.ts";
import { Pathspec } from "../repository/pathspec.ts";
import { Repo } from "../repository/repository.ts";
import { compareWork, Finder, forget, hashFile, readWork, statFile } from "../repository/worktree_scan.ts";
import { flattenTree, INTENT } from "../repository/trees.ts";
import { commitOf } from "../repository/revision.ts";
import { removeWork } from "../repository/worktree_files.ts";

export async function runAdd(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(
    args,
    "all,A update,u force,f dry-run,n verbose,v intent-to-add,N chmod= ignore-errors no-all patch,p",
  );
  if (given.has("patch")) {
    throw new GitError("add --patch asks questions, and nobody is there to answer: name the files");
  }
  const repo = await Repo.find(call);
  const names = given.everything;
  const wide = given.has("all") || given.has("update");
  if (names.length === 0 && !wide) {
    call.err(
      "Nothing specified, nothing added.\nhint: Maybe you wanted to say 'git add .'?\n" +
        'hint: Turn this message off by running\nhint: "git config advice.addEmptyPathspec false"\n',
    );
    return 0;
  }
  const spec = new Pathspec(repo, names);
  const index = await repo.index();
  const job = new Adding(repo, index, given.has("dry-run"), given.has("dry-run") || given.has("verbose"));
  await job.tracked(spec);
  if (!given.has("update")) {
    await job.untracked(spec, names, { force: given.has("force"), intent: given.has("intent-to-add") });
  }
  if (!wide) checkNamed(repo, index, spec);
  const chmod = given.get("chmod");
  if (chmod !== undefined) setMode(index, spec, chmod);
  if (!given.has("dry-run")) await repo.writeIndex(index);
  return 0;
}

/** What was named and is neither in the index nor in the work tree. */
function checkNamed(repo: Repo, index: Index, spec: Pathspec): void {
  for (const path of index.entries.keys()) spec.matches(path);
  for (const name of spec.unused) {
    const path = repo.locate(name);
    if (path !== "") throw new GitError(`pathspec '${name}' did not match any files`);
  }
}

function setMode(index: Index, spec: Pathspec, chmod: string): void {
  if (chmod !== "+x" && chmod !== "-x") throw new GitError(`--chmod param '${chmod}' must be either -x or +x`);
  for (const entry of index.entries.values()) {
    if (spec.matches(entry.path) && (entry.mode & 0o170000) === 0o100000) {
      entry.mode = chmod === "+x" ? 0o100755 : 0o100644;
    }
  }
}

class Adding {
  constructor(
    private readonly repo: Repo,
    private readonly index: Index,
    private readonly dry: boolean,
    private readonly loud: boolean,
  ) {}

  /** Takes over what changed in files that the index knows. */
  async tracked(spec: Pathspec): Promise<void> {
    for (const { path, new: fresh } of (await compareWork(this.repo, this.index, spec)).changes) {
      if (fresh) await this.#store(path);
      else this.#remove(path);
    }
    for (const path of [...this.index.conflicts.keys()].filter((path) => spec.matches(path))) {
      if (await statFile(this.repo, path)) await this.#store(path);
      else this.#remove(path);
    }
  }

  async untracked(
    spec: Pathspec,
    names: string[],
    { force, intent }: { force: boolean; intent: boolean },
  ): Promise<void> {
    const ignore = await this.repo.ignore();
    if (!force) await this.#refuseIgnored(names, ignore);
    const finder = new Finder(this.repo, this.index, force ? undefined : ignore, "all", spec);
    for (const path of await finder.run()) {
      if (path.endsWith("/")) this.#warnNested(path);
      else if (intent) this.#announce(path);
      else await this.#store(path);
    }
  }

  async #refuseIgnored(names: string[], ignore: Awaited<ReturnType<Repo["ignore"]>>): Promise<void> {
    const refused: string[] = [];
    for (const name of names.filter((name) => !/[*?[]|^:/.test(name))) {
      const path = this.repo.locate(name);
      const stat = await this.repo.call.ctx.fs.lstat(this.repo.file(path)).catch(() => undefined);
      if (path === "" || !stat || this.index.has(path) || this.#holdsTracked(path)) continue;
      if (await ignore.ignores(path, stat.isDirectory)) refused.push(path);
    }
    if (refused.length === 0) return;
    await this.repo.writeIndex(this.index);
    this.repo.call.err(
      "The following paths are ignored by one of your .gitignore files:\n" +
        refused.map((path) => `${path}\n`).join("") +
        "hint: Use -f if you really want to add them.\n" +
        'hint: Turn this message off by running\nhint: "git config advice.addIgnoredFile false"\n',
    );
    throw new GitError("", 1, "");
  }

  #holdsTracked(folder: string): boolean {
    return [...this.index.entries.keys()].some((path) => path.startsWith(folder + "/"));
  }

  #warnNested(path: string): void {
    const name = path.slice(0, -1);
    this.repo.call.err(`warning: ${name} is a git repository of its own; it is not added\n`);
  }

  #announce(path: string): void {
    if (!this.dry) this.index.set({ ...blank(path), extended: INTENT });
  }

  async #store(path: string): Promise<void> {
    const { repo, index } = this;
    checkInterrupt(repo.call.ctx);
    checkPath(path);
    const stat = await statFile(repo, path);
    if (!stat) return;
    if (this.loud) repo.call.out(`add '${path}'\n`);
    if (this.dry) return;
    const oid = await repo.objects.write("blob", await readWork(repo, path, stat));
    const known = repo.config.flag("core.filemode") === false ? index.entries.get(path)?.mode : undefined;
    dropInTheWay(index, path);
    index.set(entryOf(path, oid, stat, known ?? modeOf(stat)));
  }

  #remove(path: string): void {
    if (this.loud) this.repo.call.out(`remove '${path}'\n`);
    if (!this.dry) this.index.delete(path);
  }
}

/** A file cannot be in the index beside a folder of its name, nor below a file. */
function dropInTheWay(index: Index, path: string): void {
  for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) index.delete(folder);
  if (index.entries.has(path)) return;
  // A scan of the work tree has noticed that the files below are gone; only conflicts may be left.
  for (const other of index.conflicts.keys()) if (other.startsWith(path + "/")) index.delete(other);
}

function blank(path: string) {
  return { path, oid: EMPTY_BLOB, mode: 0o100644, stage: 0, mtime: 0, precise: false, ino: 0, size: 0, extended: 0 };
}

export async function runRm(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "recursive,r cached force,f quiet,q dry-run,n ignore-unmatch");
  const repo = await Repo.find(call);
  const names = given.everything;
  if (names.length === 0) throw new GitError("No pathspec was given. Which files should I remove?");
  const spec = new Pathspec(repo, names);
  const index = await repo.index();
  const paths = [...new Set(index.all().map(({ path }) => path))].filter((path) => spec.matches(path));
  if (!given.has("ignore-unmatch")) spec.checkUsed();
  if (!given.has("recursive")) refuseFolders(repo, names, paths, index);
  if (!given.has("force")) await refuseLosses(repo, index, paths, given.has("cached"));
  for (const path of paths) {
    if (!given.has("quiet")) call.out(`rm '${path}'\n`);
    if (given.has("dry-run")) continue;
    if (!given.has("cached") && index.entries.get(path)?.mode !== MODULE) await removeWork(repo, path);
    index.delete(path);
  }
  if (!given.has("dry-run")) await repo.writeIndex(index);
  return 0;
}

function refuseFolders(repo: Repo, names: string[], paths: string[], index: Index): void {
  for (const name of names.filter((name) => !/[*?[]/.test(name))) {
    const folder = repo.locate(name);
    if (!index.has(folder) && paths.some((path) => folder === "" || path.startsWith(folder + "/"))) {
      throw new GitError(`not removing '${name}' recursively without -r`);
    }
  }
}

async function refuseLosses(repo: Repo, index: Index, paths: string[], cached: boolean): Promise<void> {
  const head = await repo.head();
  const tree = head === undefined ? new Map() : await flattenTree(repo, (await commitOf(repo, head)).tree);
  for (const path of paths) {
    const entry = index.entries.get(path);
    const stat = await statFile(repo, path);
    if (!entry || !stat) continue;
    const staged = tree.get(path)?.oid !== entry.oid;
    const changed = !index.isFresh(entry, stat) && (await hashFile(repo, path, stat)).oid !== entry.oid;
    const hints = ["(use -f to force removal)", "(use --cached to keep the file, or -f to force removal)"];
    const tell = (what: string, hint: string) => usageError(`the following file has ${what}:\n    ${path}\n${hint}`);
    if (staged && changed) throw tell("staged content different from both the\nfile and the HEAD", hints[0]);
    if (staged && !cached) throw tell("changes staged in the index", hints[1]);
    if (changed && !cached) throw tell("local modifications", hints[1]);
  }
}

export async function runMv(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "force,f verbose,v dry-run,n k");
  const names = given.everything;
  const target = names.pop();
  if (target === undefined || names.length === 0) {
    throw new GitError("usage: git mv <source>... <destination>", 129, "");
  }
  const repo = await Repo.find(call);
  const index = await repo.index();
  const stat = await call.ctx.fs.stat(call.path(target)).catch(() => undefined);
  if (names.length > 1 && !stat?.isDirectory) throw new GitError(`destination '${target}' is not a directory`);
  for (const name of names) {
    const from = repo.locate(name);
    const to = repo.locate(stat?.isDirectory ? `${target}/${name.replace(/\/+$/, "").split("/").at(-1)}` : target);
    await move(repo, index, from, to, given.has("force"), given.has("dry-run"));
    if (given.has("verbose")) call.out(`Renaming ${from} to ${to}\n`);
  }
  if (!given.has("dry-run")) await repo.writeIndex(index);
  return 0;
}

async function move(repo: Repo, index: Index, from: string, to: string, force: boolean, dry: boolean): Promise<void> {
  const { fs } = repo.call.ctx;
  const tell = (why: string) => new GitError(`${why}, source=${from}, destination=${to}`);
  const paths = [...index.entries.keys()].filter((path) => path === from || path.startsWith(from + "/"));
  if (!await fs.exists(repo.file(from))) throw tell("bad source");
  if (paths.length === 0) throw tell("not under version control");
  if (!force && await fs.exists(repo.file(to))) throw tell("destination exists");
  if (!await fs.exists(repo.file(parentOf(to)))) throw tell("destination directory does not exist");
  checkPath(to);
  if (dry) return;
  await fs.mv(repo.file(from), repo.file(to));
  forget(repo);
  for (const path of paths) {
    const entry = index.entries.get(path);
    index.delete(path);
    if (entry) index.set({ ...entry, path: to + path.slice(from.length) });
  }
}
