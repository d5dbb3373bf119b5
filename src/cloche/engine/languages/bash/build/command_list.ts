/**
 * Writes command_list.ts, which names all commands of the shell. With `--check` nothing is written: the exit code says
 * whether the file is as it would be written.
 */

import { CATALOG } from "../../catalog.ts";
import { type CommandServices, sandboxCommands } from "../programs/sandbox_commands.ts";

const LIST = new URL("../command_list.ts", import.meta.url);
const HEAD = `/** The shell's own commands; \`make fmt\` writes this file, see build/command_list.ts. */

export const SHELL_COMMANDS = \`\n`;

/** Commands of languages and of their package managers are left out: the catalogue has them. */
function writeNames(): string {
  // No command is called, so none uses a service.
  const names = new Set(sandboxCommands({} as CommandServices).map(({ name }) => name));
  for (const { commands, packageTools = [] } of Object.values(CATALOG)) {
    for (const name of [...commands, ...packageTools]) names.delete(name);
  }
  const lines: string[] = [];
  for (const name of [...names].sort()) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + name.length < 110) lines[lines.length - 1] += ` ${name}`;
    else lines.push(name);
  }
  return `${HEAD}${lines.join("\n")}\n\`.trim().split(/\\s+/);\n`;
}

const wanted = writeNames();
if (wanted !== Deno.readTextFileSync(LIST)) {
  if (!Deno.args.includes("--check")) Deno.writeTextFileSync(LIST, wanted);
  else {
    console.error("languages/bash/command_list.ts is stale: `make fmt` writes it anew");
    Deno.exit(1);
  }
}
