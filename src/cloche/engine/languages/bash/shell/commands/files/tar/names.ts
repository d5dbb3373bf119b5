/** Which members tar takes, and how it changes their names. */
import type { FileTool } from "../file_tool.ts";
import { decodeBytes } from "../paths.ts";
import { CommandError } from "../../tool/errors.ts";
import { compileRegex } from "../../../../text/regex/regex.ts";
import { reasonOf } from "../../../../text/file_errors.ts";
import { compilePattern, type Matcher } from "../../../expansion/patterns.ts";

const VERSION_CONTROL = ["CVS", "RCS", "SCCS", ".git", ".gitignore", ".gitattributes", ".svn", ".hg", ".bzr"];

/** The patterns of --exclude and -X. */
export class Exclusions {
  readonly #patterns: { matcher: Matcher; anchored: boolean }[] = [];

  constructor(tool: FileTool) {
    const { given } = tool;
    let anchored = false;
    for (const [key, value] of given.list) {
      if (key === "anchored") anchored = true;
      if (key === "no-anchored") anchored = false;
      const patterns = key === "exclude"
        ? [value ?? ""]
        : key === "X"
        ? readLines(tool, value ?? "")
        : key === "exclude-vcs"
        ? VERSION_CONTROL
        : [];
      for (const pattern of patterns) {
        const matcher = compilePattern(pattern.replace(/(.)\/+$/, "$1"), {
          extglob: false,
          nocase: given.has("ignore-case"),
        });
        this.#patterns.push({ matcher, anchored });
      }
    }
  }

  /** Whether the name, or a folder that it lies in, is left out. */
  match(name: string): boolean {
    const parts = name.replace(/\/+$/, "").split("/");
    return this.#patterns.some(({ matcher, anchored }) =>
      parts.some((_, end) =>
        parts.slice(0, end + 1).some((_, start) =>
          (start === 0 || !anchored) && matcher.match(parts.slice(start, end + 1).join("/"))
        )
      )
    );
  }
}

/** Lists of -T and -X that come from standard input or a pipe. */
const streamed = new WeakMap<FileTool, Map<string, Uint8Array>>();

/** Reads these lists; the other ones are read where they are needed. */
export async function readStreamedLists(tool: FileTool): Promise<void> {
  const lists = new Map<string, Uint8Array>();
  for (const file of [...tool.given.all("T"), ...tool.given.all("X")]) {
    if (file === "-" || file.startsWith("/dev/")) lists.set(file, await tool.readFile(file));
  }
  streamed.set(tool, lists);
}

export function readLines(tool: FileTool, file: string, end = "\n"): string[] {
  try {
    const bytes = streamed.get(tool)?.get(file) ?? tool.files.readFile(tool.path(file));
    return decodeBytes(bytes).split(end).filter((line) => line !== "");
  } catch (error) {
    throw new CommandError(`${file}: Cannot open: ${reasonOf(error)}\nError is not recoverable: exiting now`, 2);
  }
}

/** What --strip-components and --transform make of a name; undefined if nothing is left. */
export class Renaming {
  readonly #strip: number;
  readonly #changes: Transform[];

  constructor(tool: FileTool) {
    const strip = tool.given.get("strip") ?? "0";
    if (!/^\d+$/.test(strip)) throw new CommandError(`${strip}: Invalid number of elements`, 2);
    this.#strip = Number(strip);
    this.#changes = tool.given.all("transform").flatMap(parseTransform);
  }

  get isPlain(): boolean {
    return this.#strip === 0 && this.#changes.length === 0;
  }

  /** What --transform makes of the target of a link. */
  applyToTarget(target: string): string {
    return this.#transform(target, "s");
  }

  #transform(name: string, kind: Scope): string {
    return this.#changes.reduce((text, { change, scope }) => scope.includes(kind) ? change(text) : text, name);
  }

  apply(name: string, kind: Scope = "r"): string | undefined {
    let changed = this.#transform(name, kind);
    if (this.#strip > 0) {
      const isFolder = changed.endsWith("/");
      const parts = changed.split("/").filter((part) => part !== "").slice(this.#strip);
      if (parts.length === 0) return undefined;
      changed = parts.join("/") + (isFolder ? "/" : "");
    }
    return changed;
  }
}

/** Names of members, targets of symbolic links, targets of hard links. */
type Scope = "r" | "s" | "h";

