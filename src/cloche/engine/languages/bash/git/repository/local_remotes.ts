/** Repositories in other folders of the sandbox, as sources and targets of fetch and push. */
import { checkInterrupt } from "../../just_bash/command.ts";
import { GitError } from "../options.ts";
import type { Call } from "../call.ts";
import { Repo } from "./repository.ts";

export async function openLocal(call: Call, path: string, name: string): Promise<Repo> {
  for (const gitdir of [`${path}/.git`, path, `${path}.git`]) {
    const text = await call.text(`${gitdir}/HEAD`);
    if (text === undefined || !await call.ctx.fs.exists(`${gitdir}/objects`)) continue;
    if (await call.text(`${gitdir}/objects/info/alternates`) !== undefined) {
      throw new GitError(`'${name}' borrows objects from another repository, which is not supported here`);
    }
    return await Repo.open(call, gitdir, gitdir.endsWith("/.git") ? path : undefined);
  }
  throw new GitError(
    `'${name}' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\n` +
      "Please make sure you have the correct access rights\nand the repository exists.",
  );
}

const OBJECT = /^(?:[0-9a-f]{2}\/[0-9a-f]{38}|pack\/pack-[0-9a-f]{40}\.(?:pack|idx))$/;

/** Copies the objects that the other repository has not got; they never change, so comparing names is enough. */
export async function copyObjects(from: Repo, to: Repo): Promise<void> {
  const { fs } = to.call.ctx;
  const [source, target] = [`${from.common}/objects`, `${to.common}/objects`];
  for (const folder of await fs.readdir(source)) {
    if (!/^([0-9a-f]{2}|pack)$/.test(folder) || !(await fs.lstat(`${source}/${folder}`)).isDirectory) continue;
    // An index without its pack would promise objects that do not exist.
    const names = (await fs.readdir(`${source}/${folder}`)).sort((a, b) =>
      Number(a.endsWith(".idx")) - Number(b.endsWith(".idx"))
    );
    for (const name of names) {
      const path = `${folder}/${name}`;
      checkInterrupt(to.call.ctx);
      if (!OBJECT.test(path) || await fs.exists(`${target}/${path}`)) continue;
      if (!(await fs.lstat(`${source}/${path}`)).isFile) continue;
      await fs.mkdir(`${target}/${folder}`, { recursive: true });
      await fs.writeFile(`${target}/${path}`, await fs.readFileBuffer(`${source}/${path}`));
    }
  }
}

interface Advertised {
  /** Full names of branches and tags with what they lead to. */
  refs: Map<string, string>;
  /** The branch that HEAD points to. */
  head: string | undefined;
  /** What HEAD leads to. */
  oid: string | undefined;
}

export async function listRefs(repo: Repo): Promise<Advertised> {
  const refs = new Map<string, string>();
  for (const folder of ["refs/heads", "refs/tags"]) {
    for (const name of await repo.refs(folder)) {
      const oid = await repo.ref(`${folder}/${name}`);
      if (oid !== undefined) refs.set(`${folder}/${name}`, oid);
    }
  }
  return { refs, head: await repo.branch(), oid: await repo.head() };
}
