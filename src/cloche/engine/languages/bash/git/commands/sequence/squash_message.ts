/** The message of commits that a rebase makes one. */
import { subjectOf } from "../../text/commit_format.ts";
import type { Commit } from "../../repository/objects.ts";
import type { RebaseState } from "./rebase_state.ts";
import type { Step } from "./todo.ts";

/** Adds a commit to those that are being made one, and returns the message so far. */
export async function combineMessages(state: RebaseState, step: Step, head: Commit, picked: Commit): Promise<string> {
  const before = (await state.read("current-fixups") ?? "").split("\n").filter(Boolean);
  const steps = [...before, `${step.verb} ${step.oid}`];
  await state.write("current-fixups", steps.map((line) => line + "\n").join(""));
  if (step.verb === "fixup" && step.flag !== undefined) {
    const text = picked.message.replace(/^amend! .*\n+/, "");
    await state.remove("message-squash");
    return text;
  }
  const onlyFixups = steps.every((line) => line.startsWith("fixup"));
  const kept = await state.read("message-squash");
  const first = head.message;
  const body = kept === undefined
    ? `# This is the 1st commit message:\n\n${first.trimEnd()}\n`
    : kept.slice(kept.indexOf("\n") + 1);
  const number = steps.length + 1;
  const all = `# This is a combination of ${number} commits.\n${body}\n${section(step, picked, number)}`;
  await state.write("message-squash", all);
  return onlyFixups ? first : all;
}

function section(step: Step, picked: Commit, number: number): string {
  const text = picked.message.trimEnd();
  const commented = (part: string) => part.split("\n").map((line) => line === "" ? "#" : `# ${line}`).join("\n");
  if (step.verb === "fixup") return `# The commit message #${number} will be skipped:\n\n${commented(text)}\n`;
  const marked = /^(squash|fixup|amend)! /.test(subjectOf(text));
  const [subject, ...rest] = text.split("\n");
  const shown = marked ? [commented(subject), ...rest].join("\n") : text;
  return `# This is the commit message #${number}:\n\n${shown}\n`;
}
