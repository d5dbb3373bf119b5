/** git fetch, pull and ls-remote. */
import git from "isomorphic-git";
import { type Args, GitError, parseArgs } from "../options.ts";
import type { Call } from "../call.ts";
import { runRebase } from "./sequence/rebase.ts";
import { hidePassword, Http, sourceOf } from "../http.ts";
import { copyObjects, listRefs, openLocal } from "../repository/local_remotes.ts";
import { mergeCommit } from "./sequence/merge.ts";
import { Repo } from "../repository/repository.ts";
import { unresolved } from "./ongoing.ts";
import { commitOf, upstreamOf } from "../repository/revision.ts";
import { findAncestors, mergeBases } from "../repository/history_walk.ts";

interface Wanted {
  remote: string;
  url: string;
  /** The one branch to get, or all. */
  ref?: string;
  single?: boolean;
  depth?: number;
  tags: boolean;
  prune: boolean;
  /** How the logs of refs call it. */
  action?: string;
}

/** Fetches objects and refs of a remote; returns its default branch and what was asked for. */
export async function fetchFrom(repo: Repo, wanted: Wanted): Promise<{ head?: string; oid?: string }> {
  const source = sourceOf(repo.call, wanted.url);
  if (source.kind === "path") return await fetchLocal(repo, source.path, wanted);
  try {
    const found = await git.fetch({
      ...repo.where,
      http: new Http(repo.call, repo.call.ask),
      url: source.url,
      remote: wanted.remote,
      ref: wanted.ref,
      remoteRef: wanted.ref,
      singleBranch: wanted.single,
      depth: wanted.depth,
      tags: wanted.tags,
      prune: wanted.prune,
      // A repository's settings must not choose whom requests go through.
      corsProxy: "",
    });
    return { head: found.defaultBranch ?? undefined, oid: found.fetchHead ?? undefined };
  } catch (error) {
    throw explainFailure(error, source.url, wanted.ref);
  }
}

/** Turns the library's errors into git's. */
export function explainFailure(error: unknown, url: string, ref?: string): unknown {
  if (error instanceof GitError || !(error instanceof Error)) return error;
  const data = (error as { data?: { statusCode?: number } }).data;
  if (error.name === "HttpError" && (data?.statusCode === 401 || data?.statusCode === 403)) {
    return new GitError(
      `Authentication failed for '${hidePassword(url)}/'\n` +
        "hint: credentials stay on the host: give them to the sandbox's `secrets` option for this host.",
    );
  }
  if (error.name === "HttpError" && data?.statusCode === 404) {
    return new GitError(`repository '${hidePassword(url)}/' not found`);
  }
  if (error.name === "HttpError") return new GitError(`unable to access '${hidePassword(url)}/': ${error.message}`);
  if (error.name === "NotFoundError" && ref !== undefined) return new GitError(`couldn't find remote ref ${ref}`);
  if (error.name === "SmartHttpError") return new GitError(`${hidePassword(url)}/ is not a git repository`);
  return error;
}

async function fetchLocal(repo: Repo, path: string, wanted: Wanted): Promise<{ head?: string; oid?: string }> {
  const source = await openLocal(repo.call, path, wanted.url);
  const { refs, head, oid: current } = await listRefs(source);
  const full = wanted.ref &&
    [`refs/heads/${wanted.ref}`, `refs/tags/${wanted.ref}`, wanted.ref].find((each) => refs.has(each));
  if (wanted.ref !== undefined && full === undefined) throw new GitError(`couldn't find remote ref ${wanted.ref}`);
  await copyObjects(source, repo);
  const seen = new Set<string>();
  for (const [name, oid] of refs) {
    const target = name.replace(/^refs\/heads\//, `refs/remotes/${wanted.remote}/`);
    const skipped = name.startsWith("refs/tags/") ? !wanted.tags : wanted.single && name !== full;
    if (skipped) continue;
    seen.add(target);
    const old = await repo.ref(target);
    if (old === oid) continue;
    if (wanted.action === undefined) await repo.setRef(target, oid);
    else await repo.updateRef(target, oid, `${wanted.action}: ${await howMoved(repo, old, oid)}`);
  }
  if (wanted.prune) await prune(repo, wanted.remote, seen);
  return { head, oid: full === undefined ? current : refs.get(full) };
}

async function howMoved(repo: Repo, old: string | undefined, oid: string): Promise<string> {
  if (old === undefined) return "storing head";
  return (await findAncestors(repo, [oid])).has(old) ? "fast-forward" : "forced-update";
}

async function prune(repo: Repo, remote: string, seen: Set<string>): Promise<void> {
  for (const name of await repo.refs(`refs/remotes/${remote}`)) {
    const ref = `refs/remotes/${remote}/${name}`;
    if (!seen.has(ref) && name !== "HEAD") await repo.deleteRef(ref);
  }
}

const FETCHING =
  "all tags,t no-tags,n prune,p depth= quiet,q verbose,v force,f unshallow progress no-progress jobs,j= " +
  "recurse-submodules=? no-recurse-submodules dry-run set-upstream update-head-ok";

export async function runFetch(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, FETCHING);
  const repo = await Repo.find(call);
  const [name, ref] = given.everything;
  if (name === undefined && repo.config.names("remote").length === 0) return 0;
  const remotes = given.has("all") ? repo.config.names("remote") : [name ?? await defaultRemote(repo)];
  for (const remote of remotes) await fetchRemote(repo, given, remote, ref, ["fetch", ...args].join(" "));
  return 0;
}

