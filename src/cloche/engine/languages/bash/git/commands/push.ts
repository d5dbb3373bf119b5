/** git push. */
import git from "isomorphic-git";
import { type Args, GitError, parseArgs, usageError } from "../options.ts";
import { exactRef, writeUpstream } from "./branch.ts";
import type { Call } from "../call.ts";
import { addressOf, defaultRemote, explainFailure } from "./fetch.ts";
import { hidePassword, Http, sourceOf } from "../http.ts";
import { copyObjects, openLocal } from "../repository/local_remotes.ts";
import { Repo } from "../repository/repository.ts";
import { findRevision, upstreamOf } from "../repository/revision.ts";
import { findAncestors } from "../repository/history_walk.ts";

/** One ref to be changed on the other side; no source removes it. */
interface Update {
  from: string | undefined;
  /** What the source is called, if not by its own name. */
  name?: string;
  to: string;
  force: boolean;
}

export async function runPush(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(
    args,
    "set-upstream,u force,f force-with-lease=? delete,d tags all quiet,q verbose,v dry-run,n progress no-verify follow-tags porcelain",
  );
  const repo = await Repo.find(call);
  const [remote = await defaultRemote(repo), ...specs] = given.everything;
  const url = addressOf(repo, remote, true);
  if (url === remote && given.everything.length === 0) {
    throw new GitError(
      "No configured push destination.\nEither specify the URL from the command-line or configure a remote repository using\n\n" +
        "    git remote add <name> <url>\n\nand then push using the remote name\n\n    git push <name>\n",
    );
  }
  const updates = await updatesFor(repo, given, remote, specs);
  const rows: string[] = [];
  let failed = false;
  for (const update of updates) {
    const outcome = await pushOne(repo, remote, url, update);
    if (outcome === undefined) continue;
    rows.push(outcome);
    failed ||= outcome.startsWith(" !");
    if (given.has("set-upstream") && !failed && update.from) await track(repo, remote, update, given.has("quiet"));
  }
  if (rows.length === 0) call.err("Everything up-to-date\n");
  else if (!given.has("quiet") || failed) call.err(`To ${hidePassword(url)}\n${rows.join("")}`);
  if (failed) throw usageError(`failed to push some refs to '${hidePassword(url)}'${hintFor(rows)}`);
  return 0;
}

/** What git says of a branch that the other side has moved. */
function hintFor(rows: string[]): string {
  const behind = rows.some((row) => row.endsWith("(non-fast-forward)\n"));
  if (!behind && !rows.some((row) => row.endsWith("(fetch first)\n"))) return "";
  const lines = behind
    ? [
      "Updates were rejected because the tip of your current branch is behind",
      "its remote counterpart. Integrate the remote changes (e.g.",
      "'git pull ...') before pushing again.",
    ]
    : [
      "Updates were rejected because the remote contains work that you do",
      "not have locally. This is usually caused by another repository pushing",
      "to the same ref. You may want to first integrate the remote changes",
      "(e.g., 'git pull ...') before pushing again.",
    ];
  lines.push("See the 'Note about fast-forwards' in 'git push --help' for details.");
  return lines.map((line) => `\nhint: ${line}`).join("");
}

