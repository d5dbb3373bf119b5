/** git format-patch: commits as mails. */
import { encodeText, toArray } from "../../../text/byte_strings.ts";
import { type Args, GitError, parseArgs } from "../../options.ts";
import type { Call } from "../../call.ts";
import { personFor } from "../../people.ts";
import { signMessage } from "../commit.ts";
import { splitWords } from "../diff.ts";
import { readRanges } from "../log.ts";
import type { Commit } from "../../repository/objects.ts";
import { Pathspec } from "../../repository/pathspec.ts";
import { Repo } from "../../repository/repository.ts";
import { diffTrees } from "../../repository/trees.ts";
import { walkHistory } from "../../repository/history_walk.ts";
import { ChangePrinter, modeLines, SHOWING } from "../../text/changes.ts";
import { bodyOf, dateText, renderCommit, subjectOf } from "../../text/commit_format.ts";
import { isAscii, renderHeader } from "../../text/mail.ts";

const OPTIONS = `${SHOWING} max-count,count= output-directory,o= stdout cover-letter no-cover-letter numbered,n ` +
  "no-numbered,N start-number= subject-prefix= rfc reroll-count,v= signoff,s always keep-subject,k signature= no-signature " +
  "suffix= zero-commit root no-stat to= cc= no-to no-cc no-binary from=? no-from force-in-body-from base= " +
  "in-reply-to= thread=? no-thread attach=? inline=? no-attach interdiff= range-diff= creation-factor= notes=? no-notes " +
  "ignore-if-in-upstream quiet first-parent no-merges encode-email-headers progress";
const REFUSED = ["in-reply-to", "thread", "attach", "inline", "interdiff", "range-diff", "base"];
const VERSION = "2.39.5";

export async function runFormatPatch(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  for (const name of REFUSED) if (given.has(name)) throw new GitError(`format-patch --${name} is not supported here`);
  const repo = await Repo.find(call);
  const commits = await findCommits(repo, given);
  const series = new Series(repo, given, commits);
  const folder = given.get("output-directory");
  if (folder !== undefined && !given.has("stdout")) await call.ctx.fs.mkdir(call.path(folder), { recursive: true });
  const put = async (name: string, text: string) => {
    if (given.has("stdout")) return call.bytes(text);
    const path = folder === undefined ? name : `${folder.replace(/\/$/, "")}/${name}`;
    await call.ctx.fs.writeFile(call.path(path), toArray(text));
    if (!given.has("quiet")) call.out(`${path}\n`);
  };
  if (given.has("cover-letter") && commits.length > 0) {
    await put(series.fileName(0, "cover letter"), await series.cover());
  }
  for (const [i, commit] of commits.entries()) {
    await put(series.fileName(i + 1, subjectOf(commit.message)), await series.mail(commit, i + 1));
  }
  return 0;
}

async function findCommits(repo: Repo, given: Args): Promise<Commit[]> {
  const { revisions, paths } = await splitWords(repo, given.words, given.after);
  const limit = given.number("max-count", Infinity);
  const [only, ...more] = revisions;
  const single = only !== undefined && more.length === 0 && !/\.\.|^\^/.test(only) && !given.has("root") &&
    limit === Infinity;
  const words = single ? [`${only}..HEAD`] : revisions;
  if (words.length === 0 && limit === Infinity && !given.has("root")) return [];
  const spec = new Pathspec(repo, paths);
  const commits: Commit[] = [];
  const ranges = await readRanges(repo, words, given);
  for await (const commit of walkHistory(repo, { ...ranges, spec, firstParent: given.has("first-parent") })) {
    if (commits.length >= limit) break;
    if (commit.parents.length < 2) commits.push(commit);
  }
  return commits.reverse();
}

class Series {
  readonly #start: number;
  readonly #numbered: boolean;

  constructor(private readonly repo: Repo, private readonly given: Args, private readonly commits: Commit[]) {
    this.#start = given.number("start-number", 1);
    const many = commits.length > 1 || given.has("cover-letter");
    this.#numbered = given.has("numbered") || many && !given.has("no-numbered") && !given.has("keep-subject");
  }

  fileName(number: number, subject: string): string {
    const count = this.#start + number - 1;
    const version = this.given.get("reroll-count");
    const head = `${version === undefined ? "" : `v${version}-`}${
      String(Math.max(0, number === 0 ? 0 : count)).padStart(4, "0")
    }`;
    const title = subject.replace(/[^\w.]+/g, "-").replace(/\.{2,}/g, ".").replace(/^-+|[-.]+$/g, "");
    const suffix = this.given.get("suffix") ?? ".patch";
    return `${`${head}-${title}`.slice(0, 64 - suffix.length - 1)}${suffix}`;
  }

