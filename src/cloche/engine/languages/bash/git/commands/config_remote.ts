/** git config and git remote. */
import { type Args, GitError, parseArgs, usageError } from "../options.ts";
import type { Call } from "../call.ts";
import { changeConfig, keyOf, parseConfig, removeSection, type Setting } from "../repository/configuration.ts";
import { Repo } from "../repository/repository.ts";

const OPTIONS =
  "global system local worktree file,f= list,l get get-all get-regexp unset unset-all add replace-all name-only " +
  "null,z bool type= int path default= show-origin remove-section show-scope";

export async function runConfig(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, OPTIONS);
  const words = given.everything;
  const verb = ["list", "get", "set", "unset"].includes(words[0]) && words.length > (words[0] === "list" ? 0 : 1)
    ? words.shift()
    : undefined;
  if (given.has("list") || verb === "list") return await list(call, given);
  const [name, value] = words;
  if (name === undefined) throw usageError("no action specified", 129);
  if (given.has("remove-section")) return await dropSection(call, given, name);
  if (given.has("get-regexp")) return await getMatching(call, given, name);
  const key = keyOf(name);
  if (given.has("unset") || given.has("unset-all") || verb === "unset") {
    return await change(call, given, key, undefined);
  }
  if (value !== undefined && !given.has("get") && !given.has("get-all")) return await change(call, given, key, value);
  return await get(call, given, key);
}

/** The file that the options name, or undefined for all. */
async function fileOf(call: Call, given: Args, writing: boolean): Promise<string | undefined> {
  const file = given.get("file");
  if (file !== undefined) return call.path(file);
  if (given.has("global")) return call.globalFile;
  if (given.has("system")) return "/etc/gitconfig";
  if (!given.has("local") && !writing) return undefined;
  try {
    return `${(await Repo.find(call)).common}/config`;
  } catch (error) {
    if (error instanceof GitError && !given.has("local")) throw new GitError("not in a git directory");
    throw error;
  }
}

async function settingsFor(call: Call, given: Args): Promise<Setting[]> {
  const file = await fileOf(call, given, false);
  if (file !== undefined) return parseConfig(await call.text(file) ?? "", file);
  const repo = await Repo.find(call).catch(() => undefined);
  return (repo?.config ?? await call.config()).settings;
}

async function list(call: Call, given: Args): Promise<number> {
  for (const { key, value } of await settingsFor(call, given)) {
    if (given.has("null")) call.out(`${key}\n${value}\0`);
    else call.out(given.has("name-only") ? `${key}\n` : `${key}=${value}\n`);
  }
  return 0;
}

async function get(call: Call, given: Args, key: string): Promise<number> {
  const values = (await settingsFor(call, given)).filter((setting) => setting.key === key).map(({ value }) => value);
  if (values.length === 0 && given.has("default")) values.push(given.get("default") ?? "");
  const isBool = given.has("bool") || given.get("type") === "bool";
  const shown = (value: string) =>
    isBool ? String(!["false", "no", "off", "0", ""].includes(value.toLowerCase())) : value;
  for (const value of given.has("get-all") ? values : values.slice(-1)) call.out(`${shown(value)}\n`);
  return values.length > 0 ? 0 : 1;
}

async function getMatching(call: Call, given: Args, pattern: string): Promise<number> {
  const expression = new RegExp(pattern);
  const found = (await settingsFor(call, given)).filter(({ key }) => expression.test(key));
  for (const { key, value } of found) call.out(given.has("name-only") ? `${key}\n` : `${key} ${value}\n`);
  return found.length > 0 ? 0 : 1;
}

async function change(call: Call, given: Args, key: string, value: string | undefined): Promise<number> {
  const file = await fileOf(call, given, true) ?? "";
  const text = await call.text(file) ?? "";
  if (value === undefined && !parseConfig(text, file).some((setting) => setting.key === key)) return 5;
  await call.ctx.fs.writeFile(file, changeConfig(text, key, value, given.has("add")));
  return 0;
}

async function dropSection(call: Call, given: Args, name: string): Promise<number> {
  const file = await fileOf(call, given, true) ?? "";
  const text = await call.text(file) ?? "";
  if (!parseConfig(text, file).some(({ key }) => key.startsWith(name + "."))) {
    throw new GitError(`no such section: ${name}`);
  }
  await call.ctx.fs.writeFile(file, removeSection(text, name));
  return 0;
}

