/** git clone. */
import { GitError, parseArgs } from "../options.ts";
import { exactRef, writeUpstream } from "./branch.ts";
import type { Call } from "../call.ts";
import { fetchFrom } from "./fetch.ts";
import { sourceOf } from "../http.ts";
import { makeRepository } from "./init.ts";
import { MODULE } from "../repository/objects.ts";
import { Repo } from "../repository/repository.ts";
import { peelObject } from "../repository/revision.ts";
import { addRemote } from "./config_remote.ts";
import { flattenTree } from "../repository/trees.ts";
import { switchTree } from "../repository/worktree_files.ts";

const OPTIONS = "quiet,q depth= branch,b= single-branch no-single-branch bare no-checkout,n origin,o= no-tags mirror " +
  "recurse-submodules,recursive=? shallow-submodules config,c= progress verbose,v local,l no-hardlinks shared,s jobs,j= " +
  "filter= template= no-local";

export async function runClone(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  for (const name of ["mirror", "shared", "filter"]) {
    if (given.has(name)) throw new GitError(`clone --${name} is not supported here`);
  }
  const [address, name = folderName(address ?? "", given.has("bare"))] = given.everything;
  if (address === undefined) throw new GitError("You must specify a repository to clone.");
  const folder = call.path(name);
  const existed = await isTaken(call, folder, name);
  const source = sourceOf(call, address);
  if (source.kind === "path" && !await call.ctx.fs.exists(source.path)) {
    throw new GitError(`repository '${address}' does not exist`);
  }
  if (!given.has("quiet")) call.err(`Cloning into ${given.has("bare") ? "bare repository " : ""}'${name}'...\n`);
  if (source.kind === "path" && given.has("depth")) {
    call.err("warning: --depth is ignored in local clones.\n");
  }
  try {
    await fill(call, folder, source.kind === "path" ? source.path : address, given);
  } catch (error) {
    // Nothing half-done stays behind.
    if (!existed) await call.steadyFiles.rm(folder, { recursive: true, force: true });
    throw error;
  }
  if (!given.has("quiet") && source.kind === "path") call.err("done.\n");
  return 0;
}

function folderName(address: string, bare: boolean): string {
  const last = address.replace(/[/\s]+$/, "").replace(/\/\.git$/, "").replace(/\.git$/, "").split(/[/:]/).at(-1) ?? "";
  return bare ? `${last}.git` : last;
}

/** Whether the folder is there already, and empty. */
async function isTaken(call: Call, folder: string, name: string): Promise<boolean> {
  const { fs } = call.ctx;
  if (!await fs.exists(folder)) return false;
  if (!(await fs.stat(folder)).isDirectory || (await fs.readdir(folder)).length > 0) {
    throw new GitError(`destination path '${name}' already exists and is not an empty directory.`);
  }
  return true;
}

async function fill(call: Call, folder: string, url: string, given: ReturnType<typeof parseArgs>): Promise<void> {
  const bare = given.has("bare");
  const remote = given.get("origin") ?? "origin";
  const made = await makeRepository(call, folder, bare);
  await addRemote(made, remote, url);
  const repo = await Repo.open(call, made.gitdir, made.root);
  const branch = given.get("branch");
  const depth = given.has("depth") ? given.number("depth", 1) : undefined;
  const single = given.has("single-branch") || depth !== undefined && !given.has("no-single-branch");
  const wanted = { remote, url, ref: branch, single, depth, tags: !given.has("no-tags"), prune: false };
  const { head, oid } = await fetchFrom(repo, wanted).catch((error) => {
    const missing = error instanceof GitError && branch !== undefined &&
      error.message.startsWith("couldn't find remote ref");
    throw missing ? new GitError(`Remote branch ${branch} not found in upstream ${remote}`) : error;
  });
  if (oid === undefined) return call.err("warning: You appear to have cloned an empty repository.\n");
  const target = await peelObject(repo, oid, "commit");
  const name = branch ?? head?.replace(/^refs\/heads\//, "");
  const isBranch = name !== undefined && await exactRef(repo, `refs/remotes/${remote}/${name}`) !== undefined;
  if (target === undefined) throw new GitError("the remote's HEAD does not lead to a commit");
  if (isBranch) {
    await repo.setRef("HEAD", `refs/heads/${name}`, true);
    await repo.updateRef(`refs/heads/${name}`, target, `clone: from ${url}`);
    await writeUpstream(repo, name, `${remote}/${name}`);
    if (head !== undefined && !single) {
      await repo.setRef(`refs/remotes/${remote}/HEAD`, head.replace(/^refs\/heads\//, `refs/remotes/${remote}/`), true);
    }
  } else await repo.detachHead(target, `clone: from ${url}`);
  if (bare || given.has("no-checkout")) return;
  const { tree } = await repo.objects.commit(target);
  await switchTree(repo, undefined, tree, "checkout", "switch branches");
  await tellModules(repo, tree);
}

/** Submodules are shown but never fetched: the author of this repository chose their addresses. */
async function tellModules(repo: Repo, tree: string): Promise<void> {
  const modules = [...await flattenTree(repo, tree)].filter(([, { mode }]) => mode === MODULE).map(([path]) => path);
  if (modules.length > 0) repo.call.err(`warning: submodules are not fetched: ${modules.join(", ")}\n`);
}
