/** git commit. */
import { decodeText } from "../../text/byte_strings.ts";
import { type Args, GitError, parseArgs, usageError } from "../options.ts";
import type { Call } from "../call.ts";
import { ChangePrinter, modeLines } from "../text/changes.ts";
import { dateText, subjectOf } from "../text/commit_format.ts";
import { editFile, findEditor } from "../editor.ts";
import { entryOf, Index } from "../repository/index_file.ts";
import type { Commit, Person } from "../repository/objects.ts";
import { Pathspec } from "../repository/pathspec.ts";
import { authorOf, personFor, whenOf } from "../people.ts";
import { Repo } from "../repository/repository.ts";
import { commitOf } from "../repository/revision.ts";
import { compareWork, readWork, statFile } from "../repository/worktree_scan.ts";
import { unresolved } from "./ongoing.ts";
import { printLong, readState } from "./status.ts";
import { diffTrees, flattenTree, writeIndexTree } from "../repository/trees.ts";

const OPTIONS = "message,m= all,a quiet,q amend allow-empty allow-empty-message author= date= file,F= no-edit edit,e " +
  "signoff,s no-verify,n no-gpg-sign reset-author reuse-message,C= only,o include,i dry-run verbose,v cleanup= " +
  "no-post-rewrite status no-status fixup= squash= gpg-sign,S=? patch,p trailer=";

const EMPTIED = "You asked to amend the most recent commit, but doing so would make\n" +
  "it empty. You can repeat your command with --allow-empty, or you can\n" +
  'remove the commit entirely with "git reset HEAD^".\n';

/** What is said when a commit that was picked changes nothing. */
export const EMPTY_PICK = "The previous cherry-pick is now empty, possibly due to conflict resolution.\n" +
  "If you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\n" +
  "Otherwise, please use 'git cherry-pick --skip'\n";

export async function runCommit(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  if (given.has("patch")) throw new GitError("commit --patch asks questions, and nobody is there to answer");
  const repo = await Repo.find(call);
  repo.top;
  const head = await repo.head();
  if (given.has("amend") && head === undefined) throw new GitError("You have nothing yet to amend.");
  const amended = given.has("amend") && head !== undefined ? await repo.objects.commit(head) : undefined;
  const { index, partial } = await stage(repo, given);
  const merging = (await call.text(`${repo.gitdir}/MERGE_HEAD`) ?? "").split("\n").filter(Boolean);
  const parents = amended ? amended.parents : [...head === undefined ? [] : [head], ...merging];
  const waiting = amended ? undefined : (await repo.note("CHERRY_PICK_HEAD"))?.trim();
  const picked = waiting === undefined ? undefined : await repo.objects.commit(waiting);
  refuseConflicts(call, index);
  const tree = await writeIndexTree(repo, partial);
  const before = parents.length === 0 ? undefined : (await repo.objects.commit(parents[0])).tree;
  if (isEmpty(given, merging, tree, before)) {
    await repo.writeIndex(index);
    call.out(
      amended
        ? `${(await printLong(await readState(repo, "no"))).split("\n")[0]}\nNo changes\n`
        : await describeNothingToCommit(repo),
    );
    if (amended) call.err(EMPTIED);
    else if (picked) call.err(EMPTY_PICK);
    return 1;
  }
  const message = await messageFor(repo, given, amended, index, picked);
  const committer = personFor(call, repo.config, "COMMITTER");
  const author = authorFor(repo, given, amended, picked);
  if (given.has("dry-run")) return 0;
  const oid = await repo.objects.writeCommit({ tree, parents, author, committer, message });
  await repo.writeIndex(index);
  const kind = amended
    ? " (amend)"
    : head === undefined
    ? " (initial)"
    : merging.length > 0
    ? " (merge)"
    : picked
    ? " (cherry-pick)"
    : "";
  await repo.moveHead(oid, `commit${kind}: ${subjectOf(message)}`);
  for (const name of ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD"]) {
    await call.ctx.fs.rm(`${repo.gitdir}/${name}`, { force: true });
  }
  if (!given.has("quiet")) {
    const dated = amended !== undefined || picked !== undefined;
    await reportCommit(repo, await repo.objects.commit(oid), before, head === undefined, dated);
  }
  return 0;
}

