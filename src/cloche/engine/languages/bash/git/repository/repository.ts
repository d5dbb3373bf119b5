/** A repository: its folders, objects, refs, index and settings. */
import git from "isomorphic-git";
import { checkInterrupt } from "../../just_bash/command.ts";
import { GitError } from "../options.ts";
import type { Call } from "../call.ts";
import type { Config } from "./configuration.ts";
import { isMissing } from "../isomorphic_files.ts";
import { Ignore } from "./ignore.ts";
import { Index, parseIndex, renderIndex } from "./index_file.ts";
import { isNotFound, Objects } from "./objects.ts";
import { parentOf } from "./paths.ts";
import { Reflog } from "./reflog.ts";

const NOT_HERE = "not a git repository (or any of the parent directories): .git";

/** Refs that every work tree has for itself. */
const OWN_REF = /^(?:[A-Z_]*HEAD|refs\/(?:bisect|worktree|rewritten)(?:\/.*)?)$/;

export class Repo {
  readonly objects: Objects;
  readonly reflog: Reflog;

  private constructor(
    readonly call: Call,
    /** The folder with HEAD and the index of this work tree. */
    readonly gitdir: string,
    /** The folder with what all work trees share: objects, refs, settings. */
    readonly common: string,
    /** The work tree; undefined in a bare repository. */
    readonly root: string | undefined,
    readonly config: Config,
  ) {
    this.objects = new Objects(call.ctx, call.fs, common);
    this.reflog = new Reflog(this);
  }

  /** The repository that a call is in. */
  static async find(call: Call): Promise<Repo> {
    const given = call.gitDir ?? call.env("GIT_DIR");
    if (given !== undefined) {
      const gitdir = call.path(given);
      if (!await isGitDir(call, gitdir)) throw new GitError(`not a git repository: '${given}'`);
      return await Repo.open(call, gitdir, call.path(call.workTree ?? call.env("GIT_WORK_TREE") ?? "."));
    }
    for (let folder = call.cwd;; folder = parentOf(folder) || "/") {
      checkInterrupt(call.ctx);
      const dotGit = await followFile(call, `${folder === "/" ? "" : folder}/.git`);
      if (await isGitDir(call, dotGit)) return await Repo.open(call, dotGit, folder);
      if (await isGitDir(call, folder)) return await Repo.open(call, folder, undefined);
      if (folder === "/") throw new GitError(NOT_HERE);
    }
  }

  static async open(call: Call, gitdir: string, root: string | undefined): Promise<Repo> {
    const shared = (await call.text(`${gitdir}/commondir`))?.trim();
    const common = shared === undefined ? gitdir : call.ctx.fs.resolvePath(gitdir, shared);
    const config = await call.config(common);
    const version = Number(config.get("core.repositoryformatversion") ?? 0);
    const odd = config.settings.find(({ key, value }) =>
      key.startsWith("extensions.") && version > 0 && !(key === "extensions.objectformat" && value === "sha1") &&
      key !== "extensions.worktreeconfig" && key !== "extensions.partialclone"
    );
    if (version > 1 || odd) throw new GitError(`unknown repository extension found: ${odd?.key ?? version}`);
    const bare = config.flag("core.bare") && common === gitdir;
    return new Repo(call, gitdir, common, bare ? undefined : root, config);
  }

  /** The work tree, or git's complaint that there is none. */
  get top(): string {
    if (this.root === undefined) throw new GitError("this operation must be run in a work tree");
    return this.root;
  }

  /** The caller's folder below the top: "" or "a/b". */
  get prefix(): string {
    const { cwd } = this.call;
    return cwd === this.top || !cwd.startsWith(this.#slashed) ? "" : cwd.slice(this.#slashed.length);
  }

  get #slashed(): string {
    return this.top === "/" ? "/" : this.top + "/";
  }

  /** The absolute path of a file of the work tree. */
  file(path: string): string {
    return this.#slashed + path;
  }