export async function defaultRemote(repo: Repo): Promise<string> {
  const branch = (await repo.branch())?.replace(/^refs\/heads\//, "");
  const [only, ...more] = repo.config.names("remote");
  return repo.config.get(`branch.${branch}.remote`) ?? (more.length === 0 && only !== undefined ? only : "origin");
}

/** The address of a remote, or the address that was given in its place. */
export function addressOf(repo: Repo, remote: string, pushing = false): string {
  const push = pushing ? repo.config.get(`remote.${remote}.pushurl`) : undefined;
  return push ?? repo.config.get(`remote.${remote}.url`) ?? remote;
}

async function fetchRemote(repo: Repo, given: Args, remote: string, ref?: string, action = "fetch") {
  const url = addressOf(repo, remote);
  const name = repo.config.names("remote").includes(remote) ? remote : "origin";
  const before = await snapshot(repo, name);
  const source = ref?.replace(/^\+/, "").split(":")[0];
  const found = await fetchFrom(repo, {
    remote: name,
    url,
    ref: source,
    single: source !== undefined,
    depth: given.has("unshallow") ? 0x7fffffff : given.has("depth") ? given.number("depth", 1) : undefined,
    tags: !given.has("no-tags"),
    prune: given.has("prune"),
    action,
  });
  if (found.oid !== undefined) {
    await repo.call.ctx.fs.writeFile(
      `${repo.gitdir}/FETCH_HEAD`,
      `${found.oid}\t\t${source ?? "HEAD"} of ${hidePassword(url)}\n`,
    );
  }
  if (!given.has("quiet")) await tellFetched(repo, name, url, before);
  return found;
}

async function snapshot(repo: Repo, remote: string): Promise<Map<string, string>> {
  const refs = new Map<string, string>();
  for (const folder of [`refs/remotes/${remote}`, "refs/tags"]) {
    for (const name of await repo.refs(folder)) {
      if (name !== "HEAD") refs.set(`${folder}/${name}`, await repo.ref(`${folder}/${name}`) ?? "");
    }
  }
  return refs;
}

async function tellFetched(repo: Repo, remote: string, url: string, before: Map<string, string>): Promise<void> {
  const after = await snapshot(repo, remote);
  const short = (ref: string) => ref.replace(/^refs\/(remotes\/[^/]+|tags)\//, "");
  const local = (ref: string) => ref.replace(/^refs\/(remotes|tags)\//, "");
  const width = Math.max(10, ...[...after.keys()].map((ref) => short(ref).length));
  const row = (mark: string, what: string, ref: string, more = "") =>
    ` ${mark} ${what.padEnd(17)} ${short(ref).padEnd(width)} -> ${local(ref)}${more}\n`;
  let text = "";
  for (const ref of before.keys()) {
    if (!after.has(ref)) text += ` - [deleted]         ${"(none)".padEnd(width)} -> ${local(ref)}\n`;
  }
  for (const [ref, oid] of after) {
    const old = before.get(ref);
    if (old === oid) continue;
    if (old === undefined) text += row("*", ref.startsWith("refs/tags/") ? "[new tag]" : "[new branch]", ref);
    else if ((await findAncestors(repo, [oid])).has(old)) {
      text += row(" ", `${old.slice(0, 7)}..${oid.slice(0, 7)}`, ref);
    } else text += row("+", `${old.slice(0, 7)}...${oid.slice(0, 7)}`, ref, "  (forced update)");
  }
  if (text !== "") repo.call.err(`From ${hidePassword(url).replace(/\.git$/, "")}\n${text}`);
}

export async function runPull(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(
    args,
    `${FETCHING} rebase,r=? no-rebase ff ff-only no-ff no-edit edit squash message,m= allow-unrelated-histories autostash no-commit commit`,
  );
  const repo = await Repo.find(call);
  if ((await repo.index()).conflicts.size > 0) throw unresolved("Pulling");
  const [remote = await defaultRemote(repo), ref] = given.everything;
  if (given.everything.length === 0 && await upstreamOf(repo, "") === undefined) {
    throw new GitError(await explainNoTracking(repo, given), 1, "");
  }
  const found = await fetchRemote(repo, given, remote, ref, ["pull", ...args].join(" "));
  const target = ref === undefined ? await repo.ref(await upstreamOf(repo, "") ?? "") ?? found.oid : found.oid;
  if (target === undefined) throw new GitError("there is nothing to merge: the remote has no such branch");
  const fresh = await Repo.find(call);
  if (isRebasing(fresh, given)) return await rebaseOnto(fresh, given, target);
  await refuseDiverged(fresh, given, target);
  const url = hidePassword(addressOf(repo, remote));
  const name = ref ?? (await upstreamOf(repo, ""))?.split("/").slice(3).join("/") ?? "HEAD";
  given.add("reflog-action", ["pull", ...args].join(" "));
  return await mergeCommit(fresh, given, await commitOf(fresh, target), target, `branch '${name}' of ${url}`);
}

async function explainNoTracking(repo: Repo, given: Args): Promise<string> {
  const doing = isRebasing(repo, given) ? "rebase against" : "merge with";
  const branch = await repo.branchName();
  const ways =
    `Please specify which branch you want to ${doing}.\nSee git-pull(1) for details.\n\n    git pull <remote> <branch>\n`;
  if (branch === undefined) return `You are not currently on a branch.\n${ways}`;
  const remotes = repo.config.names("remote");
  const remote = remotes.length === 1 ? remotes[0] : "<remote>";
  return `There is no tracking information for the current branch.\n${ways}\n` +
    "If you wish to set tracking information for this branch you can do so with:\n\n" +
    `    git branch --set-upstream-to=${remote}/<branch> ${branch}\n`;
}

function isRebasing(repo: Repo, given: Args): boolean {
  if (given.has("no-rebase")) return false;
  if (given.has("rebase")) return given.get("rebase") !== "false";
  return repo.config.flag("pull.rebase") === true;
}

/** What can be fast-forwarded is; the rest is made again on top of the remote's. */
async function rebaseOnto(repo: Repo, given: Args, target: string): Promise<number> {
  const head = await repo.head();
  const [base] = head === undefined ? [] : await mergeBases(repo, head, target);
  if (head === undefined || base === head) {
    return await mergeCommit(repo, given, await commitOf(repo, target), target, "");
  }
  const words = ["autostash", "quiet"].filter((name) => given.has(name)).map((name) => `--${name}`);
  return await runRebase(repo.call, [...words, target]);
}

async function refuseDiverged(repo: Repo, given: Args, target: string): Promise<void> {
  const head = await repo.head();
  if (head === undefined) return;
  const [base] = await mergeBases(repo, head, target);
  if (base === head || base === target) return;
  if (given.has("ff-only")) throw new GitError("Not possible to fast-forward, aborting.");
  const chosen = ["no-rebase", "ff", "no-ff", "rebase"].some((name) => given.has(name)) ||
    repo.config.get("pull.rebase") !== undefined || repo.config.get("pull.ff") !== undefined;
  if (chosen) return;
  throw new GitError(
    "Need to specify how to reconcile divergent branches.",
    128,
    "hint: You have divergent branches and need to specify how to reconcile them.\n" +
      "hint: Use git pull --no-rebase to merge them.\nfatal: ",
  );
}

export async function runLsRemote(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "heads,h tags,t quiet,q symref refs exit-code get-url sort=");
  const repo = await Repo.find(call).catch(() => undefined);
  const [name = repo ? await defaultRemote(repo) : "origin", ...patterns] = given.everything;
  const address = repo ? addressOf(repo, name) : name;
  const refs = await listRemote(call, address);
  // Said only of a remote that was not named.
  if (given.everything.length === 0 && !given.has("quiet")) call.err(`From ${hidePassword(address)}\n`);
  let count = 0;
  for (const [ref, oid] of refs) {
    const wanted = !given.has("heads") && !given.has("tags") || given.has("heads") && ref.startsWith("refs/heads/") ||
      given.has("tags") && ref.startsWith("refs/tags/");
    if (!wanted || patterns.length > 0 && !patterns.some((each) => ref === each || ref.endsWith(`/${each}`))) continue;
    call.out(`${oid}\t${ref}\n`);
    count++;
  }
  return count === 0 && given.has("exit-code") ? 2 : 0;
}

async function listRemote(call: Call, address: string): Promise<Map<string, string>> {
  const source = sourceOf(call, address);
  if (source.kind === "path") {
    const repo = await openLocal(call, source.path, address);
    const head = await repo.head();
    return new Map([...head === undefined ? [] : [["HEAD", head] as const], ...(await listRefs(repo)).refs]);
  }
  try {
    const http = new Http(call, call.ask);
    const list = await git.listServerRefs({ http, url: source.url, corsProxy: "", protocolVersion: 1 });
    return new Map(list.map(({ ref, oid }) => [ref, oid]));
  } catch (error) {
    throw explainFailure(error, source.url);
  }
}