  #prefix(number: number): string {
    if (this.given.has("keep-subject")) return "";
    const word = this.given.get("subject-prefix") ?? (this.given.has("rfc") ? "RFC PATCH" : "PATCH");
    const version = this.given.get("reroll-count");
    const last = this.#start + this.commits.length - 1;
    const place = this.#start + number - 1;
    const shown = number === 0 ? 0 : place;
    const count = this.#numbered ? `${String(shown).padStart(String(last).length, "0")}/${last}` : "";
    const parts = [word, version === undefined ? "" : `v${version}`, count].filter(Boolean).join(" ");
    return parts === "" ? "" : `[${parts}] `;
  }

  #head(oid: string, from: Commit["author"], number: number, subject: string, plain: boolean): string {
    const lines = [
      `From ${this.given.has("zero-commit") ? "0".repeat(40) : oid} Mon Sep 17 00:00:00 2001`,
      `${renderHeader("From", "", from.name)} <${from.email}>`,
      `Date: ${dateText(from, "rfc")}`,
      renderHeader("Subject", this.#prefix(number), subject),
    ];
    if (!plain) {
      lines.push("MIME-Version: 1.0", "Content-Type: text/plain; charset=UTF-8", "Content-Transfer-Encoding: 8bit");
    }
    const list = (name: string, people: string[]) => people.length === 0 ? [] : [`${name}: ${people.join(",\n    ")}`];
    lines.push(...list("To", this.given.all("to")), ...list("Cc", this.given.all("cc")));
    return lines.join("\n") + "\n";
  }

  #end(): string {
    if (this.given.has("no-signature")) return "\n";
    return `-- \n${this.given.get("signature") ?? VERSION}\n\n`;
  }

  async mail(commit: Commit, number: number): Promise<string> {
    const { repo, given } = this;
    const message = given.has("signoff") ? signMessage(repo, commit.message) : commit.message;
    const [subject, body] = [subjectOf(message), bodyOf(message).trimEnd()];
    const head = this.#head(commit.oid, commit.author, number, subject, isAscii(message));
    const parent = commit.parents[0];
    const before = parent === undefined ? undefined : (await repo.objects.commit(parent)).tree;
    const printer = new ChangePrinter(repo, given);
    const changes = await printer.findRenames(await diffTrees(repo, before, commit.tree));
    if (changes.length === 0 && !given.has("always")) return "";
    const patch = await printer.patches(changes);
    const binary = patch.match(/^Binary files .* and b?\/?(.*) differ$/m);
    if (binary && !given.has("no-binary")) {
      throw new GitError(`a patch of a binary file cannot be written here: ${binary[1]}`);
    }
    const stat = given.has("no-stat") ? "" : `---\n${await printer.stat(changes)}${modeLines(changes)}`;
    const middle = stat === "" ? "" : `${stat}${patch === "" ? "" : "\n"}`;
    return encodeText(`${head}\n${body === "" ? "" : `${body}\n`}`) + middle + patch + encodeText(this.#end());
  }

  async cover(): Promise<string> {
    const { repo, commits } = this;
    const last = commits[commits.length - 1];
    const [first] = commits;
    const plain = commits.every(({ message }) => isAscii(message));
    const from = personFor(repo.call, repo.config, "COMMITTER");
    const head = this.#head(last.oid, from, 0, "*** SUBJECT HERE ***", plain);
    const groups = new Map<string, string[]>();
    for (const commit of commits) {
      const { name } = commit.author;
      groups.set(name, [
        ...groups.get(name) ?? [],
        renderCommit("%s", { commit, refs: "", date: "", abbreviate: false }),
      ]);
    }
    const list = [...groups].sort(([a], [b]) => a < b ? -1 : 1).map(([name, lines]) =>
      `${name} (${lines.length}):\n${lines.map((line) => `  ${line}\n`).join("")}\n`
    ).join("");
    const before = first.parents[0] === undefined ? undefined : (await repo.objects.commit(first.parents[0])).tree;
    const printer = new ChangePrinter(repo, this.given);
    const changes = await printer.findRenames(await diffTrees(repo, before, last.tree));
    const stat = await printer.stat(changes) + modeLines(changes);
    return encodeText(`${head}\n*** BLURB HERE ***\n\n${list}`) + stat + encodeText(`\n${this.#end()}`);
  }
}
