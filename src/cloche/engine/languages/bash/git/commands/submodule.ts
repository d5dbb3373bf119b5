/** What there is of git submodule: its state is shown, nothing is fetched. */
import { GitError, parseArgs } from "../options.ts";
import type { Call } from "../call.ts";
import { describeHead } from "./history/describe.ts";
import { MODULE } from "../repository/objects.ts";
import { Repo } from "../repository/repository.ts";

export async function runSubmodule(call: Call, args: string[]): Promise<number> {
  const repo = await Repo.find(call);
  const words = args.filter((word) => !/^(-q|--quiet)$/.test(word));
  const [verb = "status", ...rest] = words[0]?.startsWith("-") ? ["status", ...words] : words;
  if (verb !== "status") {
    throw new GitError(
      `submodule ${verb} is not supported here: submodules are shown but not fetched; clone them yourself`,
    );
  }
  const given = parseArgs(rest, "cached recursive quiet,q");
  for (const { path, oid, mode } of (await repo.index()).all()) {
    if (mode === MODULE) call.out(`${await stateOf(repo, path, oid, given.has("cached"))}\n`);
  }
  return 0;
}

/** `-` for one that is not there, `+` for one that is at another commit than the index says. */
async function stateOf(repo: Repo, path: string, oid: string, cached: boolean): Promise<string> {
  const { call } = repo;
  const folder = repo.file(path);
  if (!await call.ctx.fs.exists(`${folder}/.git`)) return `-${oid} ${path}`;
  const cwd = call.cwd;
  call.cwd = folder;
  try {
    const inner = await Repo.find(call);
    const head = await inner.head();
    if (head === undefined) return `-${oid} ${path}`;
    const shown = cached ? oid : head;
    return `${head === oid ? " " : "+"}${shown} ${path} (${await describeHead(inner)})`;
  } finally {
    call.cwd = cwd;
  }
}
