/** Copying files and trees, for cp, mv and install. */
import type { Stat } from "../../../../../fs/files.ts";
import type { FileTool } from "./file_tool.ts";
import { attempt, baseName, codeOf, joinName, quote, sortedNames } from "./paths.ts";
import { CommandError } from "../tool/errors.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { permissionsOf } from "./modes.ts";

const CHUNK = 262_144;

export interface CopyOptions {
  recursive: boolean;
  /** Which links are followed. */
  follow: "never" | "arguments" | "always";
  preserve: { mode: boolean; times: boolean; links: boolean };
  verbose: boolean;
  /** What is done where something is already. */
  clobber: "always" | "never" | "ask" | "force";
  update: "all" | "none" | "older";
  /** Makes names of the same files instead of copies. */
  make: "copy" | "hard" | "symbolic";
  removeFirst: boolean;
  attributesOnly: boolean;
  backup: { kind: string; suffix: string } | undefined;
}

/** Follows what was copied already: names of one file stay names of one file, and copies are not copied again. */
export class Copier {
  readonly #copied = new Map<string, string>();
  readonly #made = new Set<string>();

  constructor(private readonly tool: FileTool, readonly options: CopyOptions) {}

  async copy(from: string, to: string, depth = 0): Promise<void> {
    const { tool, options } = this;
    await tool.attend();
    const follow = options.follow === "always" || options.follow === "arguments" && depth === 0;
    let source: Stat;
    try {
      source = follow ? tool.stat(from) : tool.lstat(from);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return tool.report(`cannot stat ${quote(from)}: ${reasonOf(error)}`);
    }
    if (source.kind === "directory") return await this.#copyFolder(from, to, source, depth);
    await this.#copyFile(from, to, source);
  }