  /** The path in the repository of what a user named. */
  locate(name: string): string {
    const whole = this.call.path(name);
    if (whole === this.top) return "";
    if (!whole.startsWith(this.#slashed)) {
      throw new GitError(`${name}: '${name}' is outside repository at '${this.top}'`);
    }
    return whole.slice(this.#slashed.length);
  }

  get where() {
    return { fs: this.call.fs, gitdir: this.common };
  }

  /** The folder that a ref is in. */
  folderOf(ref: string): string {
    return OWN_REF.test(ref) ? this.gitdir : this.common;
  }

  /** The full name of the branch that HEAD points to, or undefined if HEAD is a commit itself. */
  async branch(): Promise<string | undefined> {
    const text = (await this.call.text(`${this.gitdir}/HEAD`) ?? "").trim();
    return text.startsWith("ref:") ? text.slice(4).trim() : undefined;
  }

  /** What a ref leads to. */
  async ref(name: string): Promise<string | undefined> {
    const gitdir = this.folderOf(name);
    try {
      if (gitdir !== this.common) {
        const text = (await this.call.text(`${gitdir}/${name}`))?.trim();
        return text?.startsWith("ref:") ? await this.ref(text.slice(4).trim()) : text;
      }
      return await git.resolveRef({ ...this.where, ref: name });
    } catch (error) {
      if (isNotFound(error) || isMissing(error)) return undefined;
      if (error instanceof Error && error.name === "InvalidRefNameError") return undefined;
      throw error;
    }
  }

  async head(): Promise<string | undefined> {
    return await this.ref("HEAD");
  }

  /** The names of all refs below a folder such as `refs/heads`, without that. */
  async refs(folder: string): Promise<string[]> {
    const names = await git.listRefs({ fs: this.call.fs, gitdir: this.folderOf(folder), filepath: folder });
    // Packed tags have a second line for the object that they point to.
    return names.filter((name) => !name.endsWith("^{}")).sort();
  }

  async setRef(ref: string, value: string, symbolic = false): Promise<void> {
    await git.writeRef({ fs: this.call.fs, gitdir: this.folderOf(ref), ref, value, symbolic, force: true });
  }

  /** Makes a ref lead to an object and notes it in the logs: those of the ref and, if it is on it, of HEAD. */
  async updateRef(ref: string, oid: string, message: string): Promise<void> {
    const old = await this.ref(ref);
    await this.setRef(ref, oid);
    if (old !== oid) await this.reflog.add(ref, old, oid, message);
    if (ref !== "HEAD" && await this.branch() === ref) await this.reflog.add("HEAD", old, oid, message);
  }

  /** Moves the current branch, or HEAD itself if there is none. */
  async moveHead(oid: string, message: string): Promise<void> {
    await this.updateRef(await this.branch() ?? "HEAD", oid, message);
  }

  /** Puts HEAD onto a branch. */
  async attachHead(ref: string, message: string): Promise<void> {
    const old = await this.head();
    await this.setRef("HEAD", ref, true);
    const oid = await this.ref(ref);
    if (oid !== undefined) await this.reflog.add("HEAD", old, oid, message);
  }

  /** Puts HEAD onto a commit without a branch. */
  async detachHead(oid: string, message: string): Promise<void> {
    const old = await this.head();
    if (old === oid && await this.branch() === undefined) return;
    await this.call.ctx.fs.writeFile(`${this.gitdir}/HEAD`, `${oid}\n`);
    await this.reflog.add("HEAD", old, oid, message);
  }

  /** Removes a ref and its log. */
  async deleteRef(ref: string): Promise<void> {
    await git.deleteRef({ fs: this.call.fs, gitdir: this.folderOf(ref), ref });
    await this.reflog.remove(ref);
  }

  /** The name of the current branch without `refs/heads/`. */
  async branchName(): Promise<string | undefined> {
    return (await this.branch())?.replace(/^refs\/heads\//, "");
  }

  /** The text of a file of this work tree's own folder. */
  async note(name: string): Promise<string | undefined> {
    return await this.call.text(`${this.gitdir}/${name}`);
  }

  async writeNote(name: string, text: string): Promise<void> {
    await this.call.ctx.fs.writeFile(`${this.gitdir}/${name}`, text);
  }

  async removeNotes(...names: string[]): Promise<void> {
    for (const name of names) await this.call.ctx.fs.rm(`${this.gitdir}/${name}`, { recursive: true, force: true });
  }

  async index(): Promise<Index> {
    const path = `${this.gitdir}/index`;
    try {
      const { mtime } = await this.call.ctx.fs.stat(path);
      const index = parseIndex(await this.call.ctx.fs.readFileBuffer(path));
      index.written = mtime.getTime();
      return index;
    } catch (error) {
      if (isMissing(error)) return new Index();
      throw error;
    }
  }

  async writeIndex(index: Index): Promise<void> {
    const fs = this.call.steadyFiles;
    const [path, lock] = [`${this.gitdir}/index`, `${this.gitdir}/index.lock`];
    if (await fs.exists(lock)) {
      throw new GitError(`Unable to create '${lock}': File exists.\n\nAnother git process seems to be running here.`);
    }
    const data = await renderIndex(index);
    checkInterrupt(this.call.ctx);
    await fs.writeFile(lock, data);
    await fs.mv(lock, path);
    index.written = (await fs.stat(path)).mtime.getTime();
  }

  async ignore(): Promise<Ignore> {
    const { call } = this;
    const own = this.config.get("core.excludesfile")?.replace(/^~(?=\/)/, call.home);
    const general = [
      await call.text(own === undefined ? `${call.home}/.config/git/ignore` : call.path(own)),
      await call.text(`${this.common}/info/exclude`),
    ];
    const read = async (path: string) => {
      const whole = this.file(path);
      // A link could lead anywhere; git does not follow it either.
      const stat = await call.ctx.fs.lstat(whole).catch(() => undefined);
      return stat?.isFile ? await call.text(whole) : undefined;
    };
    return new Ignore(read, general.filter((text) => text !== undefined));
  }
}

async function isGitDir(call: Call, path: string): Promise<boolean> {
  const { fs } = call.ctx;
  if (!await fs.exists(`${path}/HEAD`)) return false;
  return await fs.exists(`${path}/objects`) && await fs.exists(`${path}/refs`) || await fs.exists(`${path}/commondir`);
}

/** `.git` may be a file that says where the repository is. */
async function followFile(call: Call, path: string): Promise<string> {
  const text = await call.text(path);
  const target = text?.match(/^gitdir: (.*?)\n*$/)?.[1];
  return target === undefined ? path : call.ctx.fs.resolvePath(parentOf(path) || "/", target);
}
