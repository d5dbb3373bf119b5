/** The names of all commands, for programs that look for them in /usr/bin. */

import { CATALOG } from "../catalog.ts";
import { SHELL_COMMANDS } from "./command_list.ts";

/** Commands that need the sandbox around the shell. */
const SANDBOX_COMMANDS = ["curl", "df", "free", "jq", "npx", "pip", "pip3", "wget"];

/** Every command that is always there. */
export const COMMAND_NAMES: ReadonlySet<string> = new Set([
  ...SHELL_COMMANDS,
  ...SANDBOX_COMMANDS,
  ...Object.values(CATALOG).flatMap(({ commands, packageTools = [] }) => [...commands, ...packageTools]),
]);