  async #copyFolder(from: string, to: string, source: Stat, depth: number): Promise<void> {
    const { tool, options } = this;
    if (!options.recursive) return tool.report(`-r not specified; omitting directory ${quote(from)}`);
    const real = tool.files.realPath(tool.path(from));
    const old = tool.findStat(to);
    if (old && old.kind !== "directory") {
      return tool.report(`cannot overwrite non-directory ${quote(to)} with directory ${quote(from)}`);
    }
    const place = attempt(() => tool.files.realPath(tool.path(to))) ?? this.#placeOf(to);
    if (place === real) return tool.report(`${quote(from)} and ${quote(to)} are the same file`);
    if (depth === 0 && place.startsWith(`${real}/`)) {
      return tool.report(`cannot copy a directory, ${quote(from)}, into itself, ${quote(to)}`);
    }
    const names = attempt(() => sortedNames(tool.files, tool.path(from)));
    if (!names) return tool.report(`cannot access ${quote(from)}: Permission denied`);
    if (!old) {
      const mode = permissionsOf(source);
      const made = tool.try(`cannot create directory ${quote(to)}`, () => {
        tool.files.makeDirectory(tool.path(to), mode & 0o777 | 0o700);
      });
      if (!made) return;
      if (options.verbose) tool.print(`${quote(from)} -> ${quote(to)}\n`);
    }
    for (const name of names) await this.copy(joinName(from, name), joinName(to, name), depth + 1);
    this.#finishFolder(to, source, old === undefined);
  }

  #finishFolder(to: string, source: Stat, made: boolean): void {
    const { tool, options: { preserve } } = this;
    const mode = permissionsOf(source);
    if (preserve.mode) tool.try(`preserving permissions for ${quote(to)}`, () => tool.files.chmod(tool.path(to), mode));
    else if (made) attempt(() => tool.files.chmod(tool.path(to), mode & 0o777 & ~tool.context.umask));
    if (preserve.times) {
      tool.try(`preserving times for ${quote(to)}`, () => {
        tool.files.setTimes(tool.path(to), source.atime, source.mtime);
      });
    }
  }

  /** Where something new will be, with the links above it resolved. */
  #placeOf(to: string): string {
    const { tool } = this;
    const path = tool.path(to);
    const slash = path.lastIndexOf("/");
    const parent = attempt(() => tool.files.realPath(path.slice(0, slash) || "/"));
    return parent === undefined ? path : joinName(parent, path.slice(slash + 1));
  }

  async #copyFile(from: string, to: string, source: Stat): Promise<void> {
    const { tool, options } = this;
    const old = tool.findLstat(to);
    const path = attempt(() => tool.path(to)) ?? to;
    if (to.endsWith("/") && old?.kind !== "directory") {
      return tool.report(`cannot create regular file ${quote(to)}: Not a directory`);
    }
    if (old) {
      const reached = tool.findStat(to);
      if (reached?.kind === "directory" && (old.kind === "directory" || source.kind !== "link")) {
        return tool.report(`cannot overwrite directory ${quote(to)} with non-directory`);
      }
      if (!await this.#mayReplace(to, source, old)) return;
      if (this.#isSame(from, to, source, old, reached)) return;
      if (this.#made.has(path)) {
        return tool.report(`will not overwrite just-created ${quote(to)} with ${quote(from)}`);
      }
    }
    const saved = old && options.backup ? backUp(tool, to, options.backup) : undefined;
    const exists = old !== undefined && saved === undefined;
    if (!await this.#make(from, to, source, exists ? old : undefined)) return;
    this.#made.add(path);
    if (options.verbose) {
      tool.print(`${quote(from)} -> ${quote(to)}${saved === undefined ? "" : ` (backup: ${quote(saved)})`}\n`);
    }
  }

  #isSame(from: string, to: string, source: Stat, old: Stat, reached: Stat | undefined): boolean {
    const { tool, options } = this;
    if (options.removeFirst && old.kind === "link" && source.kind !== "link") return false;
    const [a, b] = [attempt(() => tool.path(from)), attempt(() => tool.path(to))];
    const target = source.kind === "link" ? old : reached ?? old;
    const same = a === b || target.kind === source.kind && target.ino === source.ino && target.size === source.size &&
        realOf(tool, from) !== undefined && (realOf(tool, from) === realOf(tool, to) || source.links > 1);
    if (!same) return false;
    if (options.make === "hard" && a !== b || options.backup) return options.make === "hard";
    if (options.removeFirst && a !== b) return false;
    tool.report(`${quote(from)} and ${quote(to)} are the same file`);
    return true;
  }

  async #mayReplace(to: string, source: Stat, old: Stat): Promise<boolean> {
    const { tool, options } = this;
    if (options.clobber === "never" || options.update === "none") return false;
    if (options.update === "older" && old.mtime >= source.mtime) return false;
    return options.clobber !== "ask" || await tool.ask(`overwrite ${quote(to)}?`);
  }

  async #make(from: string, to: string, source: Stat, old: Stat | undefined): Promise<boolean> {
    const { tool, options } = this;
    const [source_, target] = [tool.path(from), tool.path(to)];
    const remove = () => old && tool.files.removeFile(target);
    if (options.make === "symbolic") {
      return tool.try(`cannot create symbolic link ${quote(to)} to ${quote(from)}`, () => {
        if (options.clobber === "force" || options.removeFirst) remove();
        tool.files.makeLink(from, target);
      });
    }
    if (options.make === "hard") {
      return tool.try(`cannot create hard link ${quote(to)} to ${quote(from)}`, () => {
        if (options.clobber === "force" || options.removeFirst) remove();
        tool.files.hardLink(source.kind === "link" ? source_ : tool.files.realPath(source_), target);
      });
    }
    const key = `${source.kind}:${source.ino}`;
    const twin = options.preserve.links && source.links > 1 ? this.#copied.get(key) : undefined;
    if (twin !== undefined) {
      return tool.try(`cannot create hard link ${quote(to)} to ${quote(twin)}`, () => {
        remove();
        tool.files.hardLink(tool.path(twin), target);
      });
    }
    if (source.links > 1) this.#copied.set(key, to);
    if (source.kind === "link") {
      return tool.try(`cannot create symbolic link ${quote(to)}`, () => {
        const text = tool.files.readLink(source_);
        remove();
        tool.files.makeLink(text, target);
      });
    }
    return await this.#write(from, to, source, old);
  }

  async #write(from: string, to: string, source: Stat, old: Stat | undefined): Promise<boolean> {
    const { tool, options } = this;
    const dangling = old?.kind === "link" && tool.findStat(to) === undefined;
    if (dangling && !options.removeFirst && options.clobber !== "force") {
      tool.report(`not writing through dangling symlink ${quote(to)}`);
      return false;
    }
    if (old && (options.removeFirst || dangling)) tool.files.removeFile(tool.path(to));
    if (!options.attributesOnly && !await writeCopy(tool, from, to, source, options.clobber === "force")) return false;
    if (options.preserve.mode) {
      tool.try(`preserving permissions for ${quote(to)}`, () => {
        tool.files.chmod(tool.path(to), permissionsOf(source));
      });
    }
    if (options.preserve.times) {
      tool.try(`preserving times for ${quote(to)}`, () => {
        tool.files.setTimes(tool.path(to), source.atime, source.mtime);
      });
    }
    return true;
  }
}

function realOf(tool: FileTool, name: string): string | undefined {
  return attempt(() => tool.files.realPath(tool.path(name)));
}

