/**
 * Writes commands/command_modules.ts, which says what module has what command. A module of bash that exports `commands`
 * is one, outside of the shell itself. With `--check` nothing is written: the exit code says whether the file is as it would be written.
 */

import type { Command } from "just-bash";

const BASH = new URL("../", import.meta.url);
const COMMANDS = new URL("commands/", BASH);
const INDEX = new URL("command_modules.ts", COMMANDS);
const EXPORTED = /^export const commands\b/m;

const HEAD = `/** Which module has which command; \`make fmt\` writes this file, see build/command_index.ts. */
import type { Command } from "just-bash";

type LoadModule = () => Promise<{ commands: Command[] }>;

export const MODULES: [name: string, load: LoadModule][] = [
`;

/** Modules below a folder that export commands, by their path from bash's folder. */
function findModules(folder: URL): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return name === "shell" ? [] : findModules(new URL(`${name}/`, folder));
    const file = new URL(name, folder);
    const wanted = name.endsWith(".ts") && !name.endsWith("_test.ts") && EXPORTED.test(Deno.readTextFileSync(file));
    return wanted ? [file.href.slice(BASH.href.length)] : [];
  });
}

async function writeIndex(): Promise<string> {
  const owners = new Map<string, string>();
  for (const path of findModules(BASH).sort()) {
    const { commands } = await import(new URL(path, BASH).href) as { commands: Command[] };
    for (const { name } of commands) {
      const other = owners.get(name);
      if (other) throw new Error(`${name} is a command of ${other} and of ${path}`);
      owners.set(name, path);
    }
  }
  const lines = [...owners].map(([name, path]) => {
    const from = path.startsWith("commands/") ? path.replace("commands/", "./") : `../${path}`;
    return `  [${JSON.stringify(name)}, () => import(${JSON.stringify(from)})],\n`;
  });
  return `${HEAD}${lines.join("")}];\n`;
}

const wanted = await writeIndex();
if (wanted !== Deno.readTextFileSync(INDEX)) {
  if (Deno.args.includes("--check")) {
    console.error("commands/command_modules.ts is stale: `make fmt` writes it anew");
    Deno.exit(1);
  }
  Deno.writeTextFileSync(INDEX, wanted);
}
