/** Commands that scripts make objects and the index with. */
import { decodeText } from "../../../text/byte_strings.ts";
import { GitError, parseArgs, usageError } from "../../options.ts";
import type { Call } from "../../call.ts";
import { personFor } from "../../people.ts";
import { findEditor } from "../../editor.ts";
import { entryOf, Index } from "../../repository/index_file.ts";
import { FOLDER, normalMode, personText } from "../../repository/objects.ts";
import { checkPath } from "../../repository/paths.ts";
import { Repo } from "../../repository/repository.ts";
import { commitOf, treeOf } from "../../repository/revision.ts";
import { flattenTree, writeIndexTree } from "../../repository/trees.ts";
import { compareWork, readWork, statFile } from "../../repository/worktree_scan.ts";
import { resetHard, resetIndex } from "../../repository/worktree_files.ts";

export async function runWriteTree(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "missing-ok prefix=");
  if (given.has("prefix")) throw new GitError("write-tree --prefix is not supported here");
  const repo = await Repo.find(call);
  call.out(`${await writeIndexTree(repo, await repo.index())}\n`);
  return 0;
}

export async function runCommitTree(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "p= m= F= S=? no-gpg-sign");
  const [name] = given.everything;
  if (name === undefined) throw new GitError("must give exactly one tree");
  const file = given.get("F");
  const input = !given.has("m") && (file === undefined || file === "-") ? decodeText(call.stdin()) : "";
  const repo = await Repo.find(call);
  const text = given.has("m")
    ? `${given.all("m").join("\n\n")}\n`
    : file !== undefined && file !== "-"
    ? await call.text(call.path(file)) ?? ""
    : input;
  const parents: string[] = [];
  for (const parent of given.all("p")) parents.push((await commitOf(repo, parent)).oid);
  const author = personFor(call, repo.config, "AUTHOR");
  const committer = personFor(call, repo.config, "COMMITTER");
  const tree = await treeOf(repo, name);
  call.out(`${await repo.objects.writeCommit({ tree, parents, author, committer, message: text })}\n`);
  return 0;
}

export async function runReadTree(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "m u reset empty prefix= i v n q quiet");
  for (const name of ["prefix", "i", "n"]) {
    if (given.has(name)) throw new GitError(`read-tree -${name} is not supported here`);
  }
  const repo = await Repo.find(call);
  if (given.has("empty")) {
    await repo.writeIndex(new Index());
    return 0;
  }
  const [name, ...more] = given.everything;
  if (name === undefined || more.length > 0) {
    throw new GitError("read-tree takes one tree here: use git merge for more");
  }
  const tree = await treeOf(repo, name);
  if (given.has("u") && given.has("reset")) await resetHard(repo, tree);
  else if (given.has("u")) throw new GitError("read-tree -m -u is not supported here: use git checkout");
  else {
    const index = given.has("m") ? await repo.index() : new Index();
    resetIndex(index, await flattenTree(repo, tree));
    await repo.writeIndex(index);
  }
  return 0;
}

/** Reads the options one by one: some of them hold for the paths after them only. */
export async function runUpdateIndex(call: Call, args: string[]): Promise<number> {
  const stdin = args.includes("--stdin")
    ? decodeText(call.stdin()).split(args.includes("-z") ? "\0" : "\n").filter(Boolean)
    : [];
  const repo = await Repo.find(call);
  const index = await repo.index();
  const state = { add: false, remove: false, force: false, chmod: "" };
  const queue = [...args];
  let code = 0;
  const paths = [...stdin];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === "--add") state.add = true;
    else if (word === "--remove") state.remove = true;
    else if (word === "--force-remove") state.force = true;
    else if (word === "--cacheinfo") addInfo(index, queue.shift() ?? "", queue, state.add);
    else if (word.startsWith("--chmod=")) state.chmod = word.slice(8);
    else if (word === "--refresh" || word === "--really-refresh") {
      code = await refresh(repo, index, args.includes("-q"));
    } else if (/^(--stdin|-z|-q|--ignore-missing|--verbose)$/.test(word)) continue;
    else if (word === "--") paths.push(...queue.splice(0));
    else if (word.startsWith("-")) throw new GitError(`update-index ${word} is not supported here`);
    else paths.push(word);
  }
  for (const name of paths) await updatePath(repo, index, repo.locate(name), state);
  await repo.writeIndex(index);
  return code;
}

