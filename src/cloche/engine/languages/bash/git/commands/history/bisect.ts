/** git bisect: finds the commit that brought a change, by halving. */
import { type Args, GitError, parseArgs, usageError } from "../../options.ts";
import type { Call } from "../../call.ts";
import { runCheckout } from "../checkout.ts";
import { runScript } from "../../editor.ts";
import type { Commit } from "../../repository/objects.ts";
import { Pathspec } from "../../repository/pathspec.ts";
import { Repo } from "../../repository/repository.ts";
import { commitOf, findRevision, peelObject } from "../../repository/revision.ts";
import { diffTrees } from "../../repository/trees.ts";
import { findAncestors, mergeBases, walkHistory } from "../../repository/history_walk.ts";
import { ChangePrinter, modeLines } from "../../text/changes.ts";
import { renderCommit, subjectOf } from "../../text/commit_format.ts";
import { chooseMiddle, countSteps } from "./bisect_choice.ts";

const FILES = [
  "BISECT_LOG",
  "BISECT_NAMES",
  "BISECT_START",
  "BISECT_TERMS",
  "BISECT_EXPECTED_REV",
  "BISECT_RUN",
  "BISECT_ANCESTORS_OK",
  "BISECT_FIRST_PARENT",
];
const USAGE = "usage: git bisect [help|start|bad|good|new|old|terms|skip|next|reset|visualize|view|replay|log|run]";

export async function runBisect(call: Call, args: string[]): Promise<number> {
  const [verb, ...rest] = args;
  if (verb === undefined) throw new GitError(USAGE, 1, "");
  const bisect = new Bisect(await Repo.find(call));
  if (verb === "start") return await bisect.start(rest);
  if (verb === "reset") return await bisect.reset(rest[0]);
  if (verb === "log") return await bisect.showLog();
  const [bad, good] = await bisect.terms();
  if (verb === "terms") return await bisect.showTerms(rest[0]);
  if (verb === "skip") return await bisect.mark("skip", rest);
  if (verb === "next") return await bisect.next();
  if (verb === "run") return await bisect.run(rest);
  if (verb === "replay" || verb === "visualize" || verb === "view") {
    throw new GitError(`bisect ${verb} is not supported here`);
  }
  if (verb === bad || verb === good || /^(good|bad|old|new)$/.test(verb)) return await bisect.markAs(verb, rest);
  throw usageError(`unknown subcommand: \`${verb}'\n${USAGE}`, 129);
}

class Bisect {
  constructor(private readonly repo: Repo) {}

