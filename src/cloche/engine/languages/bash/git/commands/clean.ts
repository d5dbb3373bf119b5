/** git clean. */
import { GitError, parseArgs } from "../options.ts";
import type { Call } from "../call.ts";
import { quotePath, relativePath } from "../repository/paths.ts";
import { Pathspec } from "../repository/pathspec.ts";
import { Repo } from "../repository/repository.ts";
import { Finder } from "../repository/worktree_scan.ts";

export async function runClean(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "force,f d dry-run,n quiet,q x X exclude,e= interactive,i");
  const repo = await Repo.find(call);
  if (given.has("interactive")) throw new GitError("clean -i asks questions, and nobody is there to answer");
  if (!given.has("force") && !given.has("dry-run") && repo.config.flag("clean.requireforce") !== false) {
    throw new GitError("clean.requireForce defaults to true and neither -i, -n, nor -f given; refusing to clean");
  }
  const names = given.everything;
  const spec = new Pathspec(repo, names.length === 0 && repo.prefix !== "" ? ["."] : names);
  const finder = new Finder(
    repo,
    await repo.index(),
    given.has("x") ? undefined : await repo.ignore(),
    "normal",
    spec,
    true,
  );
  const found = await finder.run();
  const paths = given.has("X") ? finder.ignored.sort() : found;
  for (const path of paths) {
    const folder = path.endsWith("/");
    if (folder && (!given.has("d") || await call.ctx.fs.exists(repo.file(`${path}.git`)))) continue;
    const verb = given.has("dry-run") ? "Would remove" : "Removing";
    const seen = relativePath(repo.prefix, path.replace(/\/$/, "")) + (folder ? "/" : "");
    if (!given.has("quiet")) call.bytes(`${verb} ${quotePath(seen)}\n`);
    if (!given.has("dry-run")) await call.ctx.fs.rm(repo.file(path.replace(/\/$/, "")), { recursive: true });
  }
  return 0;
}
