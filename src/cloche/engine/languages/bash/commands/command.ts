/** Helpers that most commands use: options, input, results. */
import { type Command, type ExecResult, latin1FromBytes, type ResolvedCommandContext } from "just-bash";
import { decodeText, encodeText, fromArray } from "../text/byte_strings.ts";
import { failure } from "../just_bash/results.ts";
import { CommandError } from "../shell/commands/tool/errors.ts";
import { reasonOf } from "../text/file_errors.ts";

export type Context = ResolvedCommandContext;

export { CommandError };

/** A command; what it throws becomes its error message. */
export function defineCommand(
  name: string,
  run: (args: string[], ctx: Context) => Promise<ExecResult> | ExecResult,
): Command {
  return {
    name,
    trusted: true,
    async execute(args, ctx) {
      try {
        return await run(args, ctx);
      } catch (error) {
        if (error instanceof CommandError) return failure(`${name}: ${error.message}`, error.code);
        throw error;
      }
    },
  };
}

/** A result whose output is a byte string. */
export function bytesResult(stdout: string, exitCode = 0, stderr = ""): ExecResult {
  return { stdout, stdoutKind: "bytes", stderr, exitCode };
}

/** A result whose output is text. */
export function textResult(stdout: string, exitCode = 0, stderr = ""): ExecResult {
  return bytesResult(encodeText(stdout), exitCode, stderr);
}

/** Options as given: by letter, values in order, and the other arguments. */
export class Options {
  readonly #values = new Map<string, string[]>();
  readonly rest: string[] = [];

  has(letter: string): boolean {
    return this.#values.has(letter);
  }

  get(letter: string): string | undefined {
    return this.#values.get(letter)?.at(-1);
  }

  all(letter: string): string[] {
    return this.#values.get(letter) ?? [];
  }

  /** A whole number given as an option. */
  number(letter: string, otherwise: number): number {
    const value = this.get(letter);
    if (value === undefined) return otherwise;
    if (!/^[-+]?\d+$/.test(value)) throw new CommandError(`invalid number: '${value}'`);
    return Number(value);
  }

  add(letter: string, value: string): void {
    this.#values.set(letter, [...this.all(letter), value]);
  }
}

/**
 * Reads options as getopt does: "ab:c" takes -a, -b VALUE, -c. `long` maps long names to letters (a value is taken if
 * the letter takes one). With `strict`, options end at the first other argument.
 */
export function readOptions(
  args: string[],
  letters: string,
  long: Record<string, string> = {},
  strict = false,
): Options {
  const found = new Options();
  const wants = (letter: string) => letters[letters.indexOf(letter) + 1] === ":";
  for (let i = 0; i < args.length; i++) {
    const word = args[i];
    if (word === "--") {
      found.rest.push(...args.slice(i + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      if (strict) {
        found.rest.push(...args.slice(i));
        break;
      }
      found.rest.push(word);
      continue;
    }
    if (word.startsWith("--")) {
      const [name, ...value] = word.slice(2).split("=");
      const letter = long[name];
      if (letter === undefined) throw new CommandError(`unrecognized option '--${name}'`, 2);
      if (!wants(letter)) found.add(letter, value.join("="));
      else found.add(letter, value.length > 0 ? value.join("=") : argument(args, ++i, `--${name}`));
      continue;
    }
    for (let at = 1; at < word.length; at++) {
      const letter = word[at];
      if (letter === ":" || !letters.includes(letter)) throw new CommandError(`invalid option -- '${letter}'`, 2);
      if (!wants(letter)) {
        found.add(letter, "");
        continue;
      }
      found.add(letter, at + 1 < word.length ? word.slice(at + 1) : argument(args, ++i, letter));
      break;
    }
  }
  return found;
}

function argument(args: string[], index: number, option: string): string {
  if (index >= args.length) throw new CommandError(`option requires an argument -- '${option}'`, 2);
  return args[index];
}

/** Standard input as a byte string. */
export function stdinOf(ctx: Context): string {
  return latin1FromBytes(ctx.stdin);
}

/** An absolute path. */
export function pathOf(ctx: Context, path: string): string {
  return ctx.fs.resolvePath(ctx.cwd, path);
}

/** A file ("-" or none: standard input) as a byte string. */
export async function readInput(ctx: Context, path = "-"): Promise<string> {
  if (path === "-" || path === "/dev/stdin") return stdinOf(ctx);
  return fromArray(await readFile(ctx, path));
}

/** A file's bytes. */
export async function readFile(ctx: Context, path: string): Promise<Uint8Array> {
  const whole = pathOf(ctx, path);
  try {
    if ((await ctx.fs.stat(whole)).isDirectory) throw new CommandError(`${path}: Is a directory`);
    return await ctx.fs.readFileBuffer(whole);
  } catch (error) {
    throw asCommandError(error, path);
  }
}

/** A file as text. */
export async function readText(ctx: Context, path?: string): Promise<string> {
  return decodeText(await readInput(ctx, path));
}

/** Says in the usual words what the file system says in its own. */
export function asCommandError(error: unknown, path: string): CommandError {
  if (error instanceof CommandError) return error;
  return new CommandError(`${path}: ${reasonOf(error)}`);
}

/** The lines of a text, without their ends. */
export function linesOf(text: string, end = "\n"): string[] {
  if (text === "") return [];
  const lines = text.split(end);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Stops here if the script was interrupted; loops over much input call it now and then. */
export function checkInterrupt(ctx: Context): void {
  ctx.executionScope?.throwIfAborted();
}

/** A number with a unit: 10, 4k, 2M, 1G, 3b (512). */
export function sizeOf(word: string): number {
  const match = word.match(/^(\d+)(b|[kKMGT]i?B?)?$/);
  if (!match) throw new CommandError(`invalid number: '${word}'`);
  const unit = match[2] ?? "";
  if (unit === "b") return Number(match[1]) * 512;
  const power = unit === "" ? 0 : "KMGT".indexOf(unit[0].toUpperCase()) + 1;
  return Number(match[1]) * (/^.B$/.test(unit) ? 1000 : 1024) ** power;
}
