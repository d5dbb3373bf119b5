/** git am: mails with patches as commits. */
import { fromArray, toArray } from "../../../text/byte_strings.ts";
import { type Args, GitError, parseArgs } from "../../options.ts";
import type { Call } from "../../call.ts";
import { whenOf } from "../../people.ts";
import { cleanMessage, signMessage } from "../commit.ts";
import { applyOutcome, mergeTrees, tellOutcome } from "../../repository/merge_trees.ts";
import { parsePerson, type Person } from "../../repository/objects.ts";
import { Repo } from "../../repository/repository.ts";
import { commitOf } from "../../repository/revision.ts";
import { writeIndexTree } from "../../repository/trees.ts";
import { resetHard } from "../../repository/worktree_files.ts";
import { subjectOf } from "../../text/commit_format.ts";
import { parseMail, splitMails } from "../../text/mail.ts";
import { isChanged, isStaged } from "../sequence/replay.ts";
import { store } from "../sequence/merge.ts";
import { applyToBase, applyToIndex } from "./apply.ts";

const OPTIONS = "abort continue,resolved,r skip quit signoff,s keep,k keep-non-patch,b 3way,3 no-3way quiet,q " +
  "show-current-patch=? ignore-date committer-date-is-author-date directory= p= keep-cr no-keep-cr scissors,c no-scissors " +
  "ignore-whitespace whitespace= allow-empty reject interactive,i message-id,m utf8,u empty= patch-format= gpg-sign,S=? C=";
const FOLDER = "rebase-apply";
const IDLE = "Resolve operation not in progress, we are not resuming.";

export async function runAm(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  for (const name of ["scissors", "reject", "interactive", "committer-date-is-author-date"]) {
    if (given.has(name)) throw new GitError(`am --${name} is not supported here`);
  }
  const names = given.everything;
  const control = ["abort", "continue", "skip", "quit", "show-current-patch"].some((name) => given.has(name));
  const input = !control && (names.length === 0 || names.includes("-")) ? call.stdin() : "";
  const repo = await Repo.find(call);
  repo.top;
  const active = await repo.note(`${FOLDER}/applying`) !== undefined;
  if (control && !active) throw new GitError(IDLE);
  if (given.has("abort")) return await abort(repo);
  if (given.has("quit")) return await quit(repo);
  if (given.has("show-current-patch")) return await showPatch(repo, given.get("show-current-patch") ?? "");
  if (given.has("continue")) return await resume(repo);
  if (given.has("skip")) return await skip(repo);
  if (active) throw new GitError(`previous rebase directory .git/${FOLDER} still exists but mbox given.`);
  return await start(repo, given, await readMails(call, names, input));
}

async function readMails(call: Call, names: string[], input: string): Promise<string[]> {
  const mails: string[] = [];
  for (const name of names.length > 0 ? names : ["-"]) {
    let text = input;
    if (name !== "-") {
      const data = await call.ctx.fs.readFileBuffer(call.path(name)).catch(() => undefined);
      if (!data) throw new GitError(`could not open '${name}' for reading: No such file or directory`);
      text = fromArray(data);
    }
    const found = splitMails(text);
    if (found.length === 0) throw new GitError("Patch format detection failed.", 128, "");
    mails.push(...found);
  }
  return mails;
}

