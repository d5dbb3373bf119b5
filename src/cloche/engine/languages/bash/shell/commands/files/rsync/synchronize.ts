/** Makes one folder like another, copying only what differs. */
import type { Stat } from "../../../../../../fs/files.ts";
import type { FileTool } from "../file_tool.ts";
import { attempt, baseName, codeOf, joinName, quote, sortedNames } from "../paths.ts";
import { CommandError } from "../../tool/errors.ts";
import { reasonOf } from "../../../../text/file_errors.ts";
import { makeParents } from "../mkdir.ts";
import { permissionsOf } from "../modes.ts";
import { removeTree } from "../rm.ts";
import { Filter } from "./filter.ts";

const CHUNK = 262_144;

export class Synchronizer {
  sent = 0;
  total = 0;
  failed = false;
  readonly #filter: Filter;
  readonly #copied = new Map<number, string>();
  readonly #keep: { recursive: boolean; links: boolean; mode: boolean; times: boolean };

  constructor(private readonly tool: FileTool) {
    const { given } = tool;
    this.#filter = new Filter(tool);
    const archive = given.has("a");
    this.#keep = {
      recursive: archive || given.has("r"),
      links: (archive || given.has("l")) && !given.has("no-links"),
      mode: (archive || given.has("p")) && !given.has("no-perms"),
      times: (archive || given.has("t")) && !given.has("no-times"),
    };
    if (given.has("delete", "delete-excluded") && !this.#keep.recursive) {
      throw new CommandError("--delete does not work without --recursive (-r) or --dirs (-d).");
    }
  }

  get #dry(): boolean {
    return this.tool.given.has("n");
  }

  makeTarget(target: string): void {
    const { tool } = this;
    if (tool.given.has("v")) tool.print(`created directory ${target.replace(/(.)\/$/, "$1")}\n`);
    if (this.#dry) return;
    const parent = target.replace(/\/+$/, "").replace(/\/?[^/]*$/, "");
    if (parent !== "" && !tool.isFolder(parent) && !tool.given.has("mkpath")) {
      throw new CommandError(
        `[Receiver] mkdir ${quote(tool.path(target)).replaceAll("'", '"')} failed: No such file or directory (2)`,
        11,
      );
    }
    makeParents(tool, target, 0o777, false, () => {});
  }

  async run(sources: string[], target: string, inside: boolean): Promise<void> {
    for (const source of sources) {
      const stat = this.#look(source);
      if (!stat) continue;
      if (!inside) await this.#file(source, target, baseName(source), stat);
      else if (stat.kind === "directory" && /(?:^|\/)\.{0,2}\/?$|\/$/.test(source)) {
        if (this.#skips(source)) continue;
        await this.#folder(source, target, "", stat);
      } else await this.#entry(source, joinName(target, baseName(source)), baseName(source), stat);
    }
  }

  #look(name: string): Stat | undefined {
    const { tool } = this;
    try {
      return tool.given.has("L") ? tool.stat(name) : tool.lstat(name);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      this.failed = true;
      tool.say(`rsync: [sender] link_stat "${tool.path(name)}" failed: ${reasonOf(error)} (2)`);
      return undefined;
    }
  }

  #skips(source: string): boolean {
    if (this.#keep.recursive) return false;
    this.tool.print(`skipping directory ${source.replace(/(.)\/+$/, "$1")}\n`);
    return true;
  }

  async #entry(from: string, to: string, path: string, stat: Stat): Promise<void> {
    await this.tool.attend();
    const isFolder = stat.kind === "directory";
    if (this.#filter.excludes(path, isFolder)) return;
    if (isFolder) {
      if (!this.#skips(from)) await this.#folder(from, to, path, stat);
    } else if (stat.kind === "link") this.#link(from, to, path);
    else if (stat.kind === "file") await this.#file(from, to, path, stat);
    else this.tool.print(`skipping non-regular file "${path}"\n`);
  }

  async #folder(from: string, to: string, path: string, stat: Stat): Promise<void> {
    const { tool } = this;
    const old = tool.findLstat(to);
    const made = old?.kind !== "directory" && !(path === "" && tool.isFolder(to));
    if (made && old && !this.#dry) tool.files.removeFile(tool.path(to));
    if (made && tool.given.has("existing")) return;
    if (made && !this.#dry) tool.files.makeDirectory(tool.path(to), 0o777 & ~tool.context.umask | 0o700);
    const changed = made || this.#keep.times && old?.mtime !== stat.mtime;
    if (changed) this.#say(made ? "cd+++++++++" : ".d..t......", `${path === "" ? "." : path}/`);
    const names = sortedNames(tool.files, tool.path(from));
    if (tool.given.has("delete", "delete-excluded")) await this.#deleteOthers(new Set(names), to, path);
    const entries = names.map((name) => ({ name, stat: this.#look(joinName(from, name)) }));
    const ordered = [
      ...entries.filter((entry) => entry.stat?.kind !== "directory"),
      ...entries.filter((entry) => entry.stat?.kind === "directory"),
    ];
    for (const { name, stat: found } of ordered) {
      if (found) {
        await this.#entry(joinName(from, name), joinName(to, name), path === "" ? name : `${path}/${name}`, found);
      }
    }
    if (this.#dry) return;
    if (this.#keep.mode) attempt(() => tool.files.chmod(tool.path(to), permissionsOf(stat)));
    if (this.#keep.times && !tool.given.has("O")) {
      attempt(() => tool.files.setTimes(tool.path(to), stat.atime, stat.mtime));
    }
  }

  /** What the source has not; excluded files are left alone, unless they are to go too. */
  async #deleteOthers(wanted: Set<string>, to: string, path: string): Promise<void> {
    const { tool } = this;
    const names = attempt(() => sortedNames(tool.files, tool.path(to))) ?? [];
    for (const name of names.reverse()) {
      const below = path === "" ? name : `${path}/${name}`;
      const isFolder = tool.findLstat(joinName(to, name))?.kind === "directory";
      const excluded = this.#filter.excludes(below, isFolder);
      if (excluded ? !tool.given.has("delete-excluded") : wanted.has(name)) continue;
      await this.#deleteTree(joinName(to, name), below, isFolder);
    }
  }

  async #deleteTree(name: string, path: string, isFolder: boolean): Promise<void> {
    const { tool } = this;
    if (isFolder) {
      for (const child of sortedNames(tool.files, tool.path(name)).reverse()) {
        const isInner = tool.findLstat(joinName(name, child))?.kind === "directory";
        await this.#deleteTree(joinName(name, child), `${path}/${child}`, isInner);
      }
    }
    this.#say("*deleting  ", path + (isFolder ? "/" : ""), "deleting ");
    if (!this.#dry) await removeTree(tool, name, {});
  }

  #say(code: string, path: string, verb = ""): void {
    const { tool } = this;
    if (tool.given.has("q")) return;
    if (tool.given.has("i")) tool.print(`${code} ${path}\n`);
    else if (tool.given.has("v")) tool.print(`${verb}${path}\n`);
  }

  #link(from: string, to: string, path: string): void {
    const { tool } = this;
    if (!this.#keep.links) return tool.print(`skipping non-regular file "${path}"\n`);
    const target = tool.files.readLink(tool.path(from));
    const old = tool.findLstat(to);
    if (old?.kind === "link" && tool.files.readLink(tool.path(to)) === target) return;
    if (!old && tool.given.has("existing") || old && tool.given.has("ignore-existing")) return;
    this.#say(old ? "cLc.t......" : "cL+++++++++", `${path} -> ${target}`);
    if (this.#dry) return;
    if (old) tool.files.removeFile(tool.path(to));
    tool.files.makeLink(target, tool.path(to));
  }

  async #file(from: string, to: string, path: string, stat: Stat): Promise<void> {
    const { tool } = this;
    const { given } = tool;
    const old = tool.findLstat(to);
    this.total += stat.size;
    if (!old && given.has("existing") || old && given.has("ignore-existing")) return;
    if (old && given.has("u") && old.mtime > stat.mtime) return;
    if (old?.kind === "file" && !await this.#differs(from, to, stat, old)) {
      this.#keepAttributes(to, path, stat, old);
      return;
    }
    const size = old && old.size === stat.size ? "." : "s";
    const time = old?.mtime === stat.mtime ? "." : this.#keep.times ? "t" : "T";
    this.#say(old ? `>f.${size}${time}......` : ">f+++++++++", path);
    if (this.#dry) return;
    if (old && old.kind !== "file") await removeTree(tool, to, {});
    const twin = given.has("H") && stat.links > 1 ? this.#copied.get(stat.ino) : undefined;
    if (twin !== undefined) {
      if (old?.kind === "file") tool.files.removeFile(tool.path(to));
      tool.files.hardLink(tool.path(twin), tool.path(to));
    } else await this.#copy(from, to, stat, old);
    this.#copied.set(stat.ino, to);
    if (given.has("remove-source-files")) tool.files.removeFile(tool.path(from));
  }

  /** By size and time, or by contents. */
  async #differs(from: string, to: string, stat: Stat, old: Stat): Promise<boolean> {
    const { tool } = this;
    const { given } = tool;
    if (stat.size !== old.size) return true;
    if (given.has("size-only")) return false;
    if (!given.has("c")) return given.has("I") || Math.floor(stat.mtime / 1000) !== Math.floor(old.mtime / 1000);
    const [a, b] = [from, to].map((name) => tool.files.open(tool.path(name), { read: true, write: false }));
    try {
      for (;;) {
        const [left, right] = [await a.read(CHUNK), await b.read(CHUNK)];
        if (left === undefined || right === undefined) return left !== right;
        if (left.length !== right.length || left.some((byte, i) => byte !== right[i])) return true;
        await tool.attend();
      }
    } finally {
      a.close();
      b.close();
    }
  }

  #keepAttributes(to: string, path: string, stat: Stat, old: Stat): void {
    const { tool } = this;
    const mode = this.#keep.mode && permissionsOf(stat) !== permissionsOf(old);
    const time = this.#keep.times && stat.mtime !== old.mtime;
    if (!mode && !time) return;
    if (tool.given.has("i")) tool.print(`.f..${time ? "t" : "."}${mode ? "p" : "."}..... ${path}\n`);
    if (this.#dry) return;
    if (mode) tool.files.chmod(tool.path(to), permissionsOf(stat));
    if (time) tool.files.setTimes(tool.path(to), stat.atime, stat.mtime);
  }

  async #copy(from: string, to: string, stat: Stat, old: Stat | undefined): Promise<void> {
    const { tool } = this;
    const { files, context } = tool;
    const mode = permissionsOf(stat) & 0o777 & ~context.umask;
    try {
      const input = files.open(tool.path(from), { read: true, write: false });
      const output = files.open(
        tool.path(to),
        { read: false, write: true, create: true, truncate: true },
        mode | 0o200,
      );
      try {
        for (let chunk = await input.read(CHUNK); chunk !== undefined; chunk = await input.read(CHUNK)) {
          await output.write(chunk);
          this.sent += chunk.length;
          await tool.attend();
        }
      } finally {
        input.close();
        output.close();
      }
      if (this.#keep.mode) files.chmod(tool.path(to), permissionsOf(stat));
      else if (!old) files.chmod(tool.path(to), mode);
      if (this.#keep.times) files.setTimes(tool.path(to), stat.atime, stat.mtime);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      this.failed = true;
      tool.say(`rsync: [sender] send_files failed to open "${tool.path(from)}": ${reasonOf(error)} (13)`);
    }
  }
}
