/** The builtins by name. */
import type { Builtin, DeclarationBuiltin } from "../interpreter.ts";
import { completionBuiltins } from "./completion.ts";
import { declarationBuiltins } from "./declare.ts";
import { directoryBuiltins } from "./directories.ts";
import { evaluateBuiltins } from "./evaluate.ts";
import { flowBuiltins } from "./flow.ts";
import { getoptsBuiltins } from "./getopts.ts";
import { helpBuiltins } from "./help.ts";
import { historyBuiltins } from "./history.ts";
import { jobBuiltins } from "./jobs.ts";
import { limitBuiltins } from "./limits.ts";
import { printBuiltins } from "./print.ts";
import { readBuiltins } from "./read.ts";
import { setBuiltins } from "./set.ts";
import { optionBuiltins } from "./shell_options.ts";
import { testBuiltins } from "./test.ts";
import { trapBuiltins } from "./traps.ts";
import { typeBuiltins } from "./types.ts";

export const BUILTINS: Record<string, Builtin> = {
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
  ...helpBuiltins,
  ...historyBuiltins,
};

export const DECLARATIONS: Record<string, DeclarationBuiltin> = declarationBuiltins;