async function track(repo: Repo, remote: string, { from, to }: Update, quiet: boolean): Promise<void> {
  const [branch, theirs] = [from?.replace(/^refs\/heads\//, "") ?? "", to.replace(/^refs\/heads\//, "")];
  await writeUpstream(repo, branch, `${remote}/${theirs}`);
  if (!quiet) repo.call.out(`branch '${branch}' set up to track '${remote}/${theirs}'.\n`);
}

async function updatesFor(repo: Repo, given: Args, remote: string, specs: string[]): Promise<Update[]> {
  const force = given.has("force") || given.has("force-with-lease");
  const folders = [...given.has("tags") ? ["refs/tags"] : [], ...given.has("all") ? ["refs/heads"] : []];
  const updates: Update[] = [];
  for (const folder of folders) {
    for (const name of await repo.refs(folder)) {
      updates.push({ from: `${folder}/${name}`, to: `${folder}/${name}`, force });
    }
  }
  if (given.has("delete")) return specs.map((name) => ({ from: undefined, to: `refs/heads/${name}`, force: true }));
  for (const spec of specs) updates.push(await readSpec(repo, spec, force));
  return updates.length > 0 || folders.length > 0 ? updates : [await currentUpdate(repo, given, remote, force)];
}

async function readSpec(repo: Repo, spec: string, force: boolean): Promise<Update> {
  const [source, target] = spec.replace(/^\+/, "").split(":");
  const forced = force || spec.startsWith("+");
  if (source === "") return { from: undefined, to: fullName(target ?? "", "refs/heads"), force: forced };
  const from = await localName(repo, source);
  if (source === "HEAD" && target !== undefined) {
    return { from, name: source, to: fullName(target, "refs/heads"), force: forced };
  }
  const kind = from.startsWith("refs/tags/") ? "refs/tags" : "refs/heads";
  return { from, to: fullName(target ?? from, kind), force: forced };
}

function fullName(name: string, folder: string): string {
  return name.startsWith("refs/") ? name : `${folder}/${name}`;
}

async function localName(repo: Repo, name: string): Promise<string> {
  if (name === "HEAD") return await repo.branch() ?? "HEAD";
  for (const ref of [name, `refs/heads/${name}`, `refs/tags/${name}`]) {
    if (ref.startsWith("refs/") && await exactRef(repo, ref) !== undefined) return ref;
  }
  if (await findRevision(repo, name) !== undefined) return name;
  throw usageError(`src refspec ${name} does not match any`);
}

async function currentUpdate(repo: Repo, given: Args, remote: string, force: boolean): Promise<Update> {
  const ref = await repo.branch();
  if (ref === undefined) throw new GitError("You are not currently on a branch: name what to push");
  const branch = ref.replace(/^refs\/heads\//, "");
  const upstream = await upstreamOf(repo, branch);
  const named = given.everything.length > 0 || given.has("set-upstream") ||
    repo.config.get("push.default") === "current";
  if (upstream === undefined && !named && repo.config.flag("push.autosetupremote") !== true) {
    throw new GitError(
      `The current branch ${branch} has no upstream branch.\n` +
        `To push the current branch and set the remote as upstream, use\n\n    git push --set-upstream ${remote} ${branch}\n`,
    );
  }
  return { from: ref, to: ref, force };
}

/** The row that git prints for a ref, or undefined if nothing was to be done. */
async function pushOne(repo: Repo, remote: string, url: string, update: Update): Promise<string | undefined> {
  const source = sourceOf(repo.call, url);
  const name = repo.config.names("remote").includes(remote) ? remote : undefined;
  return source.kind === "path"
    ? await pushLocal(repo, name, source.path, url, update)
    : await pushHttp(repo, name, source.url, update);
}

const short = (ref: string) => ref.replace(/^refs\/(heads|tags)\//, "");

function row(update: Update, old: string | undefined, oid: string | undefined, forced: boolean): string {
  const [from, to] = [update.name ?? short(update.from ?? ""), short(update.to)];
  if (oid === undefined) return ` - [deleted]         ${to}\n`;
  const what = update.to.startsWith("refs/tags/") ? "[new tag]" : "[new branch]";
  if (old === undefined) return ` * ${what.padEnd(17)} ${from} -> ${to}\n`;
  const dots = forced ? "..." : "..";
  return ` ${forced ? "+" : " "} ${`${old.slice(0, 7)}${dots}${oid.slice(0, 7)}`.padEnd(17)} ${from} -> ${to}${
    forced ? " (forced update)" : ""
  }\n`;
}

function rejected(update: Update, why: string): string {
  return ` ! ${"[rejected]".padEnd(17)} ${update.name ?? short(update.from ?? "")} -> ${short(update.to)} (${why})\n`;
}

async function pushLocal(repo: Repo, remote: string | undefined, path: string, url: string, update: Update) {
  const target = await openLocal(repo.call, path, url);
  const old = await exactRef(target, update.to);
  const oid = update.from === undefined ? undefined : await findRevision(repo, update.from);
  if (old === oid) return undefined;
  if (target.root !== undefined && await target.branch() === update.to) {
    return ` ! ${"[remote rejected]".padEnd(17)} ${short(update.from ?? "")} -> ${
      short(update.to)
    } (branch is currently checked out)\n`;
  }
  if (oid === undefined) {
    await target.deleteRef(update.to);
    return row(update, old, oid, false);
  }
  const ahead = old === undefined || await repo.objects.has(old) && (await findAncestors(repo, [oid])).has(old);
  if (!ahead && !update.force) {
    return rejected(update, await repo.objects.has(old ?? "") ? "non-fast-forward" : "fetch first");
  }
  await copyObjects(repo, target);
  await target.updateRef(update.to, oid, "push");
  if (remote !== undefined && update.to.startsWith("refs/heads/")) {
    await repo.updateRef(`refs/remotes/${remote}/${short(update.to)}`, oid, "update by push");
  }
  return row(update, old, oid, !ahead);
}

async function pushHttp(
  repo: Repo,
  remote: string | undefined,
  url: string,
  update: Update,
): Promise<string | undefined> {
  const oid = update.from === undefined ? undefined : await findRevision(repo, update.from);
  let old: string | undefined;
  try {
    await git.push({
      ...repo.where,
      http: new Http(repo.call, repo.call.ask),
      url,
      remote,
      ref: update.from ?? update.to,
      remoteRef: update.to,
      force: update.force,
      delete: update.from === undefined,
      corsProxy: "",
      onPrePush: ({ remoteRef }) => {
        old = /^0+$/.test(remoteRef.oid) ? undefined : remoteRef.oid;
        return old !== oid || oid === undefined;
      },
    });
  } catch (error) {
    return refusal(error, update, url);
  }
  const forced = old !== undefined && oid !== undefined && update.force && !(await findAncestors(repo, [oid])).has(old);
  return row(update, old, oid, forced);
}

/** A refusal of this ref is a row; everything else ends the command. */
function refusal(error: unknown, update: Update, url: string): string | undefined {
  if (!(error instanceof Error)) throw error;
  if (error.name === "UserCanceledError") return undefined;
  if (error.name === "PushRejectedError") {
    const reason = (error as { data?: { reason?: string } }).data?.reason;
    return rejected(update, reason === "tag-exists" ? "already exists" : "non-fast-forward");
  }
  if (error.name === "GitPushError") {
    const why = error.message.match(/: ([^:\n]+)$/)?.[1] ?? "refused";
    return ` ! ${"[remote rejected]".padEnd(17)} ${short(update.from ?? "")} -> ${short(update.to)} (${
      why.replace(/^ng \S+ /, "")
    })\n`;
  }
  throw explainFailure(error, url);
}
