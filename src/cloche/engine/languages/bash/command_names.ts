/** The names of the sandbox's commands, for programs that look for them in /usr/bin. */

import { CATALOG } from "../catalog.ts";
import { SHELL_COMMANDS } from "./command_list.ts";

/** Every command that is there without packages. */
export const COMMAND_NAMES: ReadonlySet<string> = new Set([
  ...SHELL_COMMANDS,
  ...Object.values(CATALOG).flatMap(({ commands, packageTools = [] }) => [...commands, ...packageTools]),
]);