async function start(repo: Repo, given: Args, mails: string[]): Promise<number> {
  if (await isStaged(repo)) {
    throw new GitError("Dirty index: cannot apply patches (dirty: use git status to see what is staged)");
  }
  await repo.call.ctx.fs.mkdir(`${repo.gitdir}/${FOLDER}`, { recursive: true });
  const head = await repo.head();
  for (const [i, mail] of mails.entries()) {
    await repo.call.ctx.fs.writeFile(`${repo.gitdir}/${FOLDER}/${String(i + 1).padStart(4, "0")}`, toArray(mail));
  }
  const notes = {
    applying: "",
    next: "1\n",
    last: `${mails.length}\n`,
    "abort-safety": `${head ?? ""}\n`,
    "orig-head": `${head ?? ""}\n`,
    quiet: given.has("quiet") ? "t\n" : "f\n",
    sign: given.has("signoff") ? "t\n" : "f\n",
    keep: given.has("keep") || given.has("keep-non-patch") ? "t\n" : "f\n",
    threeway: given.has("3way") || repo.config.flag("am.threeway") === true && !given.has("no-3way") ? "t\n" : "f\n",
    "apply-opt": ["directory", "p"].filter((name) => given.has(name)).map((name) =>
      name === "p" ? `-p${given.get(name)}\n` : `--${name}=${given.get(name)}\n`
    ).join(""),
  };
  for (const [name, text] of Object.entries(notes)) await repo.writeNote(`${FOLDER}/${name}`, text);
  if (head !== undefined) await repo.setRef("ORIG_HEAD", head);
  return await applyAll(repo);
}

async function value(repo: Repo, name: string): Promise<string> {
  return (await repo.note(`${FOLDER}/${name}`) ?? "").trim();
}

interface Patch {
  author: Person;
  message: string;
  patch: string;
}

async function readPatch(repo: Repo): Promise<Patch> {
  const number = (await value(repo, "next")).padStart(4, "0");
  const raw = fromArray(await repo.call.ctx.fs.readFileBuffer(`${repo.gitdir}/${FOLDER}/${number}`));
  const mail = parseMail(raw, await value(repo, "keep") === "t");
  const person = parsePerson(mail.from);
  const when = mail.date === undefined ? whenOf() : whenOf(mail.date);
  const plain = cleanMessage(`${mail.subject}\n\n${mail.body}`);
  const message = await value(repo, "sign") === "t" ? signMessage(repo, plain) : plain;
  const author = { name: person.name.replace(/^"(.*)"$/, "$1"), email: person.email, time: when.time, zone: when.zone };
  return { author, message, patch: mail.patch };
}

async function say(repo: Repo, text: string): Promise<void> {
  if (await value(repo, "quiet") !== "t") repo.call.out(`${text}\n`);
}

/** Applies what is left. */
async function applyAll(repo: Repo): Promise<number> {
  for (;;) {
    const [next, last] = [Number(await value(repo, "next")), Number(await value(repo, "last"))];
    if (next > last) return await quit(repo);
    const found = await readPatch(repo);
    await say(repo, `Applying: ${subjectOf(found.message)}`);
    const done = await applyOne(repo, found);
    if (!done) return 128;
    await moveOn(repo);
  }
}

async function moveOn(repo: Repo): Promise<void> {
  await repo.writeNote(`${FOLDER}/next`, `${Number(await value(repo, "next")) + 1}\n`);
  await repo.writeNote(`${FOLDER}/abort-safety`, `${await repo.head()}\n`);
}

const ADVICE = 'When you have resolved this problem, run "git am --continue".\n' +
  'If you prefer to skip this patch, run "git am --skip" instead.\n' +
  'To restore the original branch and stop patching, run "git am --abort".\n';

async function applyOne(repo: Repo, found: Patch): Promise<boolean> {
  const { call } = repo;
  const subject = subjectOf(found.message);
  if (found.patch.trim() === "" || !/^(diff |--- |\+\+\+ )/m.test(found.patch)) {
    call.out("Patch is empty.\n" + ADVICE.replace(/^When.*\n/, "").replace("skip this patch", "skip this patch"));
    return false;
  }
  const options = (await value(repo, "apply-opt")).split("\n").filter(Boolean);
  const errors = await applyToIndex(repo, found.patch, options);
  if (errors.length === 0) {
    await commitPatch(repo, found);
    return true;
  }
  if (await value(repo, "threeway") === "t") {
    const merged = await applyThreeWay(repo, found, options, errors);
    if (merged) return true;
  } else for (const message of errors) call.err(`error: ${message}\n`);
  call.err("hint: Use 'git am --show-current-patch=diff' to see the failed patch\n");
  call.out(`Patch failed at ${(await value(repo, "next")).padStart(4, "0")} ${subject}\n${ADVICE}`);
  await repo.writeNote(`${FOLDER}/final-commit`, found.message);
  await call.ctx.fs.writeFile(`${repo.gitdir}/${FOLDER}/patch`, toArray(found.patch));
  return false;
}