/** The index as it will be, and the part of it that is committed: with paths, only what these hold. */
async function stage(repo: Repo, given: Args): Promise<{ index: Index; partial: Index }> {
  const index = await repo.index();
  const paths = given.everything;
  if (given.has("all") && paths.length > 0) {
    throw new GitError(`paths '${paths[0]} ...' with -a does not make sense`);
  }
  if (!given.has("all") && paths.length === 0) return { index, partial: index };
  const spec = new Pathspec(repo, paths);
  const changed = (await compareWork(repo, index, spec)).changes.map(({ path }) => path);
  const known = index.all().map(({ path }) => path).filter((path) => spec.matches(path));
  if (paths.length > 0) checkKnown(spec);
  for (const path of new Set([...changed, ...[...index.conflicts.keys()].filter((path) => spec.matches(path))])) {
    const stat = await statFile(repo, path);
    if (!stat) index.delete(path);
    else index.set(entryOf(path, await repo.objects.write("blob", await readWork(repo, path, stat)), stat));
  }
  const whole = paths.length === 0 || given.has("include");
  return { index, partial: whole ? index : await onlyThese(repo, index, known) };
}

/** HEAD with these paths as the index has them. */
async function onlyThese(repo: Repo, index: Index, paths: string[]): Promise<Index> {
  const head = await repo.head();
  const partial = new Index();
  const flat = await flattenTree(repo, head === undefined ? undefined : (await repo.objects.commit(head)).tree);
  for (const [path, item] of flat) partial.put(path, item);
  for (const path of paths) {
    const entry = index.entries.get(path);
    if (entry) partial.set(entry);
    else partial.delete(path);
  }
  return partial;
}

function checkKnown(spec: Pathspec): void {
  const [name] = spec.unused;
  if (name !== undefined) throw usageError(`pathspec '${name}' did not match any file(s) known to git`);
}

function refuseConflicts(call: Call, index: Index): void {
  if (index.conflicts.size === 0) return;
  call.out([...index.conflicts.keys()].map((path) => `U\t${path}\n`).join(""));
  throw unresolved("Committing");
}