export async function runRemote(call: Call, args: string[]): Promise<number> {
  const given = parseArgs(args, "verbose,v f fetch t= tags no-tags push add all prune");
  const repo = await Repo.find(call);
  const [verb, name, ...rest] = given.everything;
  const known = repo.config.names("remote");
  if (verb === undefined) return listRemotes(repo, known, given.has("verbose"));
  if (name === undefined) throw new GitError(`usage: git remote ${verb} <name> ...`, 129, "");
  if (verb === "add") return await addRemote(repo, name, rest[0]);
  if (!known.includes(name)) {
    throw usageError(`No such remote${verb === "get-url" || verb === "set-url" ? "" : ":"} '${name}'`, 2);
  }
  switch (verb) {
    case "remove":
    case "rm":
      return await removeRemote(repo, name);
    case "get-url":
      call.out(`${repo.config.get(`remote.${name}.url`) ?? ""}\n`);
      return 0;
    case "set-url":
      return await edit(repo, (text) => changeConfig(text, `remote.${name}.url`, rest[0]));
    case "rename":
      return await renameRemote(repo, name, rest[0]);
    case "show":
      call.out(`* remote ${name}\n  Fetch URL: ${urlOf(repo, name)}\n  Push  URL: ${urlOf(repo, name, true)}\n`);
      return 0;
    default:
      throw usageError(`Unknown subcommand: ${verb}`);
  }
}

function urlOf(repo: Repo, name: string, push = false): string {
  const url = repo.config.get(`remote.${name}.url`) ?? "";
  return push ? repo.config.get(`remote.${name}.pushurl`) ?? url : url;
}

function listRemotes(repo: Repo, names: string[], verbose: boolean): number {
  for (const name of names) {
    const [url, push] = [urlOf(repo, name), urlOf(repo, name, true)];
    repo.call.out(verbose ? `${name}\t${url} (fetch)\n${name}\t${push} (push)\n` : `${name}\n`);
  }
  return 0;
}

async function edit(repo: Repo, act: (text: string) => string): Promise<number> {
  const path = `${repo.common}/config`;
  await repo.call.ctx.fs.writeFile(path, act(await repo.call.text(path) ?? ""));
  return 0;
}

export async function addRemote(repo: Repo, name: string, url: string | undefined): Promise<number> {
  if (url === undefined) throw new GitError("usage: git remote add <name> <url>", 129, "");
  if (!/^[\w][\w./-]*$/.test(name)) throw new GitError(`'${name}' is not a valid remote name`);
  if (repo.config.names("remote").includes(name)) throw usageError(`remote ${name} already exists.`, 3);
  return await edit(repo, (text) => {
    const first = changeConfig(text, `remote.${name}.url`, url);
    return changeConfig(first, `remote.${name}.fetch`, `+refs/heads/*:refs/remotes/${name}/*`);
  });
}

async function removeRemote(repo: Repo, name: string): Promise<number> {
  for (const ref of await repo.refs(`refs/remotes/${name}`)) {
    await repo.deleteRef(`refs/remotes/${name}/${ref}`);
  }
  const followers = repo.config.names("branch").filter((each) => repo.config.get(`branch.${each}.remote`) === name);
  return await edit(
    repo,
    (text) => [`remote.${name}`, ...followers.map((each) => `branch.${each}`)].reduce(removeSection, text),
  );
}

async function renameRemote(repo: Repo, from: string, to: string | undefined): Promise<number> {
  if (to === undefined) throw new GitError("usage: git remote rename <old> <new>", 129, "");
  for (const ref of await repo.refs(`refs/remotes/${from}`)) {
    const oid = await repo.ref(`refs/remotes/${from}/${ref}`);
    await repo.reflog.rename(`refs/remotes/${from}/${ref}`, `refs/remotes/${to}/${ref}`);
    await repo.deleteRef(`refs/remotes/${from}/${ref}`);
    if (oid !== undefined && !ref.endsWith("HEAD")) {
      const message = `remote: renamed refs/remotes/${from}/${ref} to refs/remotes/${to}/${ref}`;
      await repo.updateRef(`refs/remotes/${to}/${ref}`, oid, message);
    }
  }
  return await edit(
    repo,
    (text) =>
      text.replaceAll(`[remote "${from}"]`, `[remote "${to}"]`).replaceAll(
        `refs/remotes/${from}/`,
        `refs/remotes/${to}/`,
      )
        .replaceAll(`remote = ${from}\n`, `remote = ${to}\n`),
  );
}