/** Merges with the version that the patch was made from, if the repository has it. */
async function applyThreeWay(repo: Repo, found: Patch, options: string[], errors: string[]): Promise<boolean> {
  const { call } = repo;
  const head = await commitOf(repo, "HEAD");
  const trees = await applyToBase(repo, found.patch, head.tree, options);
  if (!trees) {
    for (const message of errors) call.err(`error: ${message}\n`);
    call.err("error: Repository lacks necessary blobs to fall back on 3-way merge.\n");
    return false;
  }
  await say(repo, `Using index info to reconstruct a base tree...`);
  await say(repo, trees.changed.map((path) => `M\t${path}`).join("\n"));
  await say(repo, "Falling back to patching base and 3-way merge...");
  const labels: [string, string] = ["HEAD", subjectOf(found.message)];
  const outcome = await mergeTrees(repo, { base: trees.base, ours: head.tree, theirs: trees.theirs, labels });
  const index = await applyOutcome(repo, outcome, "merge", "merge");
  tellOutcome(repo, outcome);
  if (outcome.conflicts.length > 0) {
    call.err("error: Failed to merge in the changes.\n");
    return false;
  }
  if (await writeIndexTree(repo, index) === head.tree) {
    await say(repo, "No changes -- Patch already applied.");
    return true;
  }
  await commitPatch(repo, found);
  return true;
}

async function commitPatch(repo: Repo, { author, message }: Patch): Promise<void> {
  const head = await repo.head();
  const tree = await writeIndexTree(repo, await repo.index());
  const oid = await store(repo, tree, head === undefined ? [] : [head], message, author);
  await repo.moveHead(oid, `am: ${subjectOf(message)}`);
}

async function resume(repo: Repo): Promise<number> {
  const { call } = repo;
  const found = await readPatch(repo);
  await say(repo, `Applying: ${subjectOf(found.message)}`);
  const index = await repo.index();
  if (index.conflicts.size > 0) {
    call.out(
      "You still have unmerged paths in your index.\nYou should 'git add' each file with resolved conflicts to mark them as such.\n" +
        'You might run `git rm` on a file to accept "deleted by them" for it.\n' + ADVICE,
    );
    return 128;
  }
  if (!await isStaged(repo)) {
    call.out(
      "No changes - did you forget to use 'git add'?\nIf there is nothing left to stage, chances are that something else\n" +
        "already introduced the same changes; you might want to skip this patch.\n" + ADVICE,
    );
    return 128;
  }
  await commitPatch(repo, found);
  await moveOn(repo);
  return await applyAll(repo);
}

async function skip(repo: Repo): Promise<number> {
  if (await isStaged(repo) || await isChanged(repo)) await resetHard(repo, (await commitOf(repo, "HEAD")).tree);
  await moveOn(repo);
  return await applyAll(repo);
}

async function abort(repo: Repo): Promise<number> {
  const start = await value(repo, "orig-head");
  if (start !== "") {
    await resetHard(repo, (await repo.objects.commit(start)).tree);
    await repo.moveHead(start, "am --abort");
  }
  return await quit(repo);
}

async function quit(repo: Repo): Promise<number> {
  await repo.removeNotes(FOLDER);
  return 0;
}

async function showPatch(repo: Repo, kind: string): Promise<number> {
  const found = await readPatch(repo);
  if (kind === "diff") repo.call.bytes(found.patch);
  else {
    const number = (await value(repo, "next")).padStart(4, "0");
    repo.call.bytes(fromArray(await repo.call.ctx.fs.readFileBuffer(`${repo.gitdir}/${FOLDER}/${number}`)));
  }
  return 0;
}
