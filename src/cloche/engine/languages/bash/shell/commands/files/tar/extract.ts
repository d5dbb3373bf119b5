/** Takes members out of archives. */
import type { FileTool } from "../file_tool.ts";
import { attempt, codeOf, dirName, joinName, quote } from "../paths.ts";
import { CommandError } from "../../tool/errors.ts";
import { reasonOf } from "../../../../text/file_errors.ts";
import type { Member } from "./header.ts";
import { escapeName, verboseLine } from "./list.ts";
import { Exclusions, Renaming, type Selection } from "./names.ts";
import type { ArchiveReader } from "./reader.ts";

export class Extractor {
  readonly #excluded: Exclusions;
  readonly #renaming: Renaming;
  readonly #folder: string;
  /** Folders get their permissions and times when nothing more comes into them. */
  readonly #folders: { path: string; mode: number; mtime: number }[] = [];
  #warned = false;

  constructor(private readonly tool: FileTool, private readonly selection: Selection) {
    this.#excluded = new Exclusions(tool);
    this.#renaming = new Renaming(tool);
    this.#folder = tool.given.all("C").reduce(
      (folder, name) => name.startsWith("/") ? name : joinName(folder, name),
      tool.context.cwd,
    );
    const found = attempt(() => tool.files.stat(tool.path(this.#folder)));
    if (found?.kind !== "directory") {
      throw new CommandError(
        `${tool.given.get("C")}: Cannot open: No such file or directory\nError is not recoverable: exiting now`,
        2,
      );
    }
  }

  /** Whether this member is wanted. */
  wants({ name }: Member): boolean {
    return this.selection.takes(name) && !this.#excluded.match(name);
  }

  async extract(member: Member, reader: ArchiveReader): Promise<void> {
    const { tool } = this;
    await tool.attend();
    const name = this.#targetName(member.name);
    if (name === undefined) return;
    const toOutput = tool.given.has("O", "to-stdout");
    if (tool.given.has("v")) {
      const shown = tool.given.has("show-transformed") ? name : member.name;
      const line = tool.given.all("v").length > 1 ? verboseLine(tool, member) : escapeName(shown);
      if (toOutput) tool.say(line);
      else tool.print(`${line}\n`);
    }
    if (toOutput) {
      await tool.flush();
      for (let piece = await reader.read(); piece; piece = await reader.read()) {
        await tool.context.fds.get(1).write(piece.slice());
      }
      return;
    }
    const path = tool.path(joinName(this.#folder, name));
    try {
      await this.#make(member, path, name, reader);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      const verb = member.type === "5" ? "mkdir" : member.type === "2" ? "create symlink to" : "open";
      const what = member.type === "2" ? ` ${quote(member.link)}` : "";
      if (member.type === "1") tool.report(`${name}: Cannot hard link to ${quote(member.link)}: ${reasonOf(error)}`, 2);
      else tool.report(`${name}: Cannot ${verb}${what}: ${reasonOf(error)}`, 2);
    }
  }

  #targetName(name: string): string | undefined {
    const { tool } = this;
    const changed = this.#renaming.apply(name);
    if (changed === undefined) return undefined;
    if (tool.given.has("P")) return changed;
    if (changed.split("/").includes("..")) {
      tool.report(`${name}: Member name contains '..'`, 2);
      return undefined;
    }
    if (!changed.startsWith("/")) return changed;
    if (!this.#warned) tool.complain("Removing leading `/' from member names");
    this.#warned = true;
    return changed.replace(/^\/+/, "") || ".";
  }

  async #make(member: Member, path: string, name: string, reader: ArchiveReader): Promise<void> {
    const { tool } = this;
    const { files, given } = tool;
    const old = attempt(() => files.lstat(path));
    if (member.type === "5") return this.#makeFolder(member, path, old?.kind);
    if (old && !this.#mayReplace(member, old.mtime, name)) return;
    this.#makeParents(path);
    if (member.type === "0") {
      if (old?.kind === "directory") {
        // An empty folder makes way.
        if (attempt(() => (files.removeDirectory(path), true)) === undefined) {
          return tool.report(`${name}: Cannot open: Is a directory`, 2);
        }
      } else if (old && !given.has("overwrite")) files.removeFile(path);
      return await this.#write(member, path, reader);
    }
    if (old) {
      if (old.kind === "directory") files.removeDirectory(path);
      else files.removeFile(path);
    }
    if (member.type === "2") return files.makeLink(this.#renaming.applyToTarget(member.link), path);
    if (member.type === "1") {
      const target = this.#renaming.isPlain ? member.link : this.#renaming.apply(member.link, "h") ?? member.link;
      return files.hardLink(tool.path(joinName(this.#folder, target.replace(/^\/+/, ""))), path);
    }
    tool.report(`${name}: Cannot mknod: Operation not permitted`, 2);
  }

  #mayReplace(member: Member, mtime: number, name: string): boolean {
    const { given } = this.tool;
    if (given.has("skip-old-files")) return false;
    if (given.has("keep-newer-files") && mtime >= member.mtime * 1000) return false;
    if (!given.has("k")) return true;
    this.tool.report(`${name}: Cannot open: File exists`, 2);
    return false;
  }

  #makeFolder(member: Member, path: string, old: string | undefined): void {
    const { files, given } = this.tool;
    const there = attempt(() => files.stat(path))?.kind === "directory";
    if (!there) {
      if (old !== undefined) files.removeFile(path);
      this.#makeParents(path);
      files.makeDirectory(path, 0o700);
    }
    if (!there || !given.has("no-overwrite-dir") && !given.has("k")) {
      this.#folders.push({ path, mode: this.#permissions(member), mtime: member.mtime });
    }
  }

  #permissions(member: Member): number {
    const { given, context } = this.tool;
    return given.has("p") ? member.mode & 0o7777 : member.mode & 0o777 & ~context.umask;
  }

  #makeParents(path: string): void {
    const { files, context } = this.tool;
    const parent = dirName(path);
    if (parent === "/" || files.exists(parent)) return;
    this.#makeParents(parent);
    files.makeDirectory(parent, 0o777 & ~context.umask);
  }

  async #write(member: Member, path: string, reader: ArchiveReader): Promise<void> {
    const { tool } = this;
    const mode = this.#permissions(member);
    const flags = { read: false, write: true, create: true, truncate: true };
    const file = tool.files.open(path, flags, mode | 0o200);
    try {
      for (let piece = await reader.read(); piece; piece = await reader.read()) {
        await file.write(piece);
        await tool.attend();
      }
    } finally {
      file.close();
    }
    tool.files.chmod(path, mode);
    if (!tool.given.has("m")) tool.files.setTimes(path, Date.now(), member.mtime * 1000);
  }

  finish(): void {
    const { files, given } = this.tool;
    for (const { path, mode, mtime } of this.#folders.reverse()) {
      attempt(() => files.chmod(path, mode));
      if (!given.has("m")) attempt(() => files.setTimes(path, Date.now(), mtime * 1000));
    }
  }
}
