/** The patterns of rsync's --include and --exclude. */
import type { FileTool } from "../file_tool.ts";
import { decodeBytes } from "../paths.ts";
import { CommandError } from "../../tool/errors.ts";
import { reasonOf } from "../../../../text/file_errors.ts";

interface Rule {
  includes: boolean;
  foldersOnly: boolean;
  regex: RegExp;
}

/** The first rule that matches decides; without one a file is taken. */
export class Filter {
  readonly #rules: Rule[] = [];

  constructor(tool: FileTool) {
    for (const [key, value = ""] of tool.given.list) {
      if (key === "include" || key === "exclude") this.#rules.push(makeRule(value, key === "include"));
      if (key === "include-from" || key === "exclude-from") {
        for (const line of readPatterns(tool, value)) this.#addLine(line, key === "include-from");
      }
      if (key === "f") this.#addFilter(value);
      if (key === "C") {
        for (const name of [".git/", ".svn/", "CVS/", "*.o", "*~", "*.bak"]) this.#rules.push(makeRule(name, false));
      }
    }
  }

  #addLine(line: string, includes: boolean): void {
    const [, sign, pattern] = /^([-+]) (.*)$/.exec(line) ?? [];
    this.#rules.push(sign === undefined ? makeRule(line, includes) : makeRule(pattern, sign === "+"));
  }

  #addFilter(rule: string): void {
    const [, sign, pattern] = /^([-+]|include|exclude)[ ,_](.*)$/.exec(rule) ?? [];
    if (sign === undefined) throw new CommandError(`Unknown filter rule: \`${rule}'`);
    this.#rules.push(makeRule(pattern, sign === "+" || sign === "include"));
  }

  /** `path` is that below the transfer's root. */
  excludes(path: string, isFolder: boolean): boolean {
    const found = this.#rules.find(({ regex, foldersOnly }) => (!foldersOnly || isFolder) && regex.test(path));
    return found !== undefined && !found.includes;
  }
}

function readPatterns(tool: FileTool, file: string): string[] {
  try {
    const text = decodeBytes(tool.files.readFile(tool.path(file)));
    return text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !/^[#;]/.test(line));
  } catch (error) {
    throw new CommandError(`failed to open exclude file ${file}: ${reasonOf(error)}`, 11);
  }
}

/** A slash in front binds to the root, one behind to folders; one within makes it match at the end of the path. */
function makeRule(text: string, includes: boolean): Rule {
  let pattern = text;
  let tail = "$";
  if (pattern.endsWith("/***")) {
    pattern = pattern.slice(0, -4);
    tail = "(?:/.*)?$";
  }
  const foldersOnly = pattern.endsWith("/") && pattern !== "/";
  if (foldersOnly) pattern = pattern.slice(0, -1);
  const anchored = pattern.startsWith("/");
  const body = translate(anchored ? pattern.slice(1) : pattern);
  return { includes, foldersOnly, regex: new RegExp(`${anchored ? "^" : "(?:^|/)"}${body}${tail}`, "u") };
}

function translate(pattern: string): string {
  return pattern.replace(/\*\*|\*|\?|\[[!^]?\]?[^\]]*\]|\\.|[^]/gu, (part) => {
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    if (part.length > 1 && part.startsWith("[")) return part.replace(/^\[!/, "[^").replace(/\\/g, "\\\\");
    const char = part.startsWith("\\") && part.length > 1 ? part.slice(1) : part;
    return char.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  });
}
