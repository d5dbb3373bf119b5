/** Commands that run another: env, nohup, nice, setsid, stdbuf, sudo, time. */
import { isTerminal } from "../../descriptors/terminal.ts";
import { runInstead } from "./run_instead.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { complain, print } from "../tool/tool.ts";
import { encodeText, toArray } from "../../../text/byte_strings.ts";
import type { Command, CommandContext } from "../../processes/command.ts";
import { explainAbsence } from "../../processes/absent_programs.ts";
import { splitString } from "./split_string.ts";

const FAILED = 125;

const ENV = {
  "ignore-environment": "i",
  unset: "u",
  null: "0",
  chdir: "C",
  "split-string": "S",
  debug: "v",
};

const USAGE = "[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]";

const env = defineTool(
  "env",
  { letters: "iu:0C:v", long: ENV, strict: true, code: FAILED, synopsis: USAGE },
  async ({ context, given }) => {
    const words = [...given.operands];
    const bare = words[0] === "-" && words.shift() !== undefined;
    const env: Record<string, string> = given.has("i") || bare ? {} : { ...context.env };
    for (const name of given.all("u")) {
      if (name === "" || name.includes("=")) throw new CommandError(`cannot unset '${name}': Invalid argument`, FAILED);
      delete env[name];
    }
    while (words.length > 0 && words[0].includes("=")) {
      const word = words.shift() ?? "";
      const at = word.indexOf("=");
      env[word.slice(0, at)] = word.slice(at + 1);
    }
    const folder = given.get("C");
    if (words.length === 0) {
      if (folder !== undefined) throw new UsageError("must specify command with --chdir (-C)", FAILED);
      const end = given.has("0") ? "\0" : "\n";
      return await print(context, Object.entries(env).map(([name, value]) => `${name}=${value}${end}`).join(""));
    }
    if (given.has("0")) throw new UsageError("cannot specify --null (-0) with command", FAILED);
    const cwd = folder === undefined ? context.cwd : context.files.resolve(context.cwd, folder);
    if (folder !== undefined && !isFolder(context.files, cwd)) {
      throw new CommandError(`cannot change directory to '${folder}': No such file or directory`, FAILED);
    }
    return await runInstead(context, "env", words, { env, cwd });
  },
  splitFirst,
);

function isFolder(files: { stat(path: string): { kind: string } }, path: string): boolean {
  try {
    return files.stat(path).kind === "directory";
  } catch {
    return false;
  }
}

/** -S splits its word into more words before anything else is read. */
function splitFirst(args: string[], context: CommandContext): string[] {
  for (let at = 0; at < args.length && /^-./.test(args[at]); at++) {
    const [, before, attached] = /^-([iv0]*)S(.*)$/s.exec(args[at]) ?? /^--split-string(=)(.*)$/s.exec(args[at]) ?? [];
    if (attached === undefined) {
      if (/^-[uC]$/.test(args[at])) at++;
      continue;
    }
    const words = splitString(attached === "" ? args[at + 1] ?? "" : attached, context.env);
    const flags = before === "" || before === "=" ? [] : [`-${before}`];
    return [...args.slice(0, at), ...flags, ...words, ...args.slice(at + (attached === "" ? 2 : 1))];
  }
  return args;
}

const printenv = defineTool("printenv", { letters: "0", long: { null: "0" }, code: 2 }, async ({ context, given }) => {
  const end = given.has("0") ? "\0" : "\n";
  if (given.operands.length === 0) {
    return await print(context, Object.entries(context.env).map(([name, value]) => `${name}=${value}${end}`).join(""));
  }
  const found = given.operands.filter((name) => Object.hasOwn(context.env, name));
  await print(context, found.map((name) => `${context.env[name]}${end}`).join(""));
  return found.length === given.operands.length ? 0 : 1;
});

const nohup = defineTool("nohup", { strict: true, code: FAILED }, async ({ context, given }) => {
  if (given.operands.length === 0) throw new UsageError("missing operand", FAILED);
  // Without a terminal to type at, the output goes to the caller of the sandbox, who reads it.
  if (!isTerminal(context.fds, 1)) {
    if (isTerminal(context.fds, 0)) complain(context, "nohup: ignoring input");
    return await runInstead(context, "nohup", given.operands);
  }
  complain(context, "nohup: ignoring input and appending output to 'nohup.out'");
  const fds = context.fds.fork();
  fds.set(1, context.open("nohup.out", { read: false, write: true, create: true, append: true }));
  if (context.fds.find(2)?.kind === "terminal") fds.duplicate(1, 2);
  if (!context.has(given.operands[0])) {
    throw new CommandError(`failed to run command '${given.operands[0]}': No such file or directory`, 127);
  }
  return await context.spawn(given.operands, { fds }).done;
});

/** `nice -5` is `nice -n 5`. */
function nameLevel([first, ...rest]: string[]): string[] {
  if (first === undefined) return [];
  return /^-[-+]?\d+$/.test(first) ? ["-n", first.slice(1), ...rest] : [first, ...rest];
}

