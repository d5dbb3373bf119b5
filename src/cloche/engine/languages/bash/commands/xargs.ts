/** xargs. */
import type { ExecResult } from "just-bash";
import { decodeText } from "../text/byte_strings.ts";
import { outputOf } from "../just_bash/output.ts";
import { quoteWord } from "../programs/quote.ts";
import {
  bytesResult,
  checkInterrupt,
  CommandError,
  type Context,
  defineCommand,
  type Options,
  readInput,
  readOptions,
} from "./command.ts";

const LONG = {
  null: "0",
  "max-args": "n",
  "max-lines": "L",
  "max-procs": "P",
  replace: "I",
  delimiter: "d",
  "no-run-if-empty": "r",
  verbose: "t",
  "arg-file": "a",
  "max-chars": "s",
  exit: "x",
};

/** Most characters of one command line. */
const LINE_SIZE = 131_072;

const xargs = defineCommand("xargs", async (args, ctx) => {
  const given = readOptions(args.map((arg) => arg === "-i" ? "-I{}" : arg), "0n:L:P:I:d:rta:s:xE:p", LONG, true);
  const input = decodeText(await readInput(ctx, given.get("a")));
  const command = given.rest.length > 0 ? given.rest : ["echo"];
  const output = outputOf(ctx);
  let code = 0;
  for (const words of lines(command, input, given)) {
    checkInterrupt(ctx);
    if (output.closed) break;
    if (given.has("t")) output.stderr(words.map(quoteWord).join(" ") + "\n");
    const result = await run(ctx, words);
    if (result.stderr !== "") output.stderr(result.stderr);
    if (result.stdout !== "") output.stdout(result.stdout);
    if (result.exitCode === 255) return bytesResult("", 124, `xargs: ${words[0]}: exited with status 255; aborting\n`);
    if (result.exitCode === 126 || result.exitCode === 127) return bytesResult("", result.exitCode);
    if (result.exitCode !== 0) code = 123;
  }
  return bytesResult("", code);
});

async function run(ctx: Context, words: string[]): Promise<ExecResult> {
  if (!ctx.exec) throw new CommandError("cannot run commands here", 126);
  return await ctx.exec(words.map(quoteWord).join(" "), { cwd: ctx.cwd, signal: ctx.signal });
}

/** The command lines to run. */
function lines(command: string[], input: string, given: Options): string[][] {
  const mark = given.get("I");
  if (mark !== undefined) {
    const separator = given.has("0") ? "\0" : given.has("d") ? delimiterOf(given) : "\n";
    const items = input.split(separator).map((line) => given.has("0") || given.has("d") ? line : line.trimStart())
      .filter((line) => line !== "");
    return items.map((item) => command.map((word) => word.replaceAll(mark, item)));
  }
  const groups = given.has("L")
    ? input.split("\n").filter((line) => line.trim() !== "").map(wordsOf)
    : [itemsOf(input, given)];
  const perLine = given.has("L") ? given.number("L", 1) : undefined;
  if (perLine !== undefined) {
    const joined: string[][] = [];
    for (let i = 0; i < groups.length; i += perLine) joined.push([...command, ...groups.slice(i, i + perLine).flat()]);
    return joined;
  }
  const [items] = groups;
  if (items.length === 0) return given.has("r") ? [] : [command];
  const most = given.number("n", Infinity);
  const size = given.number("s", LINE_SIZE);
  const out: string[][] = [];
  let current: string[] = [];
  let used = 0;
  for (const item of items) {
    if (current.length > 0 && (current.length >= most || used + item.length > size)) {
      out.push([...command, ...current]);
      current = [];
      used = 0;
    }
    current.push(item);
    used += item.length + 1;
  }
  out.push([...command, ...current]);
  return out;
}

function delimiterOf(given: Options): string {
  const word = given.get("d") ?? "";
  return word.replace(/^\\n$/, "\n").replace(/^\\t$/, "\t").replace(/^\\0$/, "\0").replace(/^\\\\$/, "\\");
}

function itemsOf(input: string, given: Options): string[] {
  if (!given.has("0") && !given.has("d")) return wordsOf(input);
  const items = input.split(given.has("0") ? "\0" : delimiterOf(given));
  if (items.at(-1) === "") items.pop();
  return items;
}

/** Words as xargs reads them: blanks separate, quotes and backslashes protect. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  const pattern = /(?:[^\s'"\\]|\\[\s\S]|'[^'\n]*'|"[^"\n]*")+|['"]/g;
  for (const [word] of text.matchAll(pattern)) {
    if (word === "'" || word === '"') {
      throw new CommandError(
        `unmatched ${
          word === "'" ? "single" : "double"
        } quote; by default quotes are special to xargs unless you use the -0 option`,
      );
    }
    words.push(
      word.replace(/\\([\s\S])|'([^'\n]*)'|"([^"\n]*)"/g, (_, escaped, single, double) => escaped ?? single ?? double),
    );
  }
  return words;
}

export const commands = [xargs];
