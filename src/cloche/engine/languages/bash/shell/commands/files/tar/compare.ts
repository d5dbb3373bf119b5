/** tar -d: the differences between an archive and the files. */
import type { Stat } from "../../../../../../fs/files.ts";
import { reasonOf } from "../../../../text/file_errors.ts";
import type { FileTool } from "../file_tool.ts";
import { permissionsOf } from "../modes.ts";
import { codeOf, joinName, USER_ID } from "../paths.ts";
import type { Member } from "./header.ts";
import type { ArchiveReader } from "./reader.ts";

const KINDS: Record<string, string> = { "0": "file", "1": "file", "2": "link", "5": "directory" };

export async function compareMember(tool: FileTool, member: Member, reader: ArchiveReader): Promise<void> {
  await tool.attend();
  const folder = tool.given.all("C").reduce((base, name) => name.startsWith("/") ? name : joinName(base, name), ".");
  const path = tool.path(joinName(folder, member.name));
  const differ = (what: string) => {
    tool.print(`${member.name}: ${what}\n`);
    tool.code = Math.max(tool.code, 1);
  };
  let stat: Stat;
  try {
    stat = tool.given.has("h") ? tool.files.stat(path) : tool.files.lstat(path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    tool.complain(`${member.name}: Warning: Cannot stat: ${reasonOf(error)}`);
    tool.code = Math.max(tool.code, 1);
    return;
  }
  if (stat.kind !== KINDS[member.type]) return differ("File type differs");
  if (member.type === "2") {
    if (tool.files.readLink(path) !== member.link) differ("Symlink differs");
    return;
  }
  if (member.type !== "1" && permissionsOf(stat) !== (member.mode & 0o7777)) differ("Mode differs");
  if (member.type !== "0") return;
  if (member.uid !== USER_ID) differ("Uid differs");
  if (member.gid !== USER_ID) differ("Gid differs");
  if (Math.floor(stat.mtime / 1000) !== Math.floor(member.mtime)) differ("Mod time differs");
  if (stat.size !== member.size) return differ("Size differs");
  if (!await isSame(tool, path, reader)) differ("Contents differ");
}

async function isSame(tool: FileTool, path: string, reader: ArchiveReader): Promise<boolean> {
  const data = tool.files.readFile(path);
  let at = 0;
  for (let piece = await reader.read(); piece; piece = await reader.read()) {
    const start = at;
    if (piece.some((byte, i) => byte !== data[start + i])) return false;
    at += piece.length;
    await tool.attend();
  }
  return at === data.length;
}
