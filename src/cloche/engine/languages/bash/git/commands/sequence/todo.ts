/** The list of what a rebase does, as git writes it and as a user may change it. */
import { usageError } from "../../options.ts";
import { subjectOf } from "../../text/commit_format.ts";
import type { Commit } from "../../repository/objects.ts";
import type { Repo } from "../../repository/repository.ts";
import { findRevision, peelObject } from "../../repository/revision.ts";

export interface Step {
  verb: string;
  /** The commit, or "" for steps without. */
  oid: string;
  /** What follows: the subject, or the command line. */
  rest: string;
  /** For fixup: whether its own message is taken (-C), or edited (-c). */
  flag?: string;
}

const SHORT: Record<string, string> = {
  ...{ p: "pick", r: "reword", e: "edit", s: "squash", f: "fixup" },
  ...{ x: "exec", b: "break", d: "drop", l: "label", t: "reset", m: "merge", u: "update-ref" },
};
const WITH_COMMIT = new Set(["pick", "reword", "edit", "squash", "fixup", "drop"]);
const UNSUPPORTED = new Set(["label", "reset", "merge", "update-ref"]);

export const HELP = `# Commands:
# p, pick <commit> = use commit
# r, reword <commit> = use commit, but edit the commit message
# e, edit <commit> = use commit, but stop for amending
# s, squash <commit> = use commit, but meld into previous commit
# f, fixup [-C | -c] <commit> = like "squash" but keep only the previous
#                    commit's log message, unless -C is used, in which case
#                    keep only this commit's message; -c is same as -C but
#                    opens the editor
# x, exec <command> = run command (the rest of the line) using shell
# b, break = stop here (continue rebase later with 'git rebase --continue')
# d, drop <commit> = remove commit
# l, label <label> = label current HEAD with a name
# t, reset <label> = reset HEAD to a label
# m, merge [-C <commit> | -c <commit>] <label> [# <oneline>]
#         create a merge commit using the original merge commit's
#         message (or the oneline, if no original merge commit was
#         specified); use -c <commit> to reword the commit message
# u, update-ref <ref> = track a placeholder for the <ref> to be updated
#                       to this position in the new commits. The <ref> is
#                       updated at the end of the rebase
#
# These lines can be re-ordered; they are executed from top to bottom.
#
# If you remove a line here THAT COMMIT WILL BE LOST.
#
`;

/** A step for a commit. */
export function stepOf({ oid, message }: Commit, verb = "pick"): Step {
  return { verb, oid, rest: subjectOf(message) };
}

export function renderStep({ verb, oid, rest, flag }: Step, digits = 40): string {
  return [verb, flag ?? "", oid.slice(0, digits), rest].filter(Boolean).join(" ");
}

export function renderSteps(steps: Step[], digits = 40): string {
  return steps.map((step) => renderStep(step, digits) + "\n").join("");
}

/** Reads a list; a line that makes no sense is an error that names it. */
export async function parseSteps(repo: Repo, text: string, first = false): Promise<Step[]> {
  const steps: Step[] = [];
  const errors: string[] = [];
  for (const [i, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#") || /^noop\b/.test(line)) continue;
    const step = await parseStep(repo, line);
    if (!step) errors.push(`invalid line ${i + 1}: ${line}`);
    else if (
      first && /^(squash|fixup)$/.test(step.verb) && !steps.some(({ verb }) => WITH_COMMIT.has(verb) && verb !== "drop")
    ) {
      errors.push(`cannot '${step.verb}' without a previous commit`);
    } else steps.push(step);
  }
  if (errors.length > 0) throw usageError(errors.join("\nerror: "));
  return steps;
}

async function parseStep(repo: Repo, line: string): Promise<Step | undefined> {
  const [, word, rest] = line.match(/^(\S+)\s*(.*)$/) ?? ["", "", ""];
  const verb = SHORT[word] ?? word;
  if (UNSUPPORTED.has(verb)) throw usageError(`rebase: '${verb}' is not supported here`);
  if (verb === "break") return { verb, oid: "", rest: "" };
  if (verb === "exec") return rest === "" ? undefined : { verb, oid: "", rest };
  if (!WITH_COMMIT.has(verb)) return undefined;
  const [, flag, name, subject] = rest.match(/^(?:(-[cC])\s+)?(\S+)\s*(.*)$/) ?? [];
  if (name === undefined || flag !== undefined && verb !== "fixup") return undefined;
  const found = await findRevision(repo, name);
  const oid = found && await peelObject(repo, found, "commit");
  return oid === undefined ? undefined : { verb, oid, rest: subject, flag };
}

/** Moves commits that say `fixup! subject` and the like to the commit that they are for. */
export function autosquash(steps: Step[]): Step[] {
  const groups: Step[][] = [];
  for (const step of steps) {
    const [, kind] = step.rest.match(/^(fixup|squash|amend)! /) ?? [];
    const wanted = step.rest.replace(/^(?:(?:fixup|squash|amend)! )+/, "");
    const target = kind === undefined
      ? undefined
      : groups.find(([first]) =>
        first.rest === wanted || first.rest.startsWith(wanted) || wanted.length >= 4 && first.oid.startsWith(wanted)
      );
    if (!target) groups.push([step]);
    else if (kind === "amend") target.push({ ...step, verb: "fixup", flag: "-C" });
    else target.push({ ...step, verb: kind });
  }
  return groups.flat();
}
