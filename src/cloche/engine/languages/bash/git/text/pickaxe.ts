/** `log -S` and `log -G`: the changes in which a string or a line that matches comes or goes. */
import { encodeText, fromArray } from "../../text/byte_strings.ts";
import { checkInterrupt } from "../../just_bash/command.ts";
import { type Args, GitError } from "../options.ts";
import type { Repo } from "../repository/repository.ts";
import type { Change } from "../repository/trees.ts";
import { readItem } from "../repository/worktree_scan.ts";
import { compareTexts } from "./hunks.ts";

/** Tells whether a change of contents is wanted. */
type Test = (before: string, after: string) => boolean;

/** Selects changes as the options say; undefined if they say nothing. */
export function readPickaxe(given: Args): ((repo: Repo, changes: Change[]) => Promise<Change[]>) | undefined {
  const tests = [...given.all("S").map((text) => countTest(text, given)), ...given.all("G").map(lineTest)];
  if (tests.length === 0) return undefined;
  if (tests.length > 1) throw new GitError("options '-G' and '-S' cannot be used together");
  return (repo, changes) => select(repo, changes, tests[0], given.has("pickaxe-all"));
}

function compile(text: string, flags: string): RegExp {
  try {
    return new RegExp(encodeText(text), flags);
  } catch {
    throw new GitError(`invalid regex: ${text}`);
  }
}

function countTest(text: string, given: Args): Test {
  if (given.has("pickaxe-regex")) {
    const pattern = compile(text, "gm");
    return (before, after) => [...before.matchAll(pattern)].length !== [...after.matchAll(pattern)].length;
  }
  const bytes = encodeText(text);
  return (before, after) => before.split(bytes).length !== after.split(bytes).length;
}

function lineTest(text: string): Test {
  const pattern = compile(text, "");
  return (before, after) => {
    const { from, to, changes } = compareTexts(before, after);
    return changes.some((change) =>
      from.lines.slice(...change.from).some((line) => pattern.test(line)) ||
      to.lines.slice(...change.to).some((line) => pattern.test(line))
    );
  };
}

async function select(repo: Repo, changes: Change[], test: Test, all: boolean): Promise<Change[]> {
  const found: Change[] = [];
  for (const change of changes) {
    checkInterrupt(repo.call.ctx);
    const { path, from = path, old, new: fresh } = change;
    if (old?.oid === fresh?.oid) continue;
    const before = old ? fromArray(await readItem(repo, from, old)) : "";
    const after = fresh ? fromArray(await readItem(repo, path, fresh)) : "";
    if (test(before, after)) found.push(change);
  }
  return all && found.length > 0 ? changes : found;
}
