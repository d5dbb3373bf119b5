/** Carries out the steps of a rebase one after the other. */
import { GitError, parseArgs, usageError } from "../../options.ts";
import { ChangePrinter } from "../../text/changes.ts";
import { subjectOf } from "../../text/commit_format.ts";
import { cleanMessage, editMessage, EMPTY_PICK, reportCommit } from "../commit.ts";
import { printLong, readState } from "../status.ts";
import { checkInterrupt } from "../../../just_bash/command.ts";
import { findEditor, runScript } from "../../editor.ts";
import type { Commit } from "../../repository/objects.ts";
import type { Repo } from "../../repository/repository.ts";
import { diffTrees, writeIndexTree } from "../../repository/trees.ts";
import { resetHard } from "../../repository/worktree_files.ts";
import { note, store } from "./merge.ts";
import type { RebaseState } from "./rebase_state.ts";
import { replayCommit } from "./replay.ts";
import { combineMessages } from "./squash_message.ts";
import { renderStep, type Step } from "./todo.ts";

const MELDING = new Set(["squash", "fixup"]);

export class RebaseRun {
  constructor(private readonly repo: Repo, private readonly state: RebaseState) {}

  /** Goes on until everything is done or something stops it; returns the exit code, undefined when all is done. */
  async run(): Promise<number | undefined> {
    const { state, repo } = this;
    const quiet = await state.read("quiet") !== undefined;
    for (let steps = await state.steps(); steps.length > 0; steps = await state.steps()) {
      checkInterrupt(repo.call.ctx);
      const [step, ...rest] = steps;
      await state.writeSteps(rest);
      await state.write("done", `${await state.read("done") ?? ""}${renderStep(step)}\n`);
      const number = await state.doneCount();
      await state.write("msgnum", `${number}\n`);
      await state.write("end", `${number + rest.length}\n`);
      if (!quiet && step.verb !== "drop") repo.call.err(`Rebasing (${number}/${number + rest.length})\r`);
      const code = await this.#take(step, rest);
      if (code !== undefined) return code;
    }
    return undefined;
  }

