/** git notes: texts beside commits. */
import { decodeText, encodeText, fromArray, toArray } from "../../text/byte_strings.ts";
import { type Args, GitError, parseArgs, usageError } from "../options.ts";
import type { Call } from "../call.ts";
import { personFor } from "../people.ts";
import { cleanMessage } from "./commit.ts";
import { Index } from "../repository/index_file.ts";
import { byBytes } from "../repository/paths.ts";
import { Repo } from "../repository/repository.ts";
import { resolveRevision } from "../repository/revision.ts";
import { flattenTree, writeIndexTree } from "../repository/trees.ts";

const OPTIONS = "message,m= file,F= force,f ref= reuse-message,C= ignore-missing allow-empty";

export async function runNotes(call: Call, args: string[]): Promise<number> {
  const [first, ...others] = args;
  const isRef = first === "--ref" || first?.startsWith("--ref=");
  const ref = first === "--ref" ? others.shift() : isRef ? first.slice(6) : undefined;
  const [verb = "list", ...rest] = isRef ? others : args;
  const given = parseArgs(rest, OPTIONS);
  const repo = await Repo.find(call);
  const notes = new Notes(repo, ref ?? call.env("GIT_NOTES_REF") ?? "commits");
  const name = given.everything[0] ?? "HEAD";
  switch (verb) {
    case "list":
      return await notes.list(given.everything[0]);
    case "show":
      return await notes.show(name);
    case "add":
    case "append":
      return await notes.write(name, await textOf(repo, given), verb, given.has("force"));
    case "remove":
      return await notes.remove(given.everything.length > 0 ? given.everything : ["HEAD"], given.has("ignore-missing"));
    case "get-ref":
      call.out(`${notes.ref}\n`);
      return 0;
    default:
      throw new GitError(`notes ${verb} is not supported here: use list, show, add, append or remove`);
  }
}

async function textOf(repo: Repo, given: Args): Promise<string> {
  const file = given.get("file");
  if (given.has("message")) return given.all("message").join("\n\n");
  if (file === "-") return decodeText(repo.call.stdin());
  if (file !== undefined) return await repo.call.text(repo.call.path(file)) ?? "";
  throw new GitError("there is no editor in this sandbox: give the note with -m or -F");
}

export class Notes {
  readonly ref: string;
  #known: Promise<Map<string, string>> | undefined;

  constructor(private readonly repo: Repo, name = "commits") {
    this.ref = name.startsWith("refs/notes/") ? name : `refs/notes/${name.replace(/^notes\//, "")}`;
  }

  /** The notes: names of their blobs by the objects they are for. */
  all(): Promise<Map<string, string>> {
    return this.#known ??= this.#read();
  }

  async #read(): Promise<Map<string, string>> {
    const head = await this.repo.ref(this.ref);
    const tree = head === undefined ? undefined : (await this.repo.objects.commit(head)).tree;
    const found = new Map<string, string>();
    for (const [path, { oid }] of await flattenTree(this.repo, tree)) found.set(path.replaceAll("/", ""), oid);
    return found;
  }

  async text(oid: string): Promise<string | undefined> {
    const blob = (await this.all()).get(oid);
    return blob === undefined ? undefined : decodeText(fromArray(await this.repo.objects.blob(blob)));
  }

  async list(name: string | undefined): Promise<number> {
    const all = await this.all();
    if (name !== undefined) {
      const oid = await resolveRevision(this.repo, name);
      const blob = all.get(oid);
      if (blob === undefined) throw usageError(`no note found for object ${oid}.`);
      this.repo.call.out(`${blob}\n`);
      return 0;
    }
    for (const [oid, blob] of [...all].sort(([a], [b]) => byBytes(a, b))) this.repo.call.out(`${blob} ${oid}\n`);
    return 0;
  }

  async show(name: string): Promise<number> {
    const oid = await resolveRevision(this.repo, name);
    const text = await this.text(oid);
    if (text === undefined) throw usageError(`no note found for object ${oid}.`);
    this.repo.call.out(text);
    return 0;
  }

  async write(name: string, text: string, verb: string, force: boolean): Promise<number> {
    const { repo } = this;
    const oid = await resolveRevision(repo, name);
    const old = await this.text(oid);
    if (old !== undefined && verb === "add" && !force) {
      throw usageError(
        `Cannot add notes. Found existing notes for object ${oid}. Use '-f' to overwrite existing notes`,
      );
    }
    if (old !== undefined && verb === "add") repo.call.err(`Overwriting existing notes for object ${oid}\n`);
    const whole = verb === "append" && old !== undefined ? `${old}\n${cleanMessage(text)}` : cleanMessage(text);
    const all = await this.all();
    all.set(oid, await repo.objects.write("blob", toArray(encodeText(whole))));
    await this.#store(all, `Notes added by 'git notes ${verb}'`);
    return 0;
  }

  async remove(names: string[], lenient: boolean): Promise<number> {
    const all = await this.all();
    let code = 0;
    for (const name of names) {
      const oid = await resolveRevision(this.repo, name);
      if (all.delete(oid)) this.repo.call.err(`Removing note for object ${name}\n`);
      else {
        this.repo.call.err(`Object ${name} has no note\n`);
        if (!lenient) code = 1;
      }
    }
    if (code === 0) await this.#store(all, "Notes removed by 'git notes remove'");
    return code;
  }

  async #store(all: Map<string, string>, message: string): Promise<void> {
    const { repo } = this;
    const index = new Index();
    for (const [oid, blob] of all) index.put(oid, { mode: 0o100644, oid: blob });
    const head = await repo.ref(this.ref);
    const author = personFor(repo.call, repo.config, "AUTHOR");
    const committer = personFor(repo.call, repo.config, "COMMITTER");
    const tree = await writeIndexTree(repo, index);
    const parents = head === undefined ? [] : [head];
    const made = await repo.objects.writeCommit({ tree, parents, author, committer, message: `${message}\n` });
    await repo.updateRef(this.ref, made, `notes: ${message}`);
  }
}
