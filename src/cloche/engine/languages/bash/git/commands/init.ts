/** git init. */
import { GitError, parseArgs } from "../options.ts";
import type { Call } from "../call.ts";
import { Repo } from "../repository/repository.ts";

const DESCRIPTION = "Unnamed repository; edit this file 'description' to name the repository.\n";

export async function runInit(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "quiet,q initial-branch,b= bare template= object-format= shared=?");
  if ((given.get("object-format") ?? "sha1") !== "sha1") {
    throw new GitError("only sha1 repositories are supported here");
  }
  const [name = "."] = given.everything;
  const folder = call.path(name);
  const bare = given.has("bare");
  const gitdir = bare ? folder : `${folder}/.git`;
  const existed = await call.ctx.fs.exists(`${gitdir}/HEAD`);
  await makeRepository(call, folder, bare, given.get("initial-branch"));
  if (!given.has("quiet")) {
    call.out(`${existed ? "Reinitialized existing" : "Initialized empty"} Git repository in ${gitdir}/\n`);
  }
  return 0;
}

/** Makes the files of an empty repository; one that exists is left as it is. */
export async function makeRepository(call: Call, folder: string, bare: boolean, branch?: string): Promise<Repo> {
  const { fs } = call.ctx;
  const gitdir = bare ? folder : `${folder}/.git`;
  const first = branch ?? (await call.config()).get("init.defaultbranch") ?? "main";
  if (/[\s~^:?*[\\]|\.\.|^[-/]|[/.]$/.test(first)) throw new GitError(`invalid initial branch name: '${first}'`);
  for (const path of ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"]) {
    await fs.mkdir(`${gitdir}/${path}`, { recursive: true });
  }
  const settings = ["repositoryformatversion = 0", "filemode = true", `bare = ${bare}`];
  if (!bare) settings.push("logallrefupdates = true");
  const files = {
    HEAD: `ref: refs/heads/${first}\n`,
    config: `[core]\n${settings.map((line) => `\t${line}\n`).join("")}`,
    description: DESCRIPTION,
    "info/exclude": "# Files that are ignored in this copy only, one pattern a line.\n",
  };
  for (const [path, text] of Object.entries(files)) {
    if (!await fs.exists(`${gitdir}/${path}`)) await fs.writeFile(`${gitdir}/${path}`, text);
  }
  return await Repo.open(call, gitdir, bare ? undefined : folder);
}
