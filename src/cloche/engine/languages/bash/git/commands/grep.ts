/** git grep: lines of tracked files. */
import { decodeText, encodeText, fromArray } from "../../text/byte_strings.ts";
import { checkInterrupt } from "../../just_bash/command.ts";
import { compilePerl } from "../../text/regex/perl.ts";
import { compileRegex, type Matcher } from "../../text/regex/regex.ts";
import { RegexError } from "../../text/regex/syntax.ts";
import { type Args, GitError, parseArgs } from "../options.ts";
import type { Call } from "../call.ts";
import { splitWords } from "./diff.ts";
import { isBinary } from "../text/hunks.ts";
import { quotePath, relativePath } from "../repository/paths.ts";
import { Pathspec } from "../repository/pathspec.ts";
import { Repo } from "../repository/repository.ts";
import { treeOf } from "../repository/revision.ts";
import { readWork, statFile } from "../repository/worktree_scan.ts";
import { flattenTree } from "../repository/trees.ts";

const OPTIONS =
  "line-number,n ignore-case,i files-with-matches,name-only,l files-without-match,L count,c word-regexp,w " +
  "extended-regexp,E fixed-strings,F perl-regexp,P basic-regexp,G e= invert-match,v quiet,q only-matching,o h H cached " +
  "full-name no-index untracked heading break color=? no-color recursive,r text,a I";

export async function runGrep(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  if (given.has("no-index") || given.has("untracked")) {
    throw new GitError("only tracked files are searched here: use grep -r");
  }
  const repo = await Repo.find(call);
  const words = [...given.words];
  const patterns = given.has("e") ? given.all("e") : words.splice(0, 1);
  if (patterns.length === 0) throw new GitError("no pattern given");
  const { revisions, paths } = await splitWords(repo, words, given.after);
  const spec = new Pathspec(repo, paths.length === 0 && repo.prefix !== "" ? ["."] : paths);
  const search = new Search(repo, given, patterns.map((text) => expression(text, given)));
  for (const name of revisions.length > 0 ? revisions : [undefined]) await search.files(name, spec);
  return search.found ? 0 : 1;
}

function expression(text: string, given: Args): Matcher {
  const ignoreCase = given.has("ignore-case");
  const whole = given.has("word-regexp") ? "word" : undefined;
  try {
    if (given.has("perl-regexp")) return compilePerl(text, { ignoreCase, whole });
    const source = given.has("fixed-strings") ? text.replace(/[\\^$.*[\]]/g, "\\$&") : text;
    return compileRegex(source, { extended: given.has("extended-regexp"), ignoreCase, whole });
  } catch (error) {
    if (error instanceof RegexError) throw new GitError(`invalid pattern: ${text}`);
    throw error;
  }
}

class Search {
  found = false;

  constructor(private readonly repo: Repo, private readonly given: Args, private readonly patterns: Matcher[]) {}

  async files(revision: string | undefined, spec: Pathspec): Promise<void> {
    const { repo } = this;
    const flat = revision === undefined
      ? new Map([...(await repo.index()).entries].sort(([a], [b]) => a < b ? -1 : 1))
      : await flattenTree(repo, await treeOf(repo, revision), spec);
    for (const [path, item] of flat) {
      checkInterrupt(repo.call.ctx);
      if (!spec.matches(path) || (item.mode & 0o170000) !== 0o100000 || repo.call.closed) continue;
      const data = revision === undefined && !this.given.has("cached")
        ? await this.#work(path)
        : await repo.objects.blob(item.oid);
      const seen = this.given.has("full-name") ? path : relativePath(repo.prefix, path);
      if (data) this.#show(revision === undefined ? seen : `${revision}:${seen}`, data);
    }
  }

  async #work(path: string): Promise<Uint8Array | undefined> {
    const stat = await statFile(this.repo, path);
    return stat && await readWork(this.repo, path, stat);
  }

  #show(name: string, data: Uint8Array): void {
    const lines = decodeText(fromArray(data)).split("\n");
    if (lines.at(-1) === "") lines.pop();
    const wanted = (line: string) => this.patterns.some((each) => each.test(line)) !== this.given.has("invert-match");
    const hits = lines.flatMap((line, i) => wanted(line) ? [i] : []);
    this.found ||= hits.length > 0;
    const { call } = this.repo;
    const shown = quotePath(name);
    const has = (option: string) => this.given.has(option);
    if (has("quiet")) return;
    if (has("files-without-match")) return hits.length === 0 ? call.bytes(`${shown}\n`) : undefined;
    if (hits.length === 0) return;
    if (has("files-with-matches")) return call.bytes(`${shown}\n`);
    if (has("count")) return call.bytes(`${shown}:${hits.length}\n`);
    if (isBinary(data) && !has("text")) return has("I") ? undefined : call.bytes(`Binary file ${shown} matches\n`);
    for (const i of hits) call.bytes(this.#line(shown, i, lines[i]));
  }

  #line(name: string, i: number, line: string): string {
    const head = (this.given.has("h") ? "" : `${name}:`) + (this.given.has("line-number") ? `${i + 1}:` : "");
    if (!this.given.has("only-matching")) return `${head}${encodeText(line)}\n`;
    const parts = this.patterns.flatMap((each) => listMatches(each, line));
    return parts.map((text) => `${head}${encodeText(text)}\n`).join("");
  }
}

function listMatches(matcher: Matcher, line: string): string[] {
  const found: string[] = [];
  for (let at = 0; at <= line.length;) {
    const match = matcher.find(line, at);
    if (!match) break;
    if (match.end > match.start) found.push(line.slice(match.start, match.end));
    at = Math.max(match.end, match.start + 1);
  }
  return found;
}
