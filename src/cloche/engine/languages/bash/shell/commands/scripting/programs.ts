/** The programs behind builtins of the shell, for those who start them without it: xargs, find, env. */
import { encodeText, toArray } from "../../../text/byte_strings.ts";
import { unescapeText } from "../../../text/escapes.ts";
import { printf as format } from "../../../text/printf.ts";
import { runTest } from "../../builtins/test.ts";
import type { Command, CommandContext } from "../../processes/command.ts";
import type { Later } from "../../task.ts";
import { defineTool } from "../tool/define.ts";
import { complain } from "../tool/tool.ts";

function write(context: CommandContext, bytes: string, code = 0): Later<number> {
  const written = context.fds.get(1).write(toArray(bytes));
  return written instanceof Promise ? written.then(() => code) : code;
}

const echo: Command = {
  name: "echo",
  run(context) {
    const words = context.argv.slice(1);
    let newline = true;
    let escapes = false;
    while (/^-[neE]+$/.test(words[0] ?? "")) {
      for (const letter of (words.shift() ?? "").slice(1)) {
        if (letter === "n") newline = false;
        else escapes = letter === "e";
      }
    }
    const text = encodeText(words.join(" "));
    const { bytes, stopped } = escapes ? unescapeText(text, "program echo") : { bytes: text, stopped: false };
    return write(context, newline && !stopped ? `${bytes}\n` : bytes);
  },
};

const printf: Command = {
  name: "printf",
  run(context) {
    const [first, ...rest] = context.argv.slice(1);
    const [pattern, ...values] = first === "--" ? rest : first === undefined ? [] : [first, ...rest];
    if (pattern === undefined) {
      complain(context, "printf: missing operand\nTry 'printf --help' for more information.");
      return 1;
    }
    const { bytes, messages, ok } = format(pattern, values, { program: true });
    const written = write(context, bytes, ok ? 0 : 1);
    for (const [, message] of messages) complain(context, message);
    return written;
  },
};

function testProgram(name: string): Command {
  return {
    name,
    run(context) {
      const { files, fds, cwd } = context;
      const system = { files, fds, resolve: (path: string) => files.resolve(cwd, path) };
      return runTest(system, name, context.argv.slice(1), (text) => complain(context, text));
    },
  };
}

const pwd = defineTool("pwd", { letters: "LP", long: { logical: "L", physical: "P" } }, (tool) => {
  const { cwd, env } = tool.context;
  const logical = tool.given.last("L", "P") === "L" && env.PWD?.startsWith("/");
  tool.print(`${logical ? env.PWD : cwd}\n`);
});

const which = defineTool("which", { letters: "as", synopsis: "[-as] args" }, (tool) => {
  const { context, given } = tool;
  if (tool.operands.length === 0) return 1;
  let code = 0;
  for (const name of tool.operands) {
    const found = findAll(context, name);
    if (found.length === 0) code = 1;
    if (!given.has("s")) { for (const path of given.has("a") ? found : found.slice(0, 1)) tool.print(`${path}\n`); }
  }
  return code;
});

/** Where programs are looked for if there is no PATH. */
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

function findAll({ env, cwd, files }: CommandContext, name: string): string[] {
  const isProgram = (path: string) => {
    try {
      const whole = files.resolve(cwd, path);
      return files.stat(whole).kind !== "directory" && files.isExecutable(whole);
    } catch {
      return false;
    }
  };
  if (name.includes("/")) return isProgram(name) ? [name] : [];
  return (env.PATH ?? DEFAULT_PATH).split(":").map((folder) => `${folder || "."}/${name}`).filter(isProgram);
}

function constant(name: string, code: number): Command {
  return { name, run: () => code };
}

export const commands: Command[] = [
  echo,
  printf,
  testProgram("test"),
  testProgram("["),
  pwd,
  which,
  constant("true", 0),
  constant("false", 1),
];