function isEmpty(given: Args, merging: string[], tree: string, before?: string): boolean {
  if (given.has("allow-empty") || merging.length > 0) return false;
  return tree === (before ?? "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
}

async function describeNothingToCommit(repo: Repo): Promise<string> {
  return await printLong(await readState(repo, "normal"), false, true);
}

async function messageFor(
  repo: Repo,
  given: Args,
  amended: Commit | undefined,
  index: Index,
  picked: Commit | undefined,
): Promise<string> {
  const { call } = repo;
  const reused = given.get("reuse-message");
  const file = given.get("file");
  let text: string | undefined;
  const words = given.has("message") ? given.all("message").join("\n\n") : "";
  const kind = ["fixup", "squash"].find((name) => given.has(name));
  if (kind !== undefined) {
    text = `${kind}! ${subjectOf((await commitOf(repo, given.get(kind) ?? "")).message)}\n\n${words}`;
  } else if (given.has("message")) text = words;
  else if (file !== undefined) text = file === "-" ? decodeText(call.stdin()) : await readMessage(call, file);
  else if (reused !== undefined) text = (await commitOf(repo, reused)).message;
  else if (given.has("squash")) {
    text = `squash! ${subjectOf((await commitOf(repo, given.get("squash") ?? "")).message)}`;
  } else if (amended) text = amended.message;
  else text = (await repo.note("MERGE_MSG"))?.replace(/^#.*\n?/gm, "");
  const asked = given.has("message") || file !== undefined || reused !== undefined || given.has("fixup") ||
    given.has("squash");
  const editor = given.has("no-edit") || asked && !given.has("edit") ? undefined : await findEditor(call);
  if (editor !== undefined) {
    text = await editMessage(repo, editor, text ?? "", index, { amended, dated: amended ?? picked });
  }
  if (text === undefined) {
    throw new GitError(
      "there is no editor in this sandbox: give the message with -m or -F, or set GIT_EDITOR to a command",
      1,
      "error: ",
    );
  }
  const clean = cleanMessage(text);
  if (clean === "" && !given.has("allow-empty-message")) {
    throw new GitError("Aborting commit due to empty commit message.", 1, "");
  }
  return given.has("signoff") ? signMessage(repo, clean) : clean;
}

/** What a message is for: a commit that takes the place of another, and one whose author's date is kept. */
interface Edited {
  amended?: Commit;
  dated?: Commit;
}

/** Lets an editor change a message; what is commented out is left out. */
export async function editMessage(
  repo: Repo,
  editor: string,
  text: string,
  index: Index,
  { amended, dated }: Edited = {},
): Promise<string> {
  const [parent] = amended?.parents ?? [];
  const against = amended && { tree: parent === undefined ? undefined : (await repo.objects.commit(parent)).tree };
  const state = await readState(repo, "normal", undefined, false, undefined, against);
  const status = await printLong(state, false, index.entries.size > 0);
  const date = dated ? `\nDate:      ${dateText(dated.author, "default")}\n` : "";
  const merge = await repo.note("MERGE_HEAD") === undefined || amended ? "" : MERGING;
  const note = "Please enter the commit message for your changes. Lines starting\n" +
    `with '#' will be ignored, and an empty message aborts the commit.\n${date}\n` +
    status.replace(/\n\n?[^\n]*\n$/, "\n").replace(/^ {2}\(.*\)\n/gm, "");
  await repo.writeNote(
    "COMMIT_EDITMSG",
    `${text === "" ? "" : `${text.trimEnd()}\n`}${comment(merge)}\n${comment(note)}#\n`,
  );
  try {
    await editFile(repo.call, editor, `${repo.gitdir}/COMMIT_EDITMSG`, repo.top);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw usageError(`${error.message}\nPlease supply the message using either -m or -F option.`);
  }
  return (await repo.note("COMMIT_EDITMSG") ?? "").replace(/^#.*\n?/gm, "");
}

const MERGING = "\nIt looks like you may be committing a merge.\nIf this is not correct, please run\n" +
  "\tgit update-ref -d MERGE_HEAD\nand try again.\n\n";

/** Lines that begin with a mark; what is indented by a tab comes at once after it. */
function comment(text: string): string {
  return text.split("\n").slice(0, -1).map((line) => `#${line === "" || line.startsWith("\t") ? "" : " "}${line}\n`)
    .join("");
}

async function readMessage(call: Call, file: string): Promise<string> {
  const text = await call.text(call.path(file));
  if (text === undefined) throw new GitError(`could not read log file '${file}': No such file or directory`);
  return text;
}

/** Without space at line ends, without blank lines in a row or around. */
export function cleanMessage(text: string): string {
  const clean = text.replace(/[ \t\r]+$/gm, "").replace(/\n{3,}/g, "\n\n").replace(/^\n+|\n+$/g, "");
  return clean === "" ? "" : clean + "\n";
}

/** The message with the line that says who signs it off. */
export function signMessage(repo: Repo, message: string): string {
  const { name, email } = personFor(repo.call, repo.config, "COMMITTER");
  const line = `Signed-off-by: ${name} <${email}>`;
  if (message.includes(line)) return message;
  return `${message}${/\n[\w-]+: .*\n$/.test(message) ? "" : "\n"}${line}\n`;
}

function authorFor(repo: Repo, given: Args, amended: Commit | undefined, picked: Commit | undefined): Person {
  const date = given.get("date");
  const kept = given.has("reset-author") ? undefined : (amended ?? picked)?.author;
  const text = given.get("author");
  const base = kept ?? (text === undefined ? personFor(repo.call, repo.config, "AUTHOR") : undefined);
  const when = date !== undefined ? whenOf(date) : base ?? whenOf(repo.call.env("GIT_AUTHOR_DATE"));
  if (text !== undefined) return authorOf(text, { name: "", email: "", ...when });
  if (!base) throw new GitError("no author was given");
  return { ...base, time: when.time, zone: when.zone };
}

/** What git prints after a commit. */
export async function reportCommit(
  repo: Repo,
  made: Commit,
  before: string | undefined,
  first: boolean,
  dated = false,
): Promise<void> {
  const branch = (await repo.branch())?.replace(/^refs\/heads\//, "") ?? "detached HEAD";
  const root = first ? " (root-commit)" : "";
  const { call } = repo;
  call.out(`[${branch}${root} ${made.oid.slice(0, 7)}] ${subjectOf(made.message)}\n`);
  if (made.author.name !== made.committer.name || made.author.email !== made.committer.email) {
    call.out(` Author: ${made.author.name} <${made.author.email}>\n`);
  }
  if (dated) call.out(` Date: ${dateText(made.author, "default")}\n`);
  if (made.parents.length > 1) return;
  const shower = new ChangePrinter(repo, parseArgs(["--shortstat"], "shortstat unified="));
  const changes = await shower.findRenames(await diffTrees(repo, before, made.tree));
  call.bytes(changes.length === 0 ? "" : await shower.show(changes));
  call.bytes(modeLines(changes));
}