function addInfo(index: Index, first: string, queue: string[], add: boolean): void {
  const [mode, oid, path] = first.includes(",")
    ? first.split(/,(.*?),/)
    : [first, queue.shift() ?? "", queue.shift() ?? ""];
  if (!/^[0-9a-f]{40}$/.test(oid) || path === undefined || path === "") {
    throw usageError("option 'cacheinfo' expects <mode>,<sha1>,<path>", 129);
  }
  checkPath(path);
  if (!add && !index.has(path)) {
    throw usageError(
      `${path}: cannot add to the index - missing --add option?\nfatal: git update-index: --cacheinfo cannot add ${path}`,
      128,
    );
  }
  index.put(path, { mode: normalMode(parseInt(mode, 8)), oid });
}

async function refresh(repo: Repo, index: Index, quiet: boolean): Promise<number> {
  const { changes } = await compareWork(repo, index);
  if (quiet) return 0;
  for (const { path } of changes) repo.call.out(`${path}: needs update\n`);
  return changes.length > 0 ? 1 : 0;
}

async function updatePath(
  repo: Repo,
  index: Index,
  path: string,
  state: { add: boolean; remove: boolean; force: boolean; chmod: string },
) {
  checkPath(path);
  const stat = state.force ? undefined : await statFile(repo, path);
  if (!stat) {
    if (!state.remove && !state.force) {
      throw usageError(`${path}: does not exist and --remove not passed\nfatal: Unable to process path ${path}`, 128);
    }
    index.delete(path);
    return;
  }
  if (!state.add && !index.has(path)) {
    throw usageError(
      `${path}: cannot add to the index - missing --add option?\nfatal: Unable to process path ${path}`,
      128,
    );
  }
  const oid = await repo.objects.write("blob", await readWork(repo, path, stat));
  const mode = state.chmod === "+x" ? 0o100755 : state.chmod === "-x" ? 0o100644 : undefined;
  index.set(entryOf(path, oid, stat, mode));
}

export async function runMakeTree(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "z missing batch");
  const lines = decodeText(call.stdin()).split(given.has("z") ? "\0" : "\n").filter(Boolean);
  const repo = await Repo.find(call);
  const entries = lines.map((line) => {
    const [, mode, oid, name] = line.match(/^(\d+) \w+ ([0-9a-f]{40})\t(.*)$/s) ?? [];
    if (mode === undefined) throw new GitError(`input format error: ${line}`);
    const number = parseInt(mode, 8);
    return { mode: number === FOLDER ? FOLDER : normalMode(number), oid, name };
  });
  call.out(`${await repo.objects.writeTree(entries)}\n`);
  return 0;
}

export async function runVar(call: Call, args: string[]): Promise<number> {
  const repo = await Repo.find(call).catch(() => undefined);
  const config = repo?.config ?? await call.config();
  const [name] = args;
  const role = name?.match(/^GIT_(AUTHOR|COMMITTER)_IDENT$/)?.[1] as "AUTHOR" | "COMMITTER" | undefined;
  if (role !== undefined) call.out(`${personText(personFor(call, config, role))}\n`);
  else if (name === "GIT_EDITOR" || name === "GIT_SEQUENCE_EDITOR") {
    const editor = await findEditor(call, name === "GIT_SEQUENCE_EDITOR");
    if (editor === undefined) return 1;
    call.out(`${editor}\n`);
  } else if (name === "GIT_DEFAULT_BRANCH") call.out(`${config.get("init.defaultbranch") ?? "main"}\n`);
  else if (name === "GIT_PAGER") call.out("cat\n");
  else throw new GitError("usage: git var (-l | <variable>)", 129, "");
  return 0;
}

/** Objects and refs stay in files of their own: there is nothing to pack or to sweep. */
export async function runHousekeeping(call: Call): Promise<number> {
  await Repo.find(call);
  return 0;
}