const nice = defineTool(
  "nice",
  { letters: "n:", long: { adjustment: "n" }, strict: true, code: FAILED },
  async ({ context, given }) => {
    const level = given.get("n");
    if (level !== undefined && !/^[-+]?\d+$/.test(level)) {
      throw new CommandError(`invalid adjustment '${level}'`, FAILED);
    }
    if (given.operands.length > 0) return await runInstead(context, "nice", given.operands);
    if (level !== undefined) throw new UsageError("a command must be given with an adjustment", FAILED);
    return await print(context, "0\n");
  },
  nameLevel,
);

function passing(name: string, letters: string, long: Record<string, string>, code: number): Command {
  return defineTool(name, { letters, long, strict: true, code }, async ({ context, given }) => {
    if (given.operands.length === 0) {
      throw new UsageError(name === "setsid" ? "no command specified" : "missing operand");
    }
    return await runInstead(context, name, given.operands);
  });
}

const stdbuf = defineTool(
  "stdbuf",
  { letters: "i:o:e:", long: { input: "i", output: "o", error: "e" }, strict: true, code: FAILED },
  async ({ context, given }) => {
    if (given.operands.length === 0) throw new UsageError("missing operand", FAILED);
    if (!["i", "o", "e"].some((letter) => given.has(letter))) {
      throw new UsageError("you must specify a buffering mode option", FAILED);
    }
    if (given.get("i") === "L") throw new UsageError("line buffering stdin is meaningless", FAILED);
    for (const mode of ["i", "o", "e"].flatMap((letter) => given.all(letter))) {
      if (!/^(L|\d+[KMGT]?B?)$/.test(mode)) throw new CommandError(`invalid mode '${mode}'`, FAILED);
    }
    return await runInstead(context, "stdbuf", given.operands);
  },
);

/** Why a program cannot be there, if that is so. */
function reasonFor(name: string): string {
  const reason = explainAbsence(name);
  return reason === undefined ? "" : `; ${reason}`;
}

const SUDO = { user: "u", login: "i", shell: "s", "preserve-env": "E", "non-interactive": "n", "set-home": "H" };

const sudo = defineTool(
  "sudo",
  { letters: "EHnSkKbisu:g:p:Al", long: SUDO, strict: true },
  async ({ context, given }) => {
    const words = [...given.operands];
    const env: Record<string, string> = { ...context.env };
    while (/^[A-Za-z_]\w*=/.test(words[0] ?? "")) {
      const word = words.shift() ?? "";
      const at = word.indexOf("=");
      env[word.slice(0, at)] = word.slice(at + 1);
    }
    if (words.length > 0) {
      if (!context.has(words[0])) throw new CommandError(`${words[0]}: command not found${reasonFor(words[0])}`);
      return await context.spawn(words, { env }).done;
    }
    if (["i", "s", "k", "K"].some((letter) => given.has(letter))) return 0;
    throw new CommandError("a command is needed: sudo command [arg ...]");
  },
);

const POSIX_TIME = "real %e\nuser %U\nsys %S";
const USUAL_TIME =
  "%Uuser %Ssystem %Eelapsed %P%%CPU (0avgtext+0avgdata %Mmaxresident)k\n0inputs+0outputs (0major+0minor)pagefaults 0swaps";
const TIME_LONG = { portability: "p", format: "f", output: "o", append: "a", quiet: "q" };

const time = defineTool(
  "time",
  { letters: "pf:o:aq", long: TIME_LONG, strict: true, code: FAILED },
  async ({ context, given }) => {
    if (given.operands.length === 0) {
      throw new CommandError(
        "a command is needed: time [OPTION]... COMMAND [ARG]...",
        FAILED,
      );
    }
    const start = performance.now();
    const code = await runInstead(context, "time", given.operands);
    const seconds = (performance.now() - start) / 1000;
    const format = given.get("f") ?? (given.has("p") ? POSIX_TIME : USUAL_TIME);
    const failed = code !== 0 && !given.has("q") && !given.has("f")
      ? `Command exited with non-zero status ${code}\n`
      : "";
    const text = `${failed}${formatTime(format, seconds, code, given.operands)}\n`;
    const target = given.get("o");
    if (target === undefined) await context.fds.find(2)?.write(toArray(encodeText(text)));
    else {
      const append = given.has("a");
      const file = context.open(target, { read: false, write: true, create: true, truncate: !append, append });
      await file.write(toArray(encodeText(text)));
      file.close();
    }
    return code;
  },
);

function formatTime(format: string, seconds: number, code: number, argv: string[]): string {
  const clock = `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(2).padStart(5, "0")}`;
  const values: Record<string, string> = {
    e: seconds.toFixed(2),
    E: clock,
    // All run in one process of the machine, whose time cannot be told apart.
    U: "0.00",
    S: "0.00",
    P: "0",
    M: "0",
    x: String(code),
    C: argv.join(" "),
    "%": "%",
  };
  return format.replace(
    /%([a-zA-Z%])/g,
    (whole, letter: string) => values[letter] ?? (/[A-Za-z]/.test(letter) ? "0" : whole),
  )
    .replaceAll("\\n", "\n").replaceAll("\\t", "\t");
}

export const wrapperCommands: Command[] = [
  env,
  printenv,
  nohup,
  nice,
  passing("setsid", "cfw", { ctty: "c", fork: "f", wait: "w" }, 1),
  passing("ionice", "c:n:tp:", { class: "c", classdata: "n", ignore: "t" }, 1),
  stdbuf,
  sudo,
  time,
];
