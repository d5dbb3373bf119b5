/** Writes archives. */
import type { Stat } from "../../../../../../fs/files.ts";
import type { FileTool } from "../file_tool.ts";
import { attempt, codeOf, joinName, sortedNames, USER_ID } from "../paths.ts";
import { CommandError } from "../../tool/errors.ts";
import { reasonOf } from "../../../../text/file_errors.ts";
import { parseMode, permissionsOf } from "../modes.ts";
import { parseTime } from "../times.ts";
import type { ArchiveSink } from "./compression.ts";
import { encodeHeader, type Format, type Member, padding } from "./header.ts";
import { verboseLine } from "./list.ts";
import { Exclusions, readLines, Renaming } from "./names.ts";

const CHUNK = 65_536;
const TYPES = { file: "0", directory: "5", link: "2", other: "3" };

/** The numbers that every Linux gives to these. */
const USERS: Record<string, number> = { root: 0, daemon: 1, bin: 2, sys: 3, man: 6, mail: 8, nobody: 65534 };
const GROUPS: Record<string, number> = { root: 0, daemon: 1, bin: 2, sys: 3, adm: 4, tty: 5, mail: 8, users: 100 };

/** Names with the folder that -C chose for each. */
export function readSources(tool: FileTool): { folder: string; name: string }[] {
  const { given, operands } = tool;
  const sources: { folder: string; name: string }[] = [];
  let folder = tool.context.cwd;
  const enter = (name: string) => {
    folder = name.startsWith("/") ? name : joinName(folder, name);
    const kind = attempt(() => tool.files.stat(tool.path(folder)))?.kind;
    if (kind === "directory") return;
    throw new CommandError(
      `${name}: Cannot open: ${kind ? "Not a directory" : "No such file or directory"}\n` +
        "Error is not recoverable: exiting now",
      2,
    );
  };
  const options = given.list.filter(([key]) => key === "C" || key === "T");
  for (let at = 0; at <= operands.length; at++) {
    for (const [key, value = ""] of options.filter((option) => option[2] === at)) {
      if (key === "C") enter(value);
      else for (const name of readLines(tool, value, given.has("null") ? "\0" : "\n")) sources.push({ folder, name });
    }
    if (at < operands.length) sources.push({ folder, name: operands[at] });
  }
  return sources;
}

export class ArchiveWriter {
  readonly #excluded: Exclusions;
  readonly #renaming: Renaming;
  readonly #format: Format;
  readonly #twins = new Map<number, string>();
  readonly #removed: string[] = [];
  #warned = false;
  written = 0;

  constructor(
    private readonly tool: FileTool,
    private readonly sink: ArchiveSink,
    private readonly archive: string,
    /** Members with their times: what is not newer is left out. */
    private readonly known?: ReadonlyMap<string, number>,
  ) {
    this.#excluded = new Exclusions(tool);
    this.#renaming = new Renaming(tool);
    const format = tool.given.last("format", "posix") === "posix" ? "pax" : tool.given.get("format") ?? "gnu";
    if (!["gnu", "oldgnu", "v7", "ustar", "pax", "posix"].includes(format)) {
      throw new CommandError(`${format}: Invalid archive format`, 2);
    }
    this.#format = format === "ustar" || format === "v7" ? "ustar" : format.endsWith("gnu") ? "gnu" : "pax";
  }

