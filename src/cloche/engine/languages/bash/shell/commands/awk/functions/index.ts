/** The built-in functions that never wait, by name. */
import { arrays } from "./arrays.ts";
import type { Builtins } from "./builtin.ts";
import { numbers } from "./numbers.ts";
import { strings } from "./strings.ts";
import { substitutions } from "./substitution.ts";
import { times } from "./times.ts";

export const BUILTIN_FUNCTIONS: Builtins = { ...arrays, ...numbers, ...strings, ...substitutions, ...times };
