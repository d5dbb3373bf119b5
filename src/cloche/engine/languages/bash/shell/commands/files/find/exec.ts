/** -exec, -execdir and -ok of find. */
import { baseName, dirName, quote } from "../paths.ts";
import { CommandError } from "../../tool/errors.ts";
import type { Entry, Search, Test } from "./entry.ts";

/** As much of a command line as one command gets. */
const MOST_BYTES = 131_072;

/** One of them with its words, without the `;` or `+` at the end. */
export function makeExec(search: Search, kind: string, words: string[], many: boolean): Test {
  const inFolder = kind.endsWith("dir");
  if (many) return collect(search, words, inFolder);
  const asks = kind.startsWith("-ok");
  return async (entry) => {
    const name = inFolder ? `./${baseName(entry.path)}` : entry.path;
    const argv = words.map((word) => word.replaceAll("{}", name));
    if (asks && !await confirm(search, argv, entry)) return false;
    return await start(search, argv, inFolder ? folderOf(entry) : undefined) === 0;
  };
}

function folderOf(entry: Entry): string {
  return dirName(entry.whole);
}

async function confirm({ tool }: Search, argv: string[], { path }: Entry): Promise<boolean> {
  return await tool.ask(`< ${argv[0]} ... ${path} > ?`, "");
}

async function start({ tool }: Search, argv: string[], cwd: string | undefined): Promise<number> {
  await tool.flush();
  if (!tool.context.has(argv[0])) {
    tool.report(`${quote(argv[0])}: No such file or directory`);
    return 127;
  }
  const code = await tool.context.spawn(argv, { cwd }).done;
  tool.context.signal.throwIfAborted();
  return code;
}

/** `-exec ... {} +`: many names for one command. */
function collect(search: Search, words: string[], inFolder: boolean): Test {
  if (words.at(-1) !== "{}") throw new CommandError(`missing argument to \`-exec'`);
  const fixed = words.slice(0, -1);
  const base = fixed.reduce((sum, word) => sum + word.length + 1, 0);
  const lists = new Map<string | undefined, { names: string[]; size: number }>();
  const run = async (folder: string | undefined) => {
    const { names } = lists.get(folder) ?? { names: [] };
    lists.delete(folder);
    if (names.length > 0 && await start(search, [...fixed, ...names], folder) !== 0) search.tool.code = 1;
  };
  search.finish.push(async () => {
    for (const folder of [...lists.keys()]) await run(folder);
  });
  return async (entry) => {
    const folder = inFolder ? folderOf(entry) : undefined;
    const name = inFolder ? `./${baseName(entry.path)}` : entry.path;
    const before = lists.get(folder);
    if (before && before.size + name.length + 1 > MOST_BYTES) await run(folder);
    const list = lists.get(folder) ?? { names: [], size: base };
    list.names.push(name);
    list.size += name.length + 1;
    lists.set(folder, list);
    return true;
  };
}
