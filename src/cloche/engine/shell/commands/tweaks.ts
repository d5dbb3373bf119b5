/** just-bash's own commands, with arguments changed to what they understand. */
import type { Command } from "just-bash";
import { CommandError, type Context, define, pathOf, readInput, textResult } from "./kit.ts";
import { compile } from "./posix_regex.ts";
import { toArray } from "../bytes.ts";

function original(ctx: Context, args: string[]) {
  if (!ctx.origCommand) throw new CommandError("not available");
  return ctx.origCommand(args);
}

/** sed: `-i.bak` keeps a copy, `1i\text` may stand on one line. */
const sed: Command = define("sed", async (args, ctx) => {
  const words: string[] = [];
  let backup = "";
  let scripts = 0;
  let inPlace = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    const suffix = arg.match(/^(?:-i|--in-place=)(.+)$/)?.[1];
    if (suffix !== undefined || arg === "-i" || arg === "--in-place") {
      inPlace = true;
      backup = suffix ?? "";
      words.push("-i");
    } else if (/^-[nErsuz]*e$/.test(arg) || arg === "--expression") {
      scripts++;
      words.push(arg, multiline(args[++i] ?? ""));
    } else if (arg === "-f" || arg === "--file") {
      scripts++;
      words.push(arg, args[++i] ?? "");
    } else if (arg.startsWith("-") && arg !== "-") {
      if (/^--expression=|^-f/.test(arg)) scripts++;
      words.push(
        arg.replace(/^--expression=/, "-e").replace(/^--regexp-extended$/, "-E").replace(/^--(quiet|silent)$/, "-n"),
      );
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

function multiline(script: string): string {
  return script.replace(/((?:^|[;{\n]|\d|\$|\/)[ \t]*[aic])\\(?=[^\n])/g, "$1\\\n");
}

async function keep(ctx: Context, name: string, suffix: string): Promise<void> {
  const target = suffix.includes("*") ? suffix.replaceAll("*", name.split("/").at(-1) ?? "") : name + suffix;
  await ctx.fs.writeFile(pathOf(ctx, target), toArray(await readInput(ctx, name)));
}

const BITS: Record<string, number> = { r: 4, w: 2, x: 1 };

/** find: symbolic modes, and tests that it does not know as ones it does. */
const find: Command = define("find", async (args, ctx) => {
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
const expr: Command = define("expr", async (args, ctx) => {
  const matches = args[0] === "match" && args.length === 3;
  if (!matches && !(args.length === 3 && args[1] === ":")) return await original(ctx, args);
  const [text, pattern] = matches ? [args[1], args[2]] : [args[0], args[2]];
  const expression = compile(pattern, "basic", "y");
  const found = expression.exec(text);
  const groups = found !== null && found.length > 1 || /\\\(/.test(pattern);
  const value = groups ? found?.[1] ?? "" : String(found?.[0].length ?? 0);
  return textResult(value + "\n", value === "" || value === "0" ? 1 : 0);
});

export const commands = [sed, find, expr];
