/** git branch and git tag. */
import { compareVersions } from "./refs/list_refs.ts";
import { decodeText, encodeText, fromArray, toArray } from "../../text/byte_strings.ts";
import { type Args, GitError, parseArgs, usageError } from "../options.ts";
import type { Call } from "../call.ts";
import { cleanMessage } from "./commit.ts";
import { listTrees } from "./worktree.ts";
import { detachedLine } from "./progress.ts";
import { changeConfig, removeSection } from "../repository/configuration.ts";
import { subjectOf } from "../text/commit_format.ts";
import { globToRegExp } from "../repository/glob.ts";
import { personText } from "../repository/objects.ts";
import { personFor } from "../people.ts";
import { Repo } from "../repository/repository.ts";
import { editFile, findEditor } from "../editor.ts";
import { commitOf, peelObject, resolveRevision, upstreamOf } from "../repository/revision.ts";
import { countBetween, findAncestors } from "../repository/history_walk.ts";

const BRANCH_OPTIONS =
  "all,a remotes,r delete,d D move,m M copy,c force,f list,l=? show-current verbose,v vv quiet,q " +
  "set-upstream-to,u= unset-upstream track,t=? no-track merged=~ no-merged=~ contains=~ no-contains=~ format= sort= no-color color=? " +
  "edit-description";

const LISTING = ["list", "all", "remotes", "verbose", "vv", "merged", "no-merged", "contains", "no-contains"];

export async function runBranch(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args.map((word) => word === "-vv" ? "--vv" : word), BRANCH_OPTIONS);
  const repo = await Repo.find(call);
  const words = given.everything;
  if (given.has("show-current")) {
    const current = (await repo.branch())?.replace(/^refs\/heads\//, "");
    if (current !== undefined) call.out(`${current}\n`);
    return 0;
  }
  if (given.has("delete") || given.has("D")) return await deleteBranches(repo, given, words);
  if (given.has("move") || given.has("M")) return await renameBranch(repo, given, words);
  if (given.has("set-upstream-to")) return await setUpstream(repo, words[0], given.get("set-upstream-to") ?? "");
  if (given.has("unset-upstream")) return await unsetUpstream(repo, words[0]);
  const listing = LISTING.some((name) => given.has(name));
  if (words.length === 0 || listing) return await listBranches(repo, given, words);
  const [name, start = "HEAD"] = words;
  await makeBranch(repo, name, start, given.has("force"), words[1] ?? await repo.branchName() ?? "HEAD");
  if (given.get("track") !== undefined) await writeUpstream(repo, name, start);
  return 0;
}