interface Transform {
  change: (name: string) => string;
  /** What it is applied to. */
  scope: string;
}

/** `h` adds the targets of hard links, `H` takes them away. */
function readScope(flags: string, before: string): string {
  return [...flags].filter((flag) => "rshRSH".includes(flag)).reduce((scope, flag) => {
    const without = scope.replace(flag.toLowerCase(), "");
    return flag === flag.toLowerCase() ? without + flag : without;
  }, before);
}

/** s/a/b/flags, several divided by `;`; `flags=` says what those after it are applied to. */
function parseTransform(text: string): Transform[] {
  const changes: Transform[] = [];
  let scope = "rsh";
  for (let rest = text; rest !== "";) {
    const [all, set] = /^flags=([a-zA-Z]*);?/.exec(rest) ?? [];
    if (all !== undefined) {
      scope = readScope(set, "");
      rest = rest.slice(all.length);
      continue;
    }
    const mark = rest[1];
    if (rest[0] !== "s" || mark === undefined) throw new CommandError("Invalid transform expression", 2);
    const parts: string[] = [""];
    let at = 2;
    for (; at < rest.length && parts.length < 3; at++) {
      if (rest[at] === "\\" && rest[at + 1] !== undefined) {
        parts[parts.length - 1] += rest[at + 1] === mark ? mark : rest.slice(at, at + 2);
        at++;
      } else if (rest[at] === mark) parts.push("");
      else parts[parts.length - 1] += rest[at];
    }
    if (parts.length < 3) throw new CommandError("Invalid transform expression: missing delimiter", 2);
    const [, flags, more] = /^([a-zA-Z0-9]*);?([^]*)$/.exec(rest.slice(at)) ?? ["", "", ""];
    changes.push({ change: makeChange(parts[0], parts[1], flags), scope: readScope(flags, scope) });
    rest = more;
  }
  return changes;
}

function makeChange(source: string, replacement: string, flags: string): (name: string) => string {
  const matcher = compileRegex(source, { extended: flags.includes("x"), ignoreCase: flags.includes("i") });
  return (name) => {
    let out = "";
    let from = 0;
    for (let at = 0; at <= name.length;) {
      const match = matcher.find(name, at);
      if (!match) break;
      const groups = [name.slice(match.start, match.end), ...match.groups.map((group) => group ?? "")];
      out += name.slice(from, match.start) + fill(replacement, groups);
      from = match.end;
      at = match.end > match.start ? match.end : match.end + 1;
      if (!flags.includes("g")) break;
    }
    return out + name.slice(from);
  };
}

function fill(replacement: string, groups: string[]): string {
  return replacement.replace(/\\(.)|&/g, (whole, char: string | undefined) => {
    if (whole === "&") return groups[0];
    return /\d/.test(char ?? "") ? groups[Number(char)] ?? "" : char === "n" ? "\n" : char ?? "";
  });
}

/** The members that were asked for by name. */
export class Selection {
  readonly #found = new Set<string>();
  readonly #matchers: { name: string; matcher: Matcher | undefined }[];

  readonly #counts = new Map<string, number>();

  /** With `occurrence`, only the member that is the n-th of its name. */
  constructor(names: string[], wildcards: boolean, private readonly occurrence?: number) {
    this.#matchers = names.map((name) => ({
      name: name.replace(/(.)\/+$/, "$1"),
      matcher: wildcards ? compilePattern(name, { extglob: false }) : undefined,
    }));
  }

  takes(member: string): boolean {
    if (this.#matchers.length === 0) return true;
    const plain = member.replace(/(.)\/+$/, "$1");
    let taken = false;
    for (const { name, matcher } of this.#matchers) {
      const below = matcher
        ? plain.split("/").some((_, i, parts) => matcher.match(parts.slice(0, i + 1).join("/")))
        : plain === name || plain.startsWith(`${name}/`);
      if (!below) continue;
      this.#found.add(name);
      taken = true;
    }
    if (!taken || this.occurrence === undefined) return taken;
    const count = (this.#counts.get(plain) ?? 0) + 1;
    this.#counts.set(plain, count);
    return count === this.occurrence;
  }

  reportMissing(tool: FileTool): void {
    for (const { name } of this.#matchers) {
      if (!this.#found.has(name)) tool.report(`${name}: Not found in archive`, 2);
    }
  }
}