  get #call(): Call {
    return this.repo.call;
  }

  /** The words for the new and the old state. */
  async terms(): Promise<[bad: string, good: string]> {
    const [bad = "bad", good = "good"] = (await this.repo.note("BISECT_TERMS") ?? "").split("\n").filter(Boolean);
    return [bad, good];
  }

  async #require(): Promise<void> {
    if (await this.repo.note("BISECT_START") === undefined) {
      throw new GitError('You need to start by "git bisect start"\n', 1, "");
    }
  }

  async #log(text: string): Promise<void> {
    await this.repo.writeNote("BISECT_LOG", `${await this.repo.note("BISECT_LOG") ?? ""}${text}\n`);
  }

  async start(args: string[]): Promise<number> {
    const { repo } = this;
    const given = parseArgs(args, "term-new,term-bad= term-old,term-good= no-checkout first-parent");
    if (given.has("no-checkout")) throw new GitError("bisect start --no-checkout is not supported here");
    const [revisions, paths] = await this.#split(given);
    const before = await repo.note("BISECT_START");
    const origin = before?.trim() ?? await repo.branchName() ?? await repo.head();
    if (origin === undefined) throw new GitError("bad HEAD - I need a HEAD");
    if (before !== undefined) {
      const code = await runCheckout(this.#call, ["-q", origin, "--"].slice(0, 2));
      if (code !== 0) return code;
    }
    await this.#clean();
    const terms = [given.get("term-new") ?? "bad", given.get("term-old") ?? "good"];
    await repo.writeNote("BISECT_START", `${origin}\n`);
    await repo.writeNote("BISECT_TERMS", `${terms[0]}\n${terms[1]}\n`);
    await repo.writeNote("BISECT_NAMES", `${paths.map((path) => ` '${path}'`).join("")}\n`);
    if (given.has("first-parent")) await repo.writeNote("BISECT_FIRST_PARENT", "");
    for (const [i, oid] of revisions.entries()) await this.#set(i === 0 ? terms[0] : terms[1], oid, i === 0);
    const quoted = args.map((word) => ` '${word.replaceAll("'", "'\\''")}'`).join("");
    await this.#log(`git bisect start${quoted}`);
    return await this.next();
  }

  async #split(given: Args): Promise<[revisions: string[], paths: string[]]> {
    const revisions: string[] = [];
    for (const [i, word] of given.words.entries()) {
      const found = await findRevision(this.repo, word);
      const oid = found && await peelObject(this.repo, found, "commit");
      if (oid === undefined) {
        if (given.after !== undefined) throw new GitError(`'${word}' does not appear to be a valid revision`);
        return [revisions, given.words.slice(i)];
      }
      revisions.push(oid);
    }
    return [revisions, given.after ?? []];
  }

  /** Notes what a commit is. */
  async #set(term: string, oid: string, isBad: boolean): Promise<void> {
    const { repo } = this;
    await repo.setRef(isBad ? `refs/bisect/${term}` : `refs/bisect/${term}-${oid}`, oid);
    const { message } = await repo.objects.commit(oid);
    await this.#log(`# ${term}: [${oid}] ${subjectOf(message)}`);
  }

  async markAs(verb: string, names: string[]): Promise<number> {
    await this.#require();
    const [bad, good] = await this.terms();
    const known = [bad, good];
    const fresh = this.repo;
    if (!known.includes(verb)) {
      const marked = (await fresh.refs("refs/bisect")).length > 0;
      const pair = /^(old|new)$/.test(verb) ? ["new", "old"] : ["bad", "good"];
      if (marked || bad !== "bad") {
        throw usageError(`Invalid command: you're currently in a ${bad}/${good} bisect`);
      }
      await fresh.writeNote("BISECT_TERMS", `${pair[0]}\n${pair[1]}\n`);
    }
    return await this.mark(verb, names);
  }

  async mark(term: string, names: string[]): Promise<number> {
    await this.#require();
    const { repo } = this;
    const [bad] = await this.terms();
    const isBad = term === bad;
    if (isBad && names.length > 1) throw usageError(`'git bisect ${bad}' can take only one argument.`);
    const oids: string[] = [];
    for (const name of names.length > 0 ? names : ["HEAD"]) {
      if (/\.\./.test(name)) {
        const [from, to] = name.split("..");
        const [a, b] = [await commitOf(repo, from), await commitOf(repo, to || "HEAD")];
        for await (const { oid } of walkHistory(repo, { include: [b.oid], exclude: [a.oid] })) oids.push(oid);
        continue;
      }
      const found = await findRevision(repo, name);
      const oid = found && await peelObject(repo, found, "commit");
      if (oid === undefined) throw usageError(`Bad rev input: ${name}`);
      oids.push(oid);
    }
    for (const oid of oids) {
      await this.#set(term, oid, isBad);
      await this.#log(`git bisect ${term} ${oid}`);
    }
    return await this.next();
  }

  async #marked(): Promise<{ bad: string | undefined; goods: string[]; skipped: Set<string> }> {
    const [bad, good] = await this.terms();
    const refs = await this.repo.refs("refs/bisect");
    const goods = refs.filter((name) => name.startsWith(`${good}-`)).map((name) => name.slice(good.length + 1));
    const skipped = new Set(refs.filter((name) => name.startsWith("skip-")).map((name) => name.slice(5)));
    return { bad: await this.repo.ref(`refs/bisect/${bad}`), goods, skipped };
  }

  /** Checks out the next commit to test, or tells which one it was. */
  async next(): Promise<number> {
    await this.#require();
    const { repo } = this;
    const { bad, goods, skipped } = await this.#marked();
    if (bad === undefined || goods.length === 0) return await this.#wait(bad, goods);
    const base = await this.#untestedBase(bad, goods, skipped);
    if (base !== undefined) return base;
    const names = [...(await repo.note("BISECT_NAMES") ?? "").matchAll(/'([^']*)'/g)].map(([, name]) => `:/${name}`);
    const commits: Commit[] = [];
    const firstParent = await repo.note("BISECT_FIRST_PARENT") !== undefined;
    const spec = new Pathspec(repo, names);
    for await (const commit of walkHistory(repo, { include: [bad], exclude: goods, spec, firstParent })) {
      commits.push(commit);
    }
    if (commits.length === 0) {
      throw new GitError(`${bad} was both ${(await this.terms())[1]} and ${(await this.terms())[0]}\n`, 1, "");
    }
    const { chosen, reaches, tried } = chooseMiddle(commits, skipped);
    if (chosen === undefined || chosen.oid === bad && tried.length > 0) return await this.#onlySkipped(tried, bad);
    if (chosen.oid === bad) return await this.#found(bad);
    const left = commits.length - reaches - 1;
    const steps = countSteps(commits.length);
    this.#call.out(
      `Bisecting: ${left} revision${left === 1 ? "" : "s"} left to test after this ` +
        `(roughly ${steps} step${steps === 1 ? "" : "s"})\n`,
    );
    return await this.#visit(chosen);
  }

  async #visit({ oid, message }: Commit): Promise<number> {
    await this.repo.writeNote("BISECT_EXPECTED_REV", `${oid}\n`);
    const code = await runCheckout(this.#call, ["-q", oid]);
    if (code === 0) this.#call.out(`[${oid}] ${subjectOf(message)}\n`);
    return code;
  }

  async #wait(bad: string | undefined, goods: string[]): Promise<number> {
    const text = bad === undefined && goods.length === 0
      ? `waiting for both good and bad commits`
      : bad !== undefined
      ? `waiting for good commit(s), bad commit known`
      : `waiting for bad commit, ${goods.length} good commit${goods.length === 1 ? "" : "s"} known`;
    this.#call.out(`status: ${text}\n`);
    await this.#log(`# status: ${text}`);
    return 0;
  }

  /** Where the good ones are on another branch, what they have in common must be good. */
  async #untestedBase(bad: string, goods: string[], skipped: Set<string>): Promise<number | undefined> {
    const { repo } = this;
    if (await repo.note("BISECT_ANCESTORS_OK") !== undefined) return undefined;
    const behind = await findAncestors(repo, [bad]);
    for (const good of goods.filter((oid) => !behind.has(oid))) {
      for (const base of await mergeBases(repo, bad, good)) {
        const [badTerm, goodTerm] = await this.terms();
        if (base === bad) {
          throw usageError(
            `Some ${goodTerm} revs are not ancestors of the ${badTerm} rev.\ngit bisect cannot work properly in this case.\n` +
              `Maybe you mistook ${goodTerm} and ${badTerm} revs?`,
          );
        }
        if (goods.includes(base) || skipped.has(base)) continue;
        this.#call.out("Bisecting: a merge base must be tested\n");
        return await this.#visit(await repo.objects.commit(base));
      }
    }
    await repo.writeNote("BISECT_ANCESTORS_OK", "");
    return undefined;
  }

  async #onlySkipped(tried: Commit[], bad: string): Promise<number> {
    const [badTerm] = await this.terms();
    this.#call.out(`There are only 'skip'ped commits left to test.\nThe first ${badTerm} commit could be any of:\n`);
    for (const { oid } of tried) this.#call.out(`${oid}\n`);
    this.#call.out(`${bad}\nWe cannot bisect more!\n`);
    await this.#log("# only skipped commits left to test");
    for (const { oid, message } of [await this.repo.objects.commit(bad), ...tried]) {
      await this.#log(`# possible first ${badTerm} commit: [${oid}] ${subjectOf(message)}`);
    }
    return 2;
  }

  async #found(oid: string): Promise<number> {
    const { repo } = this;
    const [bad] = await this.terms();
    const commit = await repo.objects.commit(oid);
    this.#call.out(`${oid} is the first ${bad} commit\n`);
    this.#call.out(renderCommit("medium", { commit, refs: "", date: "default", abbreviate: false }));
    if (commit.parents.length < 2) {
      const [parent] = commit.parents;
      const printer = new ChangePrinter(repo, parseArgs([], "unified="));
      const before = parent && (await repo.objects.commit(parent)).tree;
      const changes = await printer.findRenames(await diffTrees(repo, before, commit.tree));
      this.#call.out("\n");
      this.#call.bytes(await printer.stat(changes) + modeLines(changes));
    }
    await this.#log(`# first ${bad} commit: [${oid}] ${subjectOf(commit.message)}`);
    this.#finished = true;
    return 0;
  }

  #finished = false;

  async run(words: string[]): Promise<number> {
    await this.#require();
    const { bad, goods } = await this.#marked();
    if (words.length === 0) throw usageError("bisect run failed: no command provided.");
    if (bad === undefined || goods.length === 0) return await this.#wait(bad, goods);
    const [badTerm, goodTerm] = await this.terms();
    const script = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    for (;;) {
      this.#call.out(`running  ${script.replaceAll("!", "'\\!'")}\n`);
      const code = await runScript(this.#call, script, this.repo.top);
      if (code >= 128) throw usageError(`bisect run failed: exit code ${code} from ${script} is < 0 or >= 128`);
      const verb = code === 125 ? "skip" : code === 0 ? goodTerm : badTerm;
      const result = await this.mark(verb, []);
      if (this.#finished) {
        this.#call.out("bisect found first bad commit");
        return 0;
      }
      if (result === 2) throw usageError("bisect run cannot continue any more", 2);
      if (result !== 0) return result;
    }
  }

  async showLog(): Promise<number> {
    const text = await this.repo.note("BISECT_LOG");
    if (text === undefined) throw usageError("We are not bisecting.");
    this.#call.out(text);
    return 0;
  }

  async showTerms(option: string | undefined): Promise<number> {
    if (await this.repo.note("BISECT_TERMS") === undefined) throw usageError("no terms defined");
    const [bad, good] = await this.terms();
    if (option === undefined) {
      this.#call.out(`Your current terms are ${good} for the old state\nand ${bad} for the new state.\n`);
    } else this.#call.out(`${/bad|new/.test(option) ? bad : good}\n`);
    return 0;
  }

  async reset(name: string | undefined): Promise<number> {
    const { repo } = this;
    const origin = (await repo.note("BISECT_START"))?.trim();
    if (origin === undefined) {
      this.#call.out("We are not bisecting.\n");
      return 0;
    }
    if (name !== undefined && await findRevision(repo, name) === undefined) {
      throw usageError(`'${name}' is not a valid commit`);
    }
    const code = await runCheckout(this.#call, ["--ignore-other-worktrees", name ?? origin]);
    if (code !== 0) return code;
    await this.#clean();
    return 0;
  }

  async #clean(): Promise<void> {
    for (const name of await this.repo.refs("refs/bisect")) await this.repo.deleteRef(`refs/bisect/${name}`);
    await this.repo.removeNotes(...FILES);
  }
}
