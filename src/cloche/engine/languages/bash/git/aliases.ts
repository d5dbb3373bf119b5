/** Names that the configuration gives to other calls of git. */
import type { Call } from "./call.ts";
import { GitError } from "./options.ts";
import { Repo } from "./repository/repository.ts";

/** The words that an alias of the user stands for; undefined if there is none of this name. */
export async function findAlias(call: Call, name: string): Promise<string[] | undefined> {
  const key = `alias.${name.toLowerCase()}`;
  const text = (await call.config()).get(key);
  if (text === undefined) return await refuseOwn(call, name, key);
  if (text.startsWith("!")) {
    const command = text.slice(1).trim();
    throw new GitError(`'${name}' is an alias for a command of the shell: run it yourself: ${command}`, 1, "git: ");
  }
  return splitWords(text, name);
}

/** Whoever made a repository must not choose what runs here. */
async function refuseOwn(call: Call, name: string, key: string): Promise<undefined> {
  const repo = await Repo.find(call).catch((error) => {
    if (error instanceof GitError) return undefined;
    throw error;
  });
  const text = repo?.config.get(key);
  if (text === undefined) return undefined;
  throw new GitError(
    `'${name}' is an alias of this repository, and those are not followed; yours are: git config --global ${key} '${text}'`,
    1,
    "git: ",
  );
}

function splitWords(text: string, name: string): string[] {
  const words: string[] = [];
  const pattern = /\s*((?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+)/gy;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    words.push(
      match[1].replace(
        /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g,
        (_, single, double, char) => single ?? double?.replace(/\\(.)/g, "$1") ?? char,
      ),
    );
    if (pattern.lastIndex === text.length) break;
  }
  if (words.length === 0) throw new GitError(`bad alias.${name} string: empty`);
  return words;
}
