/** The builtins by name. */
import type { Builtin, DeclarationBuiltin } from "../interpreter.ts";
import { completionBuiltins } from "./completion/completion.ts";
import { declarationBuiltins } from "./variables/declare.ts";
import { directoryBuiltins } from "./directories.ts";
import { evaluateBuiltins } from "./evaluate.ts";
import { flowBuiltins } from "./flow.ts";
import { getoptsBuiltins } from "./variables/getopts.ts";
import { hashBuiltins } from "./hash.ts";
import { helpBuiltins, showHelp } from "./help.ts";
import { historyBuiltins } from "./history/history.ts";
import { jobBuiltins } from "./jobs.ts";
import { limitBuiltins } from "./limits.ts";
import { printBuiltins } from "./print.ts";
import { readBuiltins } from "./variables/read.ts";
import { setBuiltins } from "./set.ts";
import { optionBuiltins } from "./shell_options.ts";
import { testBuiltins } from "./test.ts";
import { trapBuiltins } from "./traps.ts";
import { typeBuiltins } from "./types.ts";

const ALL: Record<string, Builtin> = {
  ...printBuiltins,
  ...flowBuiltins,
  ...evaluateBuiltins,
  ...setBuiltins,
  ...optionBuiltins,
  ...directoryBuiltins,
  ...readBuiltins,
  ...testBuiltins,
  ...trapBuiltins,
  ...jobBuiltins,
  ...typeBuiltins,
  ...limitBuiltins,
  ...getoptsBuiltins,
  ...completionBuiltins,
  ...hashBuiltins,
  ...helpBuiltins,
  ...historyBuiltins,
};

/** Those for which `--help` is a word like others. */
const WITHOUT_HELP = new Set(["[", ":", "echo", "false", "test", "true"]);

function withHelp(name: string, run: Builtin): Builtin {
  return (shell, args) => args[0] === "--help" ? showHelp(shell, name) : run(shell, args);
}

export const BUILTINS: Record<string, Builtin> = Object.fromEntries(
  Object.entries(ALL).map(([name, run]) => [name, WITHOUT_HELP.has(name) ? run : withHelp(name, run)]),
);

export const DECLARATIONS: Record<string, DeclarationBuiltin> = declarationBuiltins;