/** Copies the contents; a new file gets the permissions of the old, less the umask. */
async function writeCopy(tool: FileTool, from: string, to: string, source: Stat, force: boolean): Promise<boolean> {
  const { context, files } = tool;
  let input;
  try {
    input = context.open(from, { read: true, write: false });
  } catch (error) {
    tool.report(`cannot open ${quote(from)} for reading: ${reasonOf(error)}`);
    return false;
  }
  try {
    const mode = permissionsOf(source) & 0o777 & ~context.umask;
    const flags = { read: false, write: true, create: true, truncate: true };
    const device = /^\/dev\/(?:std(?:out|err)|fd\/\d+)$/.test(to);
    const isNew = !device && attempt(() => files.stat(tool.path(to))) === undefined;
    const open = () => device ? context.open(to, flags) : files.open(tool.path(to), flags, mode);
    let output;
    try {
      output = open();
    } catch (error) {
      if (!force || codeOf(error) !== "EACCES" || isNew) throw error;
      files.removeFile(tool.path(to));
      output = open();
    }
    try {
      for (let chunk = await input.read(CHUNK); chunk !== undefined; chunk = await input.read(CHUNK)) {
        await output.write(chunk);
        await tool.attend();
      }
    } finally {
      output.close();
    }
    if (isNew && source.kind === "file") files.chmod(tool.path(to), mode);
    return true;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    const what = tool.findLstat(to) ? "write" : "create regular file";
    tool.report(`cannot ${what === "write" ? "create regular file" : what} ${quote(to)}: ${reasonOf(error)}`);
    return false;
  } finally {
    input.close();
  }
}

/** Moves what is there out of the way; returns its new name. */
export function backUp(tool: FileTool, to: string, { kind, suffix }: { kind: string; suffix: string }): string {
  const folder = to.slice(0, to.length - baseName(to).length);
  const numbered = attempt(() => sortedNames(tool.files, tool.path(folder || "."))) ?? [];
  const base = baseName(to);
  const numbers = numbered.map((name) => name.startsWith(`${base}.~`) ? parseInt(name.slice(base.length + 2)) || 0 : 0);
  const highest = Math.max(0, ...numbers);
  const simple = ["simple", "never"].includes(kind) || ["existing", "nil"].includes(kind) && highest === 0;
  const saved = simple ? to + suffix : `${to}.~${highest + 1}~`;
  tool.files.rename(tool.path(to), tool.path(saved));
  return saved;
}

/** The kind of backup that the options and the environment ask for. */
export function readBackup(tool: FileTool): { kind: string; suffix: string } | undefined {
  const { given, context: { env } } = tool;
  if (!given.has("b", "backup", "S")) return undefined;
  const kind = given.get("backup") ?? env.VERSION_CONTROL ?? "existing";
  const known = ["none", "off", "numbered", "t", "existing", "nil", "simple", "never"];
  if (!known.includes(kind)) throw new CommandError(`invalid argument ${quote(kind)} for 'backup type'`);
  if (kind === "none" || kind === "off") return undefined;
  return { kind, suffix: given.get("S") ?? env.SIMPLE_BACKUP_SUFFIX ?? "~" };
}

/** The sources and where each goes, as the arguments of cp, mv, ln and install say. */
export function readTargets(
  tool: FileTool,
  verb: { missing: string; follow?: boolean },
): { sources: string[]; target: string; inside: boolean } {
  const { given, name } = tool;
  const sources = [...tool.operands];
  const help = `\nTry '${name} --help' for more information.`;
  const folder = given.get("t");
  if (sources.length === 0) throw new CommandError(`missing file operand${help}`);
  if (folder !== undefined) {
    if (given.has("T")) throw new CommandError("cannot combine --target-directory (-t) and --no-target-directory (-T)");
    const found = tool.findStat(folder);
    if (found?.kind !== "directory") {
      throw new CommandError(
        `target directory ${quote(folder)}: ${found ? "Not a directory" : "No such file or directory"}`,
      );
    }
    return { sources, target: folder, inside: true };
  }
  const target = sources.pop() ?? "";
  if (sources.length === 0) throw new CommandError(`${verb.missing} after ${quote(target)}${help}`);
  if (given.has("T")) {
    if (sources.length > 1) throw new CommandError(`extra operand ${quote(sources[1])}${help}`);
    return { sources, target, inside: false };
  }
  const inside = verb.follow === false && tool.findLstat(target)?.kind === "link" ? false : tool.isFolder(target);
  if (!inside && sources.length > 1) {
    const found = tool.findStat(target);
    throw new CommandError(`target ${quote(target)}: ${found ? "Not a directory" : "No such file or directory"}`);
  }
  return { sources, target, inside };
}
