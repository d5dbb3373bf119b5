/** tree. */
import type { Stat } from "../../../../../fs/files.ts";
import { defineFileTool, type FileTool } from "./file_tool.ts";
import { attempt, joinName, sizeOfStat } from "./paths.ts";
import { CommandError } from "../tool/errors.ts";
import { compilePattern, type Matcher } from "../../expansion/patterns.ts";
import { modeLetters } from "./modes.ts";
import { humanSize } from "./sizes.ts";
import { formatTime } from "./times.ts";

const GRAMMAR = {
  letters: "adfilnCFpsughDNqrtUQL:P:I:o:",
  long: {
    noreport: "noreport",
    dirsfirst: "dirsfirst",
    filesfirst: "filesfirst",
    "sort=": "sort",
    "charset=": "charset",
    prune: "prune",
    "ignore-case": "ignore-case",
    matchdirs: "matchdirs",
    "filelimit=": "filelimit",
    "timefmt=": "timefmt",
    si: "si",
    du: "du",
    gitignore: "gitignore",
  },
  synopsis: "[OPTION]... [DIRECTORY]...",
};

interface Node {
  name: string;
  path: string;
  stat: Stat;
  link?: string;
  children: Node[];
  refused?: boolean;
}

export const tree = defineFileTool("tree", GRAMMAR, async (tool) => {
  const { given } = tool;
  for (const key of ["gitignore", "o", "du"]) {
    if (given.has(key)) throw new CommandError(`${key.length > 1 ? "--" : "-"}${key}: this option is not supported`);
  }
  const level = given.get("L");
  if (level !== undefined && !(Number(level) > 0)) throw new CommandError("Invalid level, must be greater than 0.");
  const drawing = new Drawing(tool, level === undefined ? Infinity : Number(level));
  for (const name of tool.operands.length > 0 ? tool.operands : ["."]) await drawing.draw(name);
  if (!given.has("noreport")) tool.print(drawing.report());
});

class Drawing {
  #folders = 0;
  #files = 0;
  readonly #wanted: Matcher[];
  readonly #ignored: Matcher[];
  readonly #marks: { branch: string; last: string; line: string };

  constructor(private readonly tool: FileTool, private readonly depth: number) {
    const { given } = tool;
    const nocase = given.has("ignore-case");
    const patterns = (key: string) =>
      given.all(key).flatMap((text) => text.split("|")).map((pattern) => compilePattern(pattern, { nocase }));
    this.#wanted = patterns("P");
    this.#ignored = patterns("I");
    this.#marks = given.get("charset")?.toLowerCase() === "ascii"
      ? { branch: "|-- ", last: "`-- ", line: "|   " }
      : { branch: "├── ", last: "└── ", line: "│\u00a0\u00a0 " };
  }

  async draw(name: string): Promise<void> {
    const { tool } = this;
    const stat = tool.findStat(name);
    if (stat?.kind !== "directory") {
      tool.print(`${name}  [error opening dir]\n`);
      tool.code = 2;
      return;
    }
    const root: Node = { name, path: name, stat, children: [] };
    await this.#read(root, 1, [tool.files.realPath(tool.path(name))]);
    tool.print(`${this.#details(root)}${name}${tool.given.has("F") && !name.endsWith("/") ? "/" : ""}\n`);
    this.#folders++;
    this.#print(root, "");
  }

