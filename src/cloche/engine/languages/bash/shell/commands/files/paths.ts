/** Names of files and what is known of them. */
import { FileError, type Stat } from "../../../../../fs/files.ts";
import { decodeText, fromArray } from "../../../text/byte_strings.ts";
import type { SystemFiles } from "../../processes/system_files.ts";

/** The one user of a sandbox. */
export const USER_ID = 1000;

// deno-lint-ignore no-control-regex -- those are what is shown otherwise
const CONTROL = /([\x00-\x1f\x7f\udc80-\udcff]+)/u;

export function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof FileError ? error.code : undefined;
}

/** A name as messages show it. */
export function quote(name: string): string {
  if (CONTROL.test(name)) {
    const parts = name.split(CONTROL);
    const shown = parts.map((part, i) => i % 2 ? `$'${[...part].map(escapeControl).join("")}'` : quoted(part));
    return shown.filter((part) => part !== "").join("");
  }
  return name.includes("'") && !/["$`\\]/.test(name) ? `"${name}"` : quoted(name, true);
}

function quoted(text: string, always = false): string {
  return text === "" && !always ? "" : `'${text.replaceAll("'", "'\\''")}'`;
}

const CONTROLS: Record<string, string> = { "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\x07": "\\a" };

function escapeControl(char: string): string {
  return CONTROLS[char] ?? `\\${(char.charCodeAt(0) & 255).toString(8).padStart(3, "0")}`;
}

/** The last part of a path, without slashes after it. */
export function baseName(name: string): string {
  const trimmed = name.replace(/\/+$/, "");
  return trimmed === "" ? name.slice(0, 1) : trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

export function dirName(name: string): string {
  const trimmed = name.replace(/\/+$/, "");
  if (trimmed === "") return name === "" ? "." : "/";
  const slash = trimmed.lastIndexOf("/");
  return slash < 0 ? "." : trimmed.slice(0, slash).replace(/\/+$/, "") || "/";
}

export function joinName(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

/** The names in a folder, in the order of their characters. */
export function sortedNames(files: SystemFiles, path: string): string[] {
  return files.list(path).map(({ name }) => name).sort();
}

export function decodeBytes(bytes: Uint8Array): string {
  return decodeText(fromArray(bytes));
}

/** Space on the disk in blocks of 512 bytes, by pages of 4096. */
export function blocksOf({ kind, size }: Stat): number {
  if (kind === "directory") return 8;
  return kind === "file" ? Math.ceil(size / 4096) * 8 : 0;
}

export function sizeOfStat({ kind, size }: Stat): number {
  return kind === "directory" && size === 0 ? 4096 : size;
}

/** Names of a directory: itself, `.` in it, and the `..` of each folder in it. */
export function linksOf(files: SystemFiles, path: string, stat: Stat): number {
  if (stat.kind !== "directory" || stat.links > 1) return stat.links;
  const children = attempt(() => files.list(path)) ?? [];
  return 2 + children.filter(({ kind }) => kind === "directory").length;
}
