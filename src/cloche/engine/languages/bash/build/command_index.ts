/**
 * Writes commands/command_modules.ts, which says what module has what command, and command_list.ts, which names all commands
 * of the shell. A module of bash that exports `commands` is one, outside of the shell itself. With `--check` nothing is written: the exit code
 * says whether the files are as they would be written.
 */

import type { Command } from "just-bash";
import { CATALOG } from "../../catalog.ts";

const BASH = new URL("../", import.meta.url);
const COMMANDS = new URL("commands/", BASH);
const INDEX = new URL("command_modules.ts", COMMANDS);
const NAMES = new URL("command_list.ts", BASH);
const EXPORTED = /^export const commands\b/m;

const HEAD = `/** Which module has which command; \`make fmt\` writes this file, see build/command_index.ts. */
import type { Command } from "just-bash";

type LoadModule = () => Promise<{ commands: Command[] }>;

export const MODULES: [name: string, load: LoadModule][] = [
`;

const NAMES_HEAD = `/** The shell's own commands; \`make fmt\` writes this file, see build/command_index.ts. */

export const SHELL_COMMANDS = \`\n`;

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

/** Commands of languages and of their package managers are left out: the catalogue has them. */
async function writeNames(): Promise<string> {
  const { sandboxCommands } = await import(new URL("programs/sandbox_commands.ts", BASH).href);
  // No command is called, so none uses a service.
  const names = new Set((sandboxCommands({}) as Command[]).map(({ name }) => name));
  for (const { commands, packageTools = [] } of Object.values(CATALOG)) {
    for (const name of [...commands, ...packageTools]) names.delete(name);
  }
  const lines: string[] = [];
  for (const name of [...names].sort()) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + name.length < 110) lines[lines.length - 1] += ` ${name}`;
    else lines.push(name);
  }
  return `${NAMES_HEAD}${lines.join("\n")}\n\`.trim().split(/\\s+/);\n`;
}

/** Whether a file was as it should be; it is written unless it is only to be checked. */
function bringUp(file: URL, wanted: string): boolean {
  if (wanted === Deno.readTextFileSync(file)) return true;
  if (!Deno.args.includes("--check")) Deno.writeTextFileSync(file, wanted);
  else console.error(`${file.href.slice(BASH.href.length)} is stale: \`make fmt\` writes it anew`);
  return false;
}

const modules = bringUp(INDEX, await writeIndex());
const names = bringUp(NAMES, await writeNames());
if (Deno.args.includes("--check") && !(modules && names)) Deno.exit(1);
