/** Names of commits and other objects: HEAD~2, main, a1b2c3d, v1^{tree}, main:file, A..B. */
import { GitError } from "../options.ts";
import { approximateTime } from "../people.ts";
import type { Commit } from "./objects.ts";
import type { Repo } from "./repository.ts";

const STEPS = 10_000;

/** The object that a name refers to, or undefined. */
export async function findRevision(repo: Repo, name: string): Promise<string | undefined> {
  const colon = name.indexOf(":");
  if (colon > 0) return await findInTree(repo, name.slice(0, colon), name.slice(colon + 1));
  if (colon === 0) return await findInIndex(repo, name.slice(1));
  const match = name.match(/^(.*?)((?:\^\{\w*\}|\^\d*|~\d*)*)$/s);
  const [, base, steps] = match ?? ["", name, ""];
  let oid = await findBase(repo, base === "" ? "HEAD" : base);
  for (const step of steps.match(/\^\{\w*\}|\^\d*|~\d*/g) ?? []) {
    if (oid === undefined) return undefined;
    oid = await takeStep(repo, oid, step);
  }
  return oid;
}

async function findBase(repo: Repo, name: string): Promise<string | undefined> {
  if (name === "@") return await repo.head();
  const logged = name.match(/^(.*)@\{(.+)\}$/s);
  if (logged && !/^(u|upstream|push)$/i.test(logged[2])) return await findLogged(repo, logged[1], logged[2]);
  const upstream = name.match(/^(.*)@\{(?:u|upstream|push)\}$/i)?.[1];
  if (upstream !== undefined) return await repo.ref(await upstreamOf(repo, upstream) ?? "");
  if (/^[0-9a-f]{40}$/.test(name)) return name;
  const ref = name === "" || /[\s~^:?*[\\]|\.\.|@\{/.test(name) ? undefined : await repo.ref(name);
  if (ref !== undefined) return ref;
  const described = name.match(/-g([0-9a-f]{4,40})$/)?.[1] ?? name;
  return /^[0-9a-f]{4,39}$/.test(described) ? await repo.objects.expand(described) : undefined;
}

/** HEAD@{1}, main@{yesterday}, @{-1}: where a ref was. */
async function findLogged(repo: Repo, name: string, which: string): Promise<string | undefined> {
  const back = which.match(/^-(\d+)$/);
  if (back) {
    const before = name === "" ? await repo.reflog.previous(Number(back[1])) : undefined;
    return before === undefined ? undefined : await findBase(repo, before);
  }
  const ref = name === "" ? await repo.branch() ?? "HEAD" : await fullRef(repo, name);
  if (ref === undefined) return undefined;
  const entries = await repo.reflog.read(ref);
  const shown = name === "" ? ref.replace(/^refs\/heads\//, "") : name;
  if (/^\d+$/.test(which)) {
    const number = Number(which);
    if (number === 0) return await repo.ref(ref);
    if (entries.length === 0) throw new GitError(`log for '${shown}' is empty`);
    if (number < entries.length) return entries[number].oid;
    const oldest = entries[entries.length - 1].old;
    if (number === entries.length && !/^0+$/.test(oldest)) return oldest;
    throw new GitError(`log for '${shown}' only has ${entries.length} entries`);
  }
  const time = approximateTime(which);
  return entries.find(({ who }) => who.time <= time)?.oid ?? entries.at(-1)?.oid;
}

/** The whole name of a ref. */
export async function fullRef(repo: Repo, name: string): Promise<string | undefined> {
  if (name === "@" || /^[A-Z_]*HEAD$/.test(name)) return name === "@" ? "HEAD" : name;
  const places = [name, `refs/${name}`, `refs/tags/${name}`, `refs/heads/${name}`, `refs/remotes/${name}`];
  for (const place of places.filter((each) => each.startsWith("refs/"))) {
    if (await repo.ref(place) !== undefined) return place;
  }
  const head = `refs/remotes/${name}/HEAD`;
  return await repo.ref(head) === undefined ? undefined : head;
}

/** The remote-tracking branch that a branch ("" for the current one) follows. */
export async function upstreamOf(repo: Repo, branch: string): Promise<string | undefined> {
  const name = branch === "" || branch === "HEAD" || branch === "@"
    ? (await repo.branch())?.replace(/^refs\/heads\//, "")
    : branch.replace(/^refs\/heads\//, "");
  const remote = repo.config.get(`branch.${name}.remote`);
  const merge = repo.config.get(`branch.${name}.merge`);
  if (remote === undefined || merge === undefined) return undefined;
  return remote === "." ? merge : `refs/remotes/${remote}/${merge.replace(/^refs\/heads\//, "")}`;
}

async function takeStep(repo: Repo, oid: string, step: string): Promise<string | undefined> {
  const kind = step.match(/^\^\{(\w*)\}$/)?.[1];
  if (kind !== undefined) return await peelObject(repo, oid, kind === "" ? undefined : kind);
  const commit = await peelObject(repo, oid, "commit");
  if (commit === undefined) return undefined;
  if (step[0] === "^") {
    const number = step.length > 1 ? Number(step.slice(1)) : 1;
    return number === 0 ? commit : (await repo.objects.commit(commit)).parents[number - 1];
  }
  let at: string | undefined = commit;
  for (let left = step.length > 1 ? Number(step.slice(1)) : 1; left > 0 && at !== undefined; left--) {
    at = (await repo.objects.commit(at)).parents[0];
  }
  return at;
}

/** Follows tags, and a commit to its tree; without a kind, tags only. */
export async function peelObject(repo: Repo, oid: string, kind?: string): Promise<string | undefined> {
  for (let left = STEPS; left > 0; left--) {
    const found = await repo.objects.read(oid);
    if (found.kind === kind || kind === undefined && found.kind !== "tag" || kind === "object") return oid;
    if (found.kind === "tag") oid = new TextDecoder().decode(found.data).match(/^object ([0-9a-f]{40})$/m)?.[1] ?? "";
    else if (found.kind === "commit" && kind === "tree") return (await repo.objects.commit(oid)).tree;
    else return undefined;
  }
  return undefined;
}

async function findInTree(repo: Repo, revision: string, path: string): Promise<string | undefined> {
  let oid = await findRevision(repo, revision);
  if (oid !== undefined) oid = await peelObject(repo, oid, "tree");
  const whole = path.startsWith("./") || path.startsWith("../") ? repo.locate(path) : path;
  for (const name of whole.split("/").filter((part) => part !== "")) {
    if (oid === undefined || (await repo.objects.read(oid)).kind !== "tree") return undefined;
    oid = (await repo.objects.tree(oid)).find((entry) => entry.name === name)?.oid;
  }
  return oid;
}

async function findInIndex(repo: Repo, text: string): Promise<string | undefined> {
  const [, stage = "0", path] = text.match(/^(?:([0-3]):)?(.*)$/s) ?? [];
  const index = await repo.index();
  if (stage === "0") return index.entries.get(path)?.oid;
  return index.conflicts.get(path)?.find((entry) => entry.stage === Number(stage))?.oid;
}

/** The object, or git's complaint. */
export async function resolveRevision(repo: Repo, name: string): Promise<string> {
  const oid = await findRevision(repo, name);
  if (oid !== undefined) return oid;
  throw new GitError(
    `ambiguous argument '${name}': unknown revision or path not in the working tree.\n` +
      "Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'",
  );
}

export async function commitOf(repo: Repo, name: string): Promise<Commit> {
  const oid = await peelObject(repo, await resolveRevision(repo, name), "commit");
  if (oid === undefined) throw new GitError(`${name} does not name a commit`);
  return await repo.objects.commit(oid);
}

export async function treeOf(repo: Repo, name: string): Promise<string> {
  const oid = await peelObject(repo, await resolveRevision(repo, name), "tree");
  if (oid === undefined) throw new GitError(`not a tree object: ${name}`);
  return oid;
}