  async #take(step: Step, rest: Step[]): Promise<number | undefined> {
    if (step.verb === "drop") return undefined;
    if (step.verb === "break") return await this.#stopAtBreak();
    if (step.verb === "exec") return await this.#execute(step.rest);
    const picked = await this.repo.objects.commit(step.oid);
    const head = await this.#head();
    if (!MELDING.has(step.verb) && picked.parents[0] === head.oid && await this.state.read("force") === undefined) {
      await resetHard(this.repo, picked.tree);
      await this.repo.moveHead(picked.oid, "rebase: fast-forward");
      return await this.#after(step, picked);
    }
    return await this.#pick(step, picked, head, rest);
  }

  async #head(): Promise<Commit> {
    return await this.repo.objects.commit(await this.repo.head() ?? "");
  }

  async #pick(step: Step, picked: Commit, head: Commit, rest: Step[]): Promise<number | undefined> {
    const { repo, state } = this;
    const { outcome, index } = await replayCommit(repo, { picked, onto: head, verb: "rebase" });
    const melding = MELDING.has(step.verb);
    const message = melding ? await combineMessages(state, step, head, picked) : picked.message;
    if (outcome.conflicts.length > 0) {
      return await this.#stopAtConflict(step, picked, message, outcome.conflicts.map(({ path }) => path), head);
    }
    const tree = await writeIndexTree(repo, index);
    const [parent] = picked.parents;
    const started = parent !== undefined && (await repo.objects.commit(parent)).tree === picked.tree;
    if (!melding && tree === head.tree && !started) return await this.#meetEmpty(picked, message);
    if (melding) return await this.#meld(step, picked, head, tree, message, rest);
    const oid = await store(repo, tree, [head.oid], message, picked.author);
    await repo.moveHead(oid, `rebase (${step.verb}): ${subjectOf(message)}`);
    return await this.#after(step, await repo.objects.commit(oid));
  }

  /** A change that is there already is left out, unless the list was the user's own. */
  async #meetEmpty(picked: Commit, message: string): Promise<number | undefined> {
    const { repo, state } = this;
    if (await state.read("drop_redundant_commits") !== undefined) {
      repo.call.err(`dropping ${picked.oid} ${subjectOf(picked.message)} -- patch contents already upstream\n`);
      return undefined;
    }
    if (await state.read("keep_redundant_commits") !== undefined) {
      const head = await this.#head();
      const oid = await store(repo, head.tree, [head.oid], message, picked.author);
      await repo.moveHead(oid, `rebase (pick): ${subjectOf(message)}`);
      return undefined;
    }
    await note(repo, "CHERRY_PICK_HEAD", picked.oid, message, []);
    await this.#noteStop(picked, message);
    repo.call.err(EMPTY_PICK.replace("git cherry-pick --skip", "git rebase --skip"));
    repo.call.out(await printLong(await readState(repo, "normal")));
    repo.call.err(`Could not apply ${picked.oid.slice(0, 7)}... ${subjectOf(picked.message)}\n`);
    return 1;
  }

  async #meld(step: Step, picked: Commit, head: Commit, tree: string, message: string, rest: Step[]) {
    const { repo, state } = this;
    const final = !MELDING.has(rest.find(({ verb }) => verb !== "drop")?.verb ?? "");
    const edited = (await state.read("current-fixups") ?? "").includes("squash") || step.flag === "-c";
    let text = message;
    if (final && edited) {
      const editor = await findEditor(repo.call);
      try {
        if (editor !== undefined) {
          text = await editMessage(repo, editor, message, await repo.index(), { amended: head, dated: head });
        }
      } catch (error) {
        if (!(error instanceof GitError)) throw error;
        await this.#noteStop(picked, message);
        await state.write("amend", `${head.oid}\n`);
        repo.call.err(
          `error: ${error.message}\nCould not apply ${picked.oid.slice(0, 7)}... ${subjectOf(picked.message)}\n`,
        );
        return 1;
      }
    }
    const clean = final || !edited ? cleanMessage(text.replace(/^#.*\n?/gm, "")) : text;
    const oid = await store(repo, tree, head.parents, clean, head.author);
    await repo.moveHead(oid, `rebase (${step.verb}): ${subjectOf(cleanMessage(text.replace(/^#.*\n?/gm, "")))}`);
    if (!final) return undefined;
    await state.remove("current-fixups", "message-squash", "message-fixup");
    if (edited) await this.#report(oid, true);
    return undefined;
  }

  async #report(oid: string, dated: boolean): Promise<void> {
    const made = await this.repo.objects.commit(oid);
    const [parent] = made.parents;
    const before = parent === undefined ? undefined : (await this.repo.objects.commit(parent)).tree;
    await reportCommit(this.repo, made, before, false, dated);
  }

  /** What is done once a commit is made: an edit stops, a reword asks for another message. */
  async #after(step: Step, made: Commit): Promise<number | undefined> {
    const { repo, state } = this;
    if (step.verb === "reword") {
      const editor = await findEditor(repo.call);
      if (editor === undefined) return undefined;
      const message = cleanMessage(
        await editMessage(repo, editor, made.message, await repo.index(), {
          amended: made,
          dated: made,
        }),
      );
      if (message === "") throw new GitError("Aborting commit due to empty commit message.", 1, "");
      const oid = await store(repo, made.tree, made.parents, message, made.author);
      await repo.moveHead(oid, `rebase (reword): ${subjectOf(message)}`);
      await this.#report(oid, true);
    }
    if (step.verb !== "edit") return undefined;
    await this.#noteStop(await repo.objects.commit(step.oid), made.message);
    await state.write("amend", `${made.oid}\n`);
    this.#clearLine();
    repo.call.err(
      `Stopped at ${step.oid.slice(0, 7)}...  ${step.rest}\nYou can amend the commit now, with\n\n` +
        "  git commit --amend \n\nOnce you are satisfied with your changes, run\n\n  git rebase --continue\n",
    );
    return 0;
  }

  #clearLine(): void {
    this.repo.call.err(clearLine(this.repo));
  }

  async #stopAtBreak(): Promise<number> {
    const { oid, message } = await this.#head();
    this.#clearLine();
    this.repo.call.err(`Stopped at ${oid.slice(0, 7)} (${subjectOf(message)})\n`);
    return 0;
  }

  async #execute(command: string): Promise<number | undefined> {
    const { repo } = this;
    this.#clearLine();
    repo.call.err(`Executing: ${command}\n`);
    const code = await runScript(repo.call, command, repo.top);
    if (code === 0) return undefined;
    repo.call.err(
      `warning: execution failed: ${command}\nYou can fix the problem, and then run\n\n  git rebase --continue\n\n\n`,
    );
    return 1;
  }

  async #noteStop(picked: Commit, message: string): Promise<void> {
    const { state, repo } = this;
    await state.setAuthor(picked.author);
    await state.write("message", `${message}\n`);
    await state.write("stopped-sha", `${picked.oid}\n`);
    const parent = picked.parents[0];
    const before = parent === undefined ? undefined : (await repo.objects.commit(parent)).tree;
    const printer = new ChangePrinter(repo, parseArgs(["-p"], "patch,p unified="));
    await state.write("patch", await printer.show(await diffTrees(repo, before, picked.tree)));
    await repo.setRef("REBASE_HEAD", picked.oid);
  }

  async #stopAtConflict(step: Step, picked: Commit, message: string, paths: string[], head: Commit): Promise<number> {
    const { repo, state } = this;
    await note(repo, "CHERRY_PICK_HEAD", picked.oid, message, paths);
    await this.#noteStop(picked, message);
    if (MELDING.has(step.verb)) {
      await repo.removeNotes("CHERRY_PICK_HEAD");
      await state.write("amend", `${head.oid}\n`);
      await state.setAuthor(head.author);
    }
    const name = `${picked.oid.slice(0, 7)}... ${subjectOf(picked.message)}`;
    const hint = "hint: Resolve all conflicts manually, mark them as resolved with\n" +
      'hint: "git add/rm <conflicted_files>", then run "git rebase --continue".\n' +
      'hint: You can instead skip this commit: run "git rebase --skip".\n' +
      'hint: To abort and get back to the state before "git rebase", run "git rebase --abort".\n';
    throw usageError(`could not apply ${name}\n${hint}Could not apply ${name}`);
  }
}

/** What takes away a line such as `Rebasing (1/3)`. */
export function clearLine(repo: Repo): string {
  const term = repo.call.env("TERM") ?? "dumb";
  return term === "dumb" || term === "" ? `\r${" ".repeat(80)}\r` : "\r\x1b[K";
}
