/** install. */
import { defineFileTool, type FileTool } from "./file_tool.ts";
import { baseName, dirName, joinName, quote, USER_ID } from "./paths.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { Copier, readBackup, readTargets } from "./copy.ts";
import { makeParents } from "./mkdir.ts";
import { permissionsOf, readMode } from "./modes.ts";

const GRAMMAR = {
  letters: "bcCdDg:m:o:psS:t:TvZ",
  long: {
    "backup?": "backup",
    compare: "C",
    directory: "d",
    "group=": "g",
    "mode=": "m",
    "owner=": "o",
    "preserve-timestamps": "p",
    strip: "s",
    "strip-program=": "strip-program",
    "suffix=": "S",
    "target-directory=": "t",
    "no-target-directory": "T",
    verbose: "v",
  },
  synopsis: "[OPTION]... SOURCE... DEST",
};

export const install = defineFileTool("install", GRAMMAR, async (tool) => {
  const { given, operands } = tool;
  for (const [letter, kind] of [["o", "user"], ["g", "group"]]) {
    const name = given.get(letter);
    if (name === undefined || name === tool.user || name === String(USER_ID)) continue;
    if (!/^\d+$|^root$/.test(name)) throw new CommandError(`invalid ${kind} ${quote(name)}`);
    throw new CommandError(`cannot change ownership of ${quote(operands.at(-1) ?? "")}: Operation not permitted`);
  }
  const mode = readMode(given.get("m") ?? "755", 0, false, 0);
  if (given.has("d")) return installFolders(tool, mode);
  if (given.has("D") && operands.length > 0) {
    const into = given.get("t") ?? dirName(operands.at(-1) ?? "");
    if (!makeParents(tool, into, 0o755)) return 1;
  }
  const { sources, target, inside } = readTargets(tool, { missing: "missing destination file operand" });
  const copier = new Copier(tool, {
    recursive: false,
    follow: "always",
    preserve: { mode: false, times: given.has("p"), links: false },
    verbose: given.has("v"),
    clobber: "force",
    update: "all",
    make: "copy",
    removeFirst: true,
    attributesOnly: false,
    backup: readBackup(tool),
  });
  if (given.has("s")) throw new CommandError("cannot run strip: there are no native programs in this sandbox");
  for (const source of sources) {
    if (tool.isFolder(source)) {
      tool.report(`omitting directory ${quote(source)}`);
      continue;
    }
    const to = inside ? joinName(target, baseName(source)) : target;
    if (given.has("C") && isInstalled(tool, source, to, mode)) continue;
    const before = tool.code;
    tool.code = 0;
    await copier.copy(source, to);
    if (tool.code === 0) tool.files.chmod(tool.path(to), mode);
    tool.code = Math.max(before, tool.code);
  }
});

/** -C: whether the same is there already. */
function isInstalled(tool: FileTool, source: string, to: string, mode: number): boolean {
  const old = tool.findLstat(to);
  if (old?.kind !== "file" || permissionsOf(old) !== mode || old.size !== tool.findStat(source)?.size) return false;
  const [a, b] = [tool.files.readFile(tool.path(source)), tool.files.readFile(tool.path(to))];
  return a.every((byte, i) => byte === b[i]);
}

function installFolders(tool: FileTool, mode: number): void {
  const { operands } = tool;
  if (operands.length === 0) throw new UsageError("missing file operand");
  for (const name of operands) {
    if (!makeParents(tool, name, 0o755)) continue;
    tool.try(`cannot change permissions of ${quote(name)}`, () => tool.files.chmod(tool.path(name), mode));
  }
}
