/** basename, dirname, pathchk. */
import { encodeText } from "../../../text/byte_strings.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { defineFileTool, type FileTool } from "./file_tool.ts";
import { baseName, codeOf, dirName, quote } from "./paths.ts";
import { UsageError } from "../tool/errors.ts";

const BASENAME = {
  letters: "as:z",
  long: { multiple: "a", "suffix=": "s", zero: "z" },
  strict: true,
  synopsis: "NAME [SUFFIX]",
};

export const basename = defineFileTool("basename", BASENAME, (tool) => {
  const { given, operands } = tool;
  if (operands.length === 0) throw new UsageError("missing operand");
  const many = given.has("a", "s");
  if (!many && operands.length > 2) throw new UsageError(`extra operand ${quote(operands[2])}`);
  const suffix = many ? given.get("s") : operands[1];
  for (const name of many ? operands : operands.slice(0, 1)) {
    tool.print(withoutSuffix(baseName(name), suffix) + (given.has("z") ? "\0" : "\n"));
  }
});

function withoutSuffix(base: string, suffix: string | undefined): string {
  if (!suffix || base === suffix || !base.endsWith(suffix)) return base;
  return base.slice(0, -suffix.length);
}

export const dirname = defineFileTool(
  "dirname",
  { letters: "z", long: { zero: "z" }, synopsis: "[OPTION] NAME..." },
  (tool) => {
    if (tool.operands.length === 0) throw new UsageError("missing operand");
    for (const name of tool.operands) tool.print(dirName(name) + (tool.given.has("z") ? "\0" : "\n"));
  },
);

const MOST_NAME = 255;
const MOST_PATH = 4096;
const [POSIX_NAME, POSIX_PATH] = [14, 256];

export const pathchk = defineFileTool(
  "pathchk",
  { letters: "pP", long: { portability: "portability" }, synopsis: "[OPTION]... NAME..." },
  (tool) => {
    if (tool.operands.length === 0) throw new UsageError("missing operand");
    for (const name of tool.operands) checkPath(tool, name);
  },
);

function checkPath(tool: FileTool, name: string): void {
  const { given } = tool;
  const portable = given.has("p", "portability");
  const extra = given.has("P", "portability");
  const parts = name.split("/").filter((part) => part !== "");
  if (extra && parts.some((part) => part.startsWith("-"))) {
    return tool.report(`leading '-' in a component of file name ${quote(name)}`);
  }
  if ((portable || extra) && name === "") return tool.report("empty file name");
  const odd = /[^A-Za-z0-9._\/-]/u.exec(name)?.[0];
  if (portable && odd !== undefined) {
    return tool.report(`nonportable character ${quote(odd)} in file name ${quote(name)}`);
  }
  const [mostPath, mostName] = portable ? [POSIX_PATH, POSIX_NAME] : [MOST_PATH, MOST_NAME];
  const length = encodeText(name).length;
  if (length >= mostPath) {
    return tool.report(`limit ${mostPath - 1} exceeded by length ${length} of file name ${quote(name)}`);
  }
  for (const part of parts) {
    const size = encodeText(part).length;
    if (size > mostName && !portable) return tool.report(`${name}: File name too long`);
    if (size > mostName) {
      return tool.report(`limit ${mostName} exceeded by length ${size} of file name component ${quote(part)}`);
    }
  }
  if (portable) return;
  try {
    tool.lstat(name);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    if (codeOf(error) !== "ENOENT" || name === "") tool.report(`${quote(name)}: ${reasonOf(error)}`);
  }
}