  async #read(node: Node, level: number, above: string[]): Promise<void> {
    const { tool } = this;
    await tool.attend();
    const names = attempt(() => tool.files.list(tool.path(node.path)).map(({ name }) => name));
    if (!names) {
      node.refused = true;
      return;
    }
    for (const name of names.filter((each) => this.#isShown(each))) {
      const path = joinName(node.path, name);
      const stat = tool.findLstat(path);
      if (!stat) continue;
      const link = stat.kind === "link" ? attempt(() => tool.files.readLink(tool.path(path))) : undefined;
      const target = stat.kind === "link" ? tool.findStat(path) : stat;
      const isFolder = target?.kind === "directory";
      if (tool.given.has("d") && !isFolder) continue;
      if (!isFolder && this.#wanted.length > 0 && !this.#wanted.some((pattern) => pattern.match(name))) continue;
      const child: Node = { name, path, stat: link === undefined ? stat : { ...stat }, link, children: [] };
      const real = isFolder ? attempt(() => tool.files.realPath(tool.path(path))) : undefined;
      const enters = isFolder && (link === undefined || tool.given.has("l")) && level < this.depth;
      if (enters && real !== undefined && !above.includes(real)) await this.#read(child, level + 1, [...above, real]);
      if (tool.given.has("prune") && isFolder && link === undefined && child.children.length === 0) continue;
      node.children.push(child);
    }
    this.#sort(node.children);
  }

  #isShown(name: string): boolean {
    if (name.startsWith(".") && !this.tool.given.has("a")) return false;
    return !this.#ignored.some((pattern) => pattern.match(name));
  }

  #sort(nodes: Node[]): void {
    const { given } = this.tool;
    const key = given.has("t") ? "mtime" : given.get("sort") ?? "name";
    if (given.has("U")) return;
    const isFolder = (node: Node) => node.stat.kind === "directory" ? 0 : 1;
    nodes.sort((a, b) => {
      const first = given.has("dirsfirst")
        ? isFolder(a) - isFolder(b)
        : given.has("filesfirst")
        ? isFolder(b) - isFolder(a)
        : 0;
      if (first !== 0) return first;
      const byName = a.name < b.name ? -1 : 1;
      const order = key === "mtime"
        ? a.stat.mtime - b.stat.mtime || byName
        : key === "size"
        ? b.stat.size - a.stat.size || byName
        : byName;
      return given.has("r") ? -order : order;
    });
  }

  #print(node: Node, before: string): void {
    const { tool } = this;
    const { given } = tool;
    node.children.forEach((child, i) => {
      const isLast = i === node.children.length - 1;
      const target = child.link === undefined ? child.stat : tool.findStat(child.path);
      if (target?.kind === "directory") this.#folders++;
      else this.#files++;
      const name = given.has("f") ? child.path : child.name;
      const shown = given.has("Q") ? `"${name}"` : name;
      const arrow = child.link === undefined ? "" : ` -> ${child.link}`;
      const lines = given.has("i") ? "" : before + (isLast ? this.#marks.last : this.#marks.branch);
      const note = child.refused ? "  [error opening dir]" : "";
      tool.print(`${lines}${this.#details(child)}${shown}${arrow}${given.has("F") ? mark(child.stat) : ""}${note}\n`);
      this.#print(child, before + (isLast ? "    " : this.#marks.line));
    });
  }

  /** What -p, -u, -g, -s, -h and -D show before the name. */
  #details({ stat }: Node): string {
    const { given, user, context: { env } } = this.tool;
    const parts: string[] = [];
    if (given.has("p")) parts.push(modeLetters(stat));
    if (given.has("u")) parts.push(user.padEnd(8));
    if (given.has("g")) parts.push(user.padEnd(8));
    if (given.has("h", "si")) parts.push(humanSize(sizeOfStat(stat), given.has("si") ? 1000 : 1024).padStart(4));
    else if (given.has("s")) parts.push(String(sizeOfStat(stat)).padStart(11));
    if (given.has("D", "timefmt")) parts.push(formatTime(given.get("timefmt") ?? "%b %e %H:%M", stat.mtime, env.TZ));
    return parts.length === 0 ? "" : `[${parts.join(" ")}]  `;
  }

  report(): string {
    const folders = `${this.#folders} director${this.#folders === 1 ? "y" : "ies"}`;
    if (this.tool.given.has("d")) return `\n${folders}\n`;
    return `\n${folders}, ${this.#files} file${this.#files === 1 ? "" : "s"}\n`;
  }
}

function mark({ kind, mode }: Stat): string {
  if (kind === "directory") return "/";
  return kind === "file" && mode & 0o111 ? "*" : "";
}
