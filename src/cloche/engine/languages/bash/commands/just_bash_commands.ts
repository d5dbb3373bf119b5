/** just-bash's own commands, with arguments changed to what they understand. */
import type { Command } from "just-bash";
import { CommandError, type Context, defineCommand, pathOf, readInput, textResult } from "./command.ts";
import { compileRegex } from "./posix_regex.ts";
import { toArray } from "../text/byte_strings.ts";

function original(ctx: Context, args: string[]) {
  if (!ctx.origCommand) throw new CommandError("not available");
  return ctx.origCommand(args);
}

/** sed: `-i.bak` keeps a copy, `1i\text` may stand on one line. */
const sed: Command = defineCommand("sed", async (args, ctx) => {
  const words: string[] = [];
  let backup = "";
  let scripts = 0;
  let inPlace = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    const inline = arg.match(/^(?:-([nErsu]*)i|--in-place=?)(.*)$/);
    if (inline) {
      inPlace = true;
      backup = inline[2];
      words.push(...flags(inline[1] ?? ""), "-i");
    } else if (/^-[nErsu]*e$/.test(arg) || arg === "--expression") {
      scripts++;
      words.push(...flags(arg.startsWith("--") ? "" : arg.slice(1, -1)), "-e", multiline(args[++i] ?? ""));
    } else if (arg.startsWith("--expression=")) {
      scripts++;
      words.push("-e", multiline(arg.slice("--expression=".length)));
    } else if (arg === "-f" || arg === "--file") {
      scripts++;
      words.push("-f", args[++i] ?? "");
    } else if (/^-[nErsu]+$/.test(arg)) {
      words.push(...flags(arg.slice(1)));
    } else if (arg.startsWith("-") && arg !== "-") {
      if (arg.startsWith("-f")) scripts++;
      words.push(...LONG_FLAGS[arg] ?? [arg]);
    } else if (scripts === 0) {
      scripts = Infinity;
      words.push(multiline(arg));
    } else {
      words.push(arg);
      if (inPlace && backup !== "") await keep(ctx, arg, backup);
    }
  }
  return await original(ctx, words);
});

const LONG_FLAGS: Record<string, string[]> = {
  "--regexp-extended": ["-E"],
  "--quiet": ["-n"],
  "--silent": ["-n"],
  "--separate": [],
  "--unbuffered": [],
  "--posix": [],
};

/** Flags one by one, without those (-s, -u) that change nothing here. */
function flags(letters: string): string[] {
  return [...letters].filter((letter) => letter !== "s" && letter !== "u").map((letter) => `-${letter}`);
}

/** `i\text` at the place of a command: at the start, or after an address, a brace or a semicolon. */
function multiline(script: string): string {
  return script.replace(/((?:^|[;{}\n])[ \t]*(?:\d+|\$|\/[^\/\n]*\/)?[ \t]*!?[aic])\\(?=[^\n])/g, "$1\\\n");
}

async function keep(ctx: Context, name: string, suffix: string): Promise<void> {
  const target = suffix.includes("*") ? suffix.replaceAll("*", name.split("/").at(-1) ?? "") : name + suffix;
  await ctx.fs.writeFile(pathOf(ctx, target), toArray(await readInput(ctx, name)));
}

/** cp: what preserves is what it does anyway; -a also goes into folders. */
const cp: Command = defineCommand("cp", async (args, ctx) => {
  const words = args.flatMap((arg) => {
    if (arg === "--archive") return ["-r"];
    if (/^--(preserve|no-preserve|reflink|sparse)/.test(arg)) return [];
    if (!/^-[a-zA-Z]+$/.test(arg)) return [arg];
    const letters = arg.slice(1).replace(/[apPdLHux]/g, (letter) => letter === "a" ? "r" : "");
    return letters === "" ? [] : [`-${letters}`];
  });
  return await original(ctx, words);
});

/** tar: -v lists on standard output what goes into or comes out of a file. */
const tar: Command = defineCommand("tar", async (args, ctx) => {
  const result = await original(ctx, args);
  const verbose = args.some((arg, i) => (arg.startsWith("-") && !arg.startsWith("--") || i === 0) && /v/.test(arg)) ||
    args.includes("--verbose");
  const toStdout = args.some((arg, i) => arg === "-" || /f-?$/.test(arg) && args[i + 1] === "-");
  if (!verbose || toStdout || result.exitCode !== 0) return result;
  return { ...result, stdout: result.stdout + result.stderr, stderr: "" };
});

const BITS: Record<string, number> = { r: 4, w: 2, x: 1 };

/** find: symbolic modes, and tests that it does not know as ones it does. */
const find: Command = defineCommand("find", async (args, ctx) => {
  const words = args.map((arg, i) =>
    args[i - 1] === "-perm" && /[ugoa+=]/.test(arg.replace(/^[-\/]/, "")) ? octal(arg) : arg
  );
  return await original(
    ctx,
    words.filter((word) => !/^-(noleaf|warn|nowarn|xdev|mount|ignore_readdir_race)$/.test(word)),
  );
});

function octal(mode: string): string {
  const prefix = mode.match(/^[-\/]/)?.[0] ?? "";
  let bits = 0;
  for (const part of mode.slice(prefix.length).split(",")) {
    const match = part.match(/^([ugoa]*)[+=]([rwx]*)$/);
    if (!match) throw new CommandError(`invalid mode '${mode}'`);
    const value = [...match[2]].reduce((sum, letter) => sum | BITS[letter], 0);
    const who = match[1] === "" || match[1].includes("a") ? "ugo" : match[1];
    for (const letter of who) bits |= value << { u: 6, g: 3, o: 0 }[letter as "u" | "g" | "o"];
  }
  return prefix + bits.toString(8).padStart(3, "0");
}

/** expr: `string : pattern` with basic expressions. */
const expr: Command = defineCommand("expr", async (args, ctx) => {
  const matches = args[0] === "match" && args.length === 3;
  if (!matches && !(args.length === 3 && args[1] === ":")) return await original(ctx, args);
  const [text, pattern] = matches ? [args[1], args[2]] : [args[0], args[2]];
  const expression = compileRegex(pattern, "basic", "y");
  const found = expression.exec(text);
  const groups = found !== null && found.length > 1 || /\\\(/.test(pattern);
  const value = groups ? found?.[1] ?? "" : String(found?.[0].length ?? 0);
  return textResult(value + "\n", value === "" || value === "0" ? 1 : 0);
});

export const commands = [sed, find, expr, cp, tar];
