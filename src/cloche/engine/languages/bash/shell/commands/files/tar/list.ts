/** What tar -t and -v print. */
import { modeLetters } from "../modes.ts";
import { formatTime } from "../times.ts";
import type { FileTool } from "../file_tool.ts";
import type { Member } from "./header.ts";

const KINDS: Record<string, string> = { "0": "-", "1": "h", "2": "l", "3": "c", "4": "b", "5": "d", "6": "p" };
/** Owner and size take at least this much together. */
let width = 19;

export function resetWidth(): void {
  width = 19;
}

export function verboseLine(tool: FileTool, member: Member): string {
  const { given, context: { env } } = tool;
  const numeric = given.has("numeric-owner");
  const owner = `${numeric || member.user === "" ? member.uid : member.user}/${
    numeric || member.group === "" ? member.gid : member.group
  }`;
  const size = String(member.type === "0" ? member.size : 0);
  width = Math.max(width, owner.length + 1 + size.length);
  const letters = (KINDS[member.type] ?? "?") + modeLetters({ kind: "file", mode: member.mode }).slice(1);
  const format = given.has("full-time") ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M";
  const time = formatTime(format, member.mtime * 1000, given.has("utc") ? undefined : env.TZ);
  const link = member.type === "2" ? ` -> ${member.link}` : member.type === "1" ? ` link to ${member.link}` : "";
  return `${letters} ${owner} ${size.padStart(width - owner.length - 1)} ${time} ${escapeName(member.name)}${link}`;
}

export function escapeName(name: string): string {
  return name.replace(/[\n\t\r\\]/g, (char) => ({ "\n": "\\n", "\t": "\\t", "\r": "\\r" })[char] ?? "\\\\");
}
