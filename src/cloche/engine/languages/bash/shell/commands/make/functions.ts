/** The functions of make. */
import type { Task } from "../../task.ts";
import { CONTROL } from "./control_functions.ts";
import { expand } from "./expand.ts";
import { FILES } from "./file_functions.ts";
import { MakeError, type Session } from "./session.ts";
import { TEXT } from "./text_functions.ts";
import type { Scope } from "./variables.ts";

export interface MakeFunction {
  /** Fewest and most arguments; what is beyond belongs to the last. */
  least: number;
  most: number;
  /** Whether it gets its arguments as they are written. */
  raw?: boolean;
  run(make: Session, args: string[], scope: Scope): string | Task<string>;
}

export function isFunction(name: string): boolean {
  return findFunction(name) !== undefined;
}

function findFunction(name: string): MakeFunction | undefined {
  for (const table of [TEXT, FILES, CONTROL]) if (Object.hasOwn(table, name)) return table[name];
  return undefined;
}

export function* callFunction(make: Session, name: string, text: string, scope: Scope, bracket = "("): Task<string> {
  const known = findFunction(name);
  if (!known) return "";
  const args = splitArguments(text, known.most, bracket);
  if (args.length < known.least) {
    throw new MakeError(`insufficient number of arguments (${args.length}) to function '${name}'`, make.place);
  }
  if (!known.raw) { for (let i = 0; i < args.length; i++) args[i] = yield* expand(make, args[i], scope); }
  const result = known.run(make, args, scope);
  return typeof result === "string" ? result : yield* result;
}

/** Runs a function by its name with arguments that are expanded: `$(call subst,a,b,c)`. */
export function* callByName(make: Session, name: string, args: string[], scope: Scope): Task<string | undefined> {
  const known = findFunction(name);
  if (!known) return undefined;
  const given = args.slice(0, known.most);
  const result = known.run(make, known.raw ? given.map((arg) => arg.replaceAll("$", "$$$$")) : given, scope);
  return typeof result === "string" ? result : yield* result;
}

/** The commas that count are in no brackets of the same kind. */
function splitArguments(text: string, most: number, bracket: string): string[] {
  const closing = bracket === "(" ? ")" : "}";
  const args: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length && args.length < most - 1; at++) {
    if (text[at] === bracket) depth++;
    else if (text[at] === closing) depth--;
    else if (text[at] === "," && depth === 0) {
      args.push(text.slice(from, at));
      from = at + 1;
    }
  }
  args.push(text.slice(from));
  return args;
}