/** Throws unless a branch may have this name. */
export function checkBranchName(name: string): void {
  const bad = /[\s~^:?*[\\\x7f]|\.\.|@\{|\/\/|^[-/.]|\/\.|[/.]$|\.lock(\/|$)/.test(name);
  if (bad || name === "" || name === "@" || name === "HEAD") throw new GitError(`'${name}' is not a valid branch name`);
}

export async function makeBranch(
  repo: Repo,
  name: string,
  start: string,
  force: boolean,
  label?: string,
): Promise<string> {
  checkBranchName(name);
  const ref = `refs/heads/${name}`;
  if (!force && await exactRef(repo, ref) !== undefined) throw new GitError(`a branch named '${name}' already exists`);
  if (force && await repo.branch() === ref) {
    throw new GitError(`cannot force update the branch '${name}' used by worktree at '${repo.top}'`);
  }
  const found = start === "HEAD" && await repo.head() === undefined ? undefined : start;
  if (found === undefined) {
    throw new GitError(`not a valid object name: '${(await repo.branch())?.slice(11) ?? start}'`);
  }
  const { oid } = await commitOf(repo, found);
  const existed = await exactRef(repo, ref) !== undefined;
  await repo.updateRef(ref, oid, `branch: ${existed ? "Reset to" : "Created from"} ${label ?? start}`);
  const remote = await exactRef(repo, `refs/remotes/${start}`);
  if (remote !== undefined && /^[^/]+\/./.test(start)) await writeUpstream(repo, name, start);
  return oid;
}

export async function exactRef(repo: Repo, ref: string): Promise<string | undefined> {
  const [folder, name] = [ref.split("/").slice(0, 2).join("/"), ref.split("/").slice(2).join("/")];
  return (await repo.refs(folder)).includes(name) ? await repo.ref(ref) : undefined;
}

async function writeConfig(repo: Repo, change: (text: string) => string): Promise<void> {
  const path = `${repo.common}/config`;
  await repo.call.ctx.fs.writeFile(path, change(await repo.call.text(path) ?? ""));
}

/** Notes that a branch follows another, which may be a remote's. */
export async function writeUpstream(repo: Repo, name: string, upstream: string): Promise<void> {
  const [remote, ...rest] = upstream.replace(/^refs\/remotes\//, "").split("/");
  const known = repo.config.names("remote").includes(remote);
  const [from, merge] = known ? [remote, rest.join("/")] : [".", upstream];
  await writeConfig(repo, (text) => {
    const first = changeConfig(text, `branch.${name}.remote`, from);
    return changeConfig(first, `branch.${name}.merge`, `refs/heads/${merge}`);
  });
}

async function currentName(repo: Repo, name: string | undefined): Promise<string> {
  const current = name ?? (await repo.branch())?.replace(/^refs\/heads\//, "");
  if (current === undefined) throw new GitError("HEAD is not on a branch: name one");
  return current;
}

async function setUpstream(repo: Repo, name: string | undefined, upstream: string): Promise<number> {
  const current = await currentName(repo, name);
  if (
    await exactRef(repo, `refs/remotes/${upstream}`) === undefined &&
    await exactRef(repo, `refs/heads/${upstream}`) === undefined
  ) {
    throw new GitError(`the requested upstream branch '${upstream}' does not exist`);
  }
  await writeUpstream(repo, current, upstream);
  repo.call.out(`branch '${current}' set up to track '${upstream}'.\n`);
  return 0;
}

async function unsetUpstream(repo: Repo, name: string | undefined): Promise<number> {
  const current = await currentName(repo, name);
  await writeConfig(repo, (text) => removeSection(text, `branch.${current}`));
  return 0;
}

async function deleteBranches(repo: Repo, given: Args, names: string[]): Promise<number> {
  if (names.length === 0) throw new GitError("branch name required");
  let code = 0;
  for (const name of names) {
    const ref = `${given.has("remotes") ? "refs/remotes" : "refs/heads"}/${name}`;
    const oid = await exactRef(repo, ref);
    if (oid === undefined) {
      repo.call.err(`error: branch '${name}' not found.\n`);
      code = 1;
      continue;
    }
    if (await repo.branch() === ref) throw usageError(`Cannot delete branch '${name}' checked out at '${repo.top}'`);
    const used = (await listTrees(repo)).find(({ branch, gone }) => branch === ref && !gone);
    if (used) throw usageError(`Cannot delete branch '${name}' checked out at '${used.path}'`);
    if (!given.has("D") && !given.has("force") && !given.has("remotes")) await checkMerged(repo, name, oid);
    await repo.deleteRef(ref);
    await writeConfig(repo, (text) => removeSection(text, `branch.${name}`));
    if (!given.has("quiet")) repo.call.out(`Deleted branch ${name} (was ${oid.slice(0, 7)}).\n`);
  }
  return code;
}

async function checkMerged(repo: Repo, name: string, oid: string): Promise<void> {
  const head = await repo.head();
  const upstream = await upstreamOf(repo, name);
  const into = (upstream && await repo.ref(upstream)) ?? head;
  if (into !== undefined && (await findAncestors(repo, [into])).has(oid)) return;
  throw usageError(
    `The branch '${name}' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D ${name}'.`,
  );
}

async function renameBranch(repo: Repo, given: Args, words: string[]): Promise<number> {
  const current = await repo.branch();
  const [from, to] = words.length > 1 ? words : [current?.replace(/^refs\/heads\//, "") ?? "HEAD", words[0]];
  if (to === undefined) throw new GitError("branch name required");
  checkBranchName(to);
  const [old, fresh] = [`refs/heads/${from}`, `refs/heads/${to}`];
  const oid = await exactRef(repo, old);
  if (oid === undefined && current !== old) {
    throw usageError(`refname ${old} not found\nfatal: Branch rename failed`, 128);
  }
  if (!given.has("M") && !given.has("force") && await exactRef(repo, fresh) !== undefined) {
    throw new GitError(`a branch named '${to}' already exists`);
  }
  const message = `Branch: renamed ${old} to ${fresh}`;
  if (oid !== undefined && old !== fresh) {
    await repo.reflog.rename(old, fresh);
    await repo.deleteRef(old);
    await repo.setRef(fresh, oid);
    await repo.reflog.add(fresh, oid, oid, message);
  }
  if (current === old) await repo.attachHead(fresh, message);
  await writeConfig(repo, (text) => text.replaceAll(`[branch "${from}"]`, `[branch "${to}"]`));
  return 0;
}

interface Listed {
  name: string;
  ref: string;
  oid: string;
}

async function listBranches(repo: Repo, given: Args, patterns: string[]): Promise<number> {
  const current = await repo.branch();
  const head = await repo.head();
  const rows: Listed[] = [];
  if (current === undefined && head !== undefined && !given.has("remotes")) {
    rows.push({ name: `(${await looseName(repo, head)})`, ref: "HEAD", oid: head });
  }
  const folders = given.has("all")
    ? ["refs/heads", "refs/remotes"]
    : [given.has("remotes") ? "refs/remotes" : "refs/heads"];
  for (const folder of folders) {
    for (const short of await repo.refs(folder)) {
      const oid = await repo.ref(`${folder}/${short}`);
      if (oid === undefined || patterns.length > 0 && !patterns.some((each) => globToRegExp(each).test(short))) {
        continue;
      }
      const name = folder === "refs/remotes" && given.has("all") ? `remotes/${short}` : short;
      rows.push({ name: await withTarget(repo, folder, short, name), ref: `${folder}/${short}`, oid });
    }
  }
  const shown = await filterMerged(repo, given, rows);
  if (given.has("format")) {
    for (const row of shown) repo.call.out(fillRow(given.get("format") ?? "", row, current) + "\n");
    return 0;
  }
  const trees = await repo.call.ctx.fs.exists(`${repo.common}/worktrees`) ? await listTrees(repo) : [];
  const elsewhere = new Set(trees.filter(({ gone }) => !gone).map(({ branch }) => branch));
  const width = Math.max(0, ...shown.map(({ name }) => name.length));
  for (const row of shown) {
    const mark = row.ref === current || row.ref === "HEAD" ? "*" : elsewhere.has(row.ref) ? "+" : " ";
    repo.call.out(`${mark} ${await describe(repo, row, given, width)}\n`);
  }
  return 0;
}

/** What stands in the list where HEAD is on no branch. */
async function looseName(repo: Repo, head: string): Promise<string> {
  const rebased = (await repo.note("rebase-merge/head-name"))?.trim();
  if (rebased !== undefined) return `no branch, rebasing ${rebased.replace(/^refs\/heads\//, "")}`;
  const bisected = (await repo.note("BISECT_START"))?.trim();
  if (bisected !== undefined) return `no branch, bisect started on ${bisected}`;
  const line = await detachedLine(repo, head);
  return line.startsWith("HEAD") ? line : "no branch";
}

/** `origin/HEAD -> origin/main`, for a ref that points to another. */
async function withTarget(repo: Repo, folder: string, short: string, name: string): Promise<string> {
  if (!short.endsWith("/HEAD")) return name;
  const text = (await repo.call.text(`${repo.common}/${folder}/${short}`) ?? "").trim();
  return text.startsWith("ref: ") ? `${name} -> ${text.slice(5).replace(/^refs\/remotes\//, "")}` : name;
}

async function filterMerged(repo: Repo, given: Args, rows: Listed[]): Promise<Listed[]> {
  let kept = rows;
  for (const [option, wanted] of [["merged", true], ["no-merged", false]] as const) {
    if (!given.has(option)) continue;
    const reached = await findAncestors(repo, [(await commitOf(repo, given.get(option) || "HEAD")).oid]);
    kept = kept.filter(({ oid }) => reached.has(oid) === wanted);
  }
  for (const [option, wanted] of [["contains", true], ["no-contains", false]] as const) {
    if (!given.has(option)) continue;
    const { oid } = await commitOf(repo, given.get(option) || "HEAD");
    const holds = await Promise.all(kept.map(async (row) => (await findAncestors(repo, [row.oid])).has(oid)));
    kept = kept.filter((_, i) => holds[i] === wanted);
  }
  return kept;
}

function fillRow(format: string, { name, ref, oid }: Listed, current: string | undefined): string {
  const values: Record<string, string> = {
    refname: ref,
    "refname:short": name,
    objectname: oid,
    "objectname:short": oid.slice(0, 7),
    HEAD: ref === current ? "*" : " ",
  };
  return format.replace(/%\(([^)]*)\)/g, (_, key) => values[key] ?? "");
}

async function describe(repo: Repo, { name, ref, oid }: Listed, given: Args, width: number): Promise<string> {
  if (!given.has("verbose") && !given.has("vv")) return name;
  const { message } = await repo.objects.commit(await peelObject(repo, oid, "commit") ?? oid);
  const upstream = ref.startsWith("refs/heads/") ? await upstreamOf(repo, name) : undefined;
  const theirs = upstream && await repo.ref(upstream);
  const parts: string[] = [];
  if (theirs) {
    const { ahead, behind } = await countBetween(repo, oid, theirs);
    if (ahead > 0) parts.push(`ahead ${ahead}`);
    if (behind > 0) parts.push(`behind ${behind}`);
  }
  const named = given.has("vv") && upstream ? upstream.replace(/^refs\/(remotes|heads)\//, "") : "";
  const inside = [named, parts.join(", ")].filter(Boolean).join(": ");
  return `${name.padEnd(width)} ${oid.slice(0, 7)} ${inside === "" ? "" : `[${inside}] `}${subjectOf(message)}`;
}

export async function runTag(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(
    args,
    "annotate,a message,m= file,F= delete,d list,l=? force,f n=? sign,s points-at= sort= contains=~ no-contains=~ " +
      "merged=~ no-merged=~",
  );
  const repo = await Repo.find(call);
  const words = given.everything;
  if (given.has("sign")) throw new GitError("tags cannot be signed here: no key is in the sandbox");
  if (given.has("delete")) return await deleteTags(repo, words);
  const listing = ["list", "points-at", "contains", "no-contains", "merged", "no-merged"].some((each) =>
    given.has(each)
  );
  if (words.length === 0 || listing) return await listTags(repo, given, words);
  const [name, target = "HEAD"] = words;
  checkBranchName(name);
  if (!given.has("force") && await exactRef(repo, `refs/tags/${name}`) !== undefined) {
    throw new GitError(`tag '${name}' already exists`);
  }
  const oid = await resolveRevision(repo, target);
  const annotated = given.has("annotate") || given.has("message") || given.has("file");
  await repo.setRef(`refs/tags/${name}`, annotated ? await writeTag(repo, given, name, oid) : oid);
  return 0;
}

async function editTagMessage(repo: Repo, name: string): Promise<string> {
  const editor = await findEditor(repo.call);
  if (editor === undefined) throw new GitError("there is no editor in this sandbox: give the message with -m");
  const note = `\n#\n# Write a message for tag:\n#   ${name}\n# Lines starting with '#' will be ignored.\n`;
  await repo.writeNote("TAG_EDITMSG", note);
  await editFile(repo.call, editor, `${repo.gitdir}/TAG_EDITMSG`, repo.top);
  const text = cleanMessage((await repo.note("TAG_EDITMSG") ?? "").replace(/^#.*\n?/gm, ""));
  if (text === "") throw new GitError("no tag message?");
  return text;
}

async function writeTag(repo: Repo, given: Args, name: string, oid: string): Promise<string> {
  const file = given.get("file");
  const text = file !== undefined
    ? await repo.call.text(repo.call.path(file)) ?? ""
    : given.has("message")
    ? given.all("message").join("\n\n")
    : await editTagMessage(repo, name);
  const { kind } = await repo.objects.read(oid);
  const tagger = personText(personFor(repo.call, repo.config, "COMMITTER"));
  const body = `object ${oid}\ntype ${kind}\ntag ${name}\ntagger ${tagger}\n\n${cleanMessage(text)}`;
  return await repo.objects.write("tag", toArray(encodeText(body)));
}

async function deleteTags(repo: Repo, names: string[]): Promise<number> {
  let code = 0;
  for (const name of names) {
    const oid = await exactRef(repo, `refs/tags/${name}`);
    if (oid === undefined) {
      repo.call.err(`error: tag '${name}' not found.\n`);
      code = 1;
      continue;
    }
    await repo.deleteRef(`refs/tags/${name}`);
    repo.call.out(`Deleted tag '${name}' (was ${oid.slice(0, 7)})\n`);
  }
  return code;
}

async function listTags(repo: Repo, given: Args, words: string[]): Promise<number> {
  const patterns = [...words, ...given.all("list")].filter(Boolean).map((each) => globToRegExp(each));
  const at = given.get("points-at");
  const wanted = at === undefined ? undefined : await resolveRevision(repo, at);
  const reached = await reachTest(repo, given);
  for (const name of await sortTags(repo, given)) {
    if (patterns.length > 0 && !patterns.some((each) => each.test(name))) continue;
    const oid = await repo.ref(`refs/tags/${name}`) ?? "";
    if (wanted !== undefined && oid !== wanted && await peelObject(repo, oid) !== wanted) continue;
    if (!await reached(oid)) continue;
    repo.call.out(given.has("n") ? `${name.padEnd(15)} ${await tagSubject(repo, oid)}\n` : `${name}\n`);
  }
  return 0;
}

/** The names of tags in the order that is asked for. */
async function sortTags(repo: Repo, given: Args): Promise<string[]> {
  const names = await repo.refs("refs/tags");
  const [, descending, key] = /^(-?)(.*)$/s.exec(given.get("sort") ?? repo.config.get("tag.sort") ?? "refname") ?? [];
  const turn = (sorted: string[]) => descending === "-" ? sorted.reverse() : sorted;
  if (key === "refname") return turn([...names]);
  if (/^(version:refname|v:refname)$/.test(key)) return turn([...names].sort(compareVersions));
  if (!/^(creatordate|taggerdate|committerdate)$/.test(key)) {
    throw new GitError(`unsupported sort specification '${key}'`);
  }
  const times = new Map<string, number>();
  for (const name of names) times.set(name, await timeOf(repo, await repo.ref(`refs/tags/${name}`) ?? ""));
  const time = (name: string) => times.get(name) ?? 0;
  return [...names].sort((a, b) => (time(a) - time(b)) * (descending === "-" ? -1 : 1));
}

async function timeOf(repo: Repo, oid: string): Promise<number> {
  const { data } = await repo.objects.read(oid);
  return Number(/^(?:tagger|committer) .* (\d+) [-+]\d+$/m.exec(decodeText(fromArray(data)))?.[1] ?? 0);
}

/** Tells which commits the options on ancestors let through. */
async function reachTest(repo: Repo, given: Args): Promise<(oid: string) => Promise<boolean>> {
  const named = async (option: string) =>
    await Promise.all(given.all(option).map(async (name) => (await commitOf(repo, name || "HEAD")).oid));
  const [holds, lacks] = [await named("contains"), await named("no-contains")];
  const [merged, unmerged] = [await named("merged"), await named("no-merged")];
  const [inside, outside] = [await findAncestors(repo, merged), await findAncestors(repo, unmerged)];
  return async (tag) => {
    const oid = await peelObject(repo, tag, "commit") ?? tag;
    if (merged.length > 0 && !inside.has(oid) || unmerged.length > 0 && outside.has(oid)) return false;
    if (holds.length + lacks.length === 0) return true;
    const below = await findAncestors(repo, [oid]);
    return (holds.length === 0 || holds.some((each) => below.has(each))) && !lacks.some((each) => below.has(each));
  };
}

async function tagSubject(repo: Repo, oid: string): Promise<string> {
  const { data } = await repo.objects.read(oid);
  const text = decodeText(fromArray(data));
  return subjectOf(text.slice(text.indexOf("\n\n") + 2));
}