  async #put(bytes: Uint8Array): Promise<void> {
    this.written += bytes.length;
    await this.sink.write(bytes);
  }

  async add(folder: string, name: string): Promise<void> {
    const { tool } = this;
    await tool.attend();
    const plain = name.replace(/(.)\/+$/, "$1");
    if (this.#excluded.match(plain)) return;
    const path = tool.path(plain.startsWith("/") ? plain : joinName(folder, plain));
    let stat: Stat;
    try {
      stat = tool.given.has("h") ? tool.files.stat(path) : tool.files.lstat(path);
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return tool.report(`${name}: Cannot stat: ${reasonOf(error)}`, 2);
    }
    if (path === this.archive) return tool.complain(`${plain}: file is the archive; not dumped`);
    if (stat.kind === "other") return tool.complain(`${plain}: character special file; not dumped`);
    await this.#addMember(path, plain, stat);
    if (stat.kind !== "directory" || tool.given.has("no-recursion")) return;
    const names = attempt(() => sortedNames(tool.files, path));
    if (!names) return tool.report(`${plain}: Cannot open: Permission denied`, 2);
    for (const child of names) await this.add(folder, joinName(plain, child));
  }

  async #addMember(path: string, name: string, stat: Stat): Promise<void> {
    const { tool } = this;
    const stored = this.#storedName(stat.kind === "directory" ? `${name.replace(/\/$/, "")}/` : name);
    if (stored === undefined) return;
    const member = this.#describe(path, stored, stat);
    const before = this.known?.get(stored);
    if (before !== undefined && before >= Math.floor(stat.mtime / 1000)) return;
    if (tool.given.has("v")) this.#say(name, member);
    if (member.type !== "0") return await this.#put(encodeHeader(member, this.#format));
    let file;
    try {
      file = tool.files.open(path, { read: true, write: false });
    } catch (error) {
      return tool.report(`${name}: Cannot open: ${reasonOf(error)}`, 2);
    }
    try {
      await this.#put(encodeHeader(member, this.#format));
      let left = member.size;
      while (left > 0) {
        const chunk = await file.read(Math.min(CHUNK, left));
        if (chunk === undefined) break;
        left -= chunk.length;
        await this.#put(chunk);
        await tool.attend();
      }
      await this.#put(new Uint8Array(left + padding(member.size)));
    } finally {
      file.close();
    }
    if (tool.given.has("remove-files")) this.#removed.push(path);
  }

  #say(name: string, member: Member): void {
    const { tool } = this;
    const many = tool.given.all("v").length > 1;
    const shown = member.type === "5" ? `${name.replace(/\/$/, "")}/` : name;
    const line = many ? verboseLine(tool, member) : tool.given.has("show-transformed") ? member.name : shown;
    if (tool.given.get("f") === "-" || !tool.given.has("f")) tool.say(line);
    else tool.print(`${line}\n`);
  }

  #storedName(name: string): string | undefined {
    const changed = this.#renaming.apply(name);
    if (changed === undefined || this.tool.given.has("P") || !changed.startsWith("/")) return changed;
    if (!this.#warned) this.tool.complain("Removing leading `/' from member names");
    this.#warned = true;
    return changed.replace(/^\/+/, "") || "./";
  }

  #describe(path: string, name: string, stat: Stat): Member {
    const { tool } = this;
    const { given } = tool;
    const [user, uid] = readOwner(given.get("owner"), tool.user, USERS);
    const [group, gid] = readOwner(given.get("group"), tool.user, GROUPS);
    const mode = given.get("mode");
    const change = mode === undefined ? undefined : parseMode(mode);
    if (mode !== undefined && !change) throw new CommandError("Invalid mode given on option", 2);
    const permissions = permissionsOf(stat);
    const hasTwin = stat.kind !== "directory" && stat.links > 1;
    const twin = hasTwin && !given.has("hard-dereference") ? this.#twins.get(stat.ino) : undefined;
    if (hasTwin && twin === undefined) this.#twins.set(stat.ino, name);
    return {
      name,
      mode: change ? change.apply(permissions, stat.kind === "directory", tool.context.umask) : permissions,
      uid,
      gid,
      size: stat.kind === "file" && twin === undefined ? stat.size : 0,
      mtime: this.#time(stat),
      type: twin === undefined ? TYPES[stat.kind] : "1",
      link: twin ?? (stat.kind === "link" ? this.#renaming.applyToTarget(tool.files.readLink(path)) : ""),
      user: given.has("numeric-owner") ? "" : user,
      group: given.has("numeric-owner") ? "" : group,
    };
  }

  #time(stat: Stat): number {
    const text = this.tool.given.get("mtime");
    if (text === undefined) return this.#format === "pax" ? stat.mtime / 1000 : Math.floor(stat.mtime / 1000);
    const file = /^[./]/.test(text) ? this.tool.findStat(text)?.mtime : undefined;
    const time = file ?? parseTime(text, Date.now(), this.tool.context.env.TZ);
    if (time === undefined) throw new CommandError(`Invalid date: ${text}`, 2);
    return Math.floor(time / 1000);
  }

  /** Two empty blocks, and as many as make up a whole record. */
  async finish(before = 0): Promise<void> {
    const size = before + this.written + 1024;
    await this.#put(new Uint8Array(1024 + (10_240 - size % 10_240) % 10_240));
    await this.sink.finish();
    for (const path of this.#removed) attempt(() => this.tool.files.removeFile(path));
  }
}

/** NAME, NAME:ID or ID. */
function readOwner(text: string | undefined, user: string, known: Record<string, number>): [string, number] {
  if (text === undefined) return [user, USER_ID];
  const [name, id] = text.split(":");
  if (id !== undefined) return [name, Number(id)];
  if (/^\+?\d+$/.test(name)) {
    const number = Number(name);
    return [number === USER_ID ? user : Object.keys(known).find((each) => known[each] === number) ?? "", number];
  }
  return [name, known[name] ?? USER_ID];
}
