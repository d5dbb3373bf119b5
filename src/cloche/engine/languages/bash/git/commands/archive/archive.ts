/** git archive. */
import { decodeText, fromArray } from "../../../text/byte_strings.ts";
import { concatBytes } from "../../../../../text/bytes.ts";
import { checkInterrupt } from "../../../just_bash/command.ts";
import { packZip } from "../../../shell/commands/archives/zip_format.ts";
import { type Args, GitError, parseArgs } from "../../options.ts";
import type { Call } from "../../call.ts";
import { globToRegExp } from "../../repository/glob.ts";
import { FOLDER, LINK, MODULE } from "../../repository/objects.ts";
import { Pathspec } from "../../repository/pathspec.ts";
import { Repo } from "../../repository/repository.ts";
import { findRevision, peelObject } from "../../repository/revision.ts";
import { type TarMember, TarWriter } from "./tar_format.ts";

const OPTIONS = "format= prefix= output,o= list,l verbose,v worktree-attributes remote= exec= add-file= mtime= " +
  "0 1 2 3 4 5 6 7 8 9";
const FORMATS = ["tar", "tgz", "tar.gz", "zip"];

export async function runArchive(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  for (const name of ["remote", "exec", "add-file", "mtime", "worktree-attributes"]) {
    if (given.has(name)) throw new GitError(`archive --${name} is not supported here`);
  }
  if (given.has("list")) {
    call.out(FORMATS.map((name) => name + "\n").join(""));
    return 0;
  }
  const repo = await Repo.find(call);
  const [name, ...paths] = [...given.words, ...given.after ?? []];
  if (name === undefined) {
    throw new GitError("must specify tree-ish as argument, usage: git archive <tree-ish> [<path>...]", 129);
  }
  const format = formatOf(given);
  const oid = await findRevision(repo, name);
  if (oid === undefined) throw new GitError(`not a valid object name: ${name}`);
  const commit = await peelObject(repo, oid, "commit").catch(() => undefined);
  const tree = await peelObject(repo, oid, "tree");
  if (tree === undefined) throw new GitError(`not a tree object: ${oid}`);
  const time = commit === undefined
    ? Math.floor(Date.now() / 1000)
    : (await repo.objects.commit(commit)).committer.time;
  const members = await collect(repo, given, tree, paths);
  const data = format === "zip" ? await zip(members, time) : tar(members, time, commit);
  await send(call, given, /gz$/.test(format) ? await gzip(data) : data);
  return 0;
}

function formatOf(given: Args): string {
  const file = given.get("output") ?? "";
  const guessed = FORMATS.find((name) => file.endsWith(`.${name}`)) ?? "tar";
  const format = given.get("format") ?? guessed;
  if (!FORMATS.includes(format)) throw new GitError(`Unknown archive format '${format}'`);
  return format;
}

type Member = TarMember & { oid: string };

async function collect(repo: Repo, given: Args, tree: string, paths: string[]): Promise<Member[]> {
  const prefix = given.get("prefix") ?? "";
  const spec = new Pathspec(repo, paths.map((path) => repo.root === undefined ? `:/${path}` : path));
  const ignored = await readIgnored(repo, tree);
  const members: Member[] = [];
  const folder = (name: string, oid: string): Member => ({
    name,
    mode: 0o775,
    kind: "folder",
    data: new Uint8Array(),
    oid,
  });
  const walk = async (oid: string, at: string, above: Member[]): Promise<void> => {
    for (const entry of await repo.objects.tree(oid)) {
      checkInterrupt(repo.call.ctx);
      const path = at + entry.name;
      if (ignored(path)) continue;
      if (entry.mode === FOLDER || entry.mode === MODULE) {
        const own = folder(`${prefix}${path}/`, entry.oid);
        if (entry.mode === MODULE) members.push(...above.splice(0), own);
        else if (spec.mayHold(path)) {
          await walk(
            entry.oid,
            `${path}/`,
            [...above, own].filter((each) => !members.includes(each)),
          );
        }
        continue;
      }
      if (!spec.matches(path)) continue;
      // A folder is written before the first thing in it.
      for (const each of above.splice(0)) if (!members.includes(each)) members.push(each);
      if (given.has("verbose")) repo.call.err(`${path}\n`);
      const kind = entry.mode === LINK ? "link" : "file";
      const mode = entry.mode === LINK ? 0o777 : entry.mode & 0o100 ? 0o775 : 0o664;
      members.push({ name: prefix + path, mode, kind, data: await repo.objects.blob(entry.oid), oid: entry.oid });
    }
  };
  const top = prefix.endsWith("/") ? [folder(prefix, tree)] : [];
  await walk(tree, "", top);
  if (paths.length > 0) spec.checkUsed();
  return members;
}

/** What `.gitattributes` at the top leaves out by `export-ignore`. */
async function readIgnored(repo: Repo, tree: string): Promise<(path: string) => boolean> {
  const entry = (await repo.objects.tree(tree)).find(({ name }) => name === ".gitattributes");
  const text = entry ? decodeText(fromArray(await repo.objects.blob(entry.oid))) : "";
  const patterns = text.split("\n").filter((line) => /\sexport-ignore(\s|$)/.test(line)).map((line) => {
    const pattern = line.trim().split(/\s+/)[0];
    const anchored = pattern.replace(/\/$/, "").includes("/");
    return { anchored, test: globToRegExp(pattern.replace(/^\/|\/$/g, "")) };
  });
  return (path) => patterns.some(({ anchored, test }) => test.test(anchored ? path : path.split("/").at(-1) ?? path));
}

function tar(members: Member[], time: number, commit: string | undefined): Uint8Array[] {
  const writer = new TarWriter(time, commit);
  for (const member of members) writer.add(member, member.oid);
  return writer.finish();
}

async function zip(members: Member[], time: number): Promise<Uint8Array[]> {
  const mtime = new Date(time * 1000);
  const packed = members.map(({ name, mode, kind, data }) => ({
    name,
    data: new Uint8Array(data),
    mtime,
    mode: (kind === "folder" ? 0o040000 : kind === "link" ? 0o120000 : 0o100000) |
      (kind === "link" ? 0o777 : mode & 0o755),
  }));
  return [await packZip(packed)];
}

async function gzip(parts: Uint8Array[]): Promise<Uint8Array[]> {
  const source = new ReadableStream<BufferSource>({
    start(controller) {
      for (const part of parts) controller.enqueue(new Uint8Array(part));
      controller.close();
    },
  });
  const packed: Uint8Array[] = [];
  for await (const chunk of source.pipeThrough(new CompressionStream("gzip"))) packed.push(chunk);
  return packed;
}

async function send(call: Call, given: Args, parts: Uint8Array[]): Promise<void> {
  const file = given.get("output");
  if (file !== undefined) return await call.ctx.fs.writeFile(call.path(file), concatBytes(parts));
  for (const part of parts) call.bytes(fromArray(part));
}
