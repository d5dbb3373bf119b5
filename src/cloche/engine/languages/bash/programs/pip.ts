/** `pip` in the shell: the host installs; what has to be built goes to Python, inside the sandbox. */

import type { HostRequest } from "../../../protocol.ts";
import type { OpenRequest } from "../../../worker/requests.ts";
import { Output } from "../shell/descriptors/input.ts";
import type { Command, CommandContext } from "../shell/processes/command.ts";
import { resolvePath } from "../shell/processes/system_files.ts";
import type { StartProgram } from "./language_programs.ts";
import { askTool, exitCode } from "./package_managers.ts";

/** Options of pip whose value may look like a folder. */
const VALUED = ["-c", "--constraint", "-t", "--target", "--log", "--cache-dir", "-f", "-d", "--dest"];
const LIST = /^(?:-r|--requirement)(?:=|$)/;
const EDITABLE = /^(?:-e|--editable)(?:[=\s]|$)/;
const PATH = /^(?:\.{1,2}(?:[/[]|$)|\/|file:\/\/)/;
const ARCHIVE = /\.(?:tar\.(?:gz|bz2|xz)|tgz|zip)(?:\[|$)/;
const LARGEST = 1 << 20;

export function pipCommands(
  ask: (question: HostRequest) => OpenRequest,
  flush: () => void,
  start: StartProgram,
): Command[] {
  const run = async (context: CommandContext): Promise<number> => {
    const args = context.argv.slice(1);
    const build = (...words: string[]) => start("python", ["python3", "-m", "pip", ...words, ...args], context);
    if (namesProject(args, (path) => readList(path, context))) return await build();
    const output = new Output(context.fds.get(1));
    const answer = await askTool(ask({ kind: "pip", args, cwd: context.cwd }), context.signal, async (piece) => {
      await output.write(piece);
      flush();
    });
    const { error } = answer;
    if ("source" in answer && typeof answer.source === "string") {
      return await build("--from-source", answer.source, `${error ?? ""}`);
    }
    if (typeof error === "string") await new Output(context.fds.get(2)).write(error);
    return exitCode(answer);
  };
  return ["pip", "pip3"].map((name) => ({ name, run }));
}

/** Whether the words, or a file of requirements that they name, have a project that must be built. */
export function namesProject(args: string[], readText: (path: string) => string): boolean {
  if (!args.includes("install")) return false;
  return args.some((word, index) => {
    const before = args[index - 1] ?? "";
    if (VALUED.includes(before)) return false;
    if (LIST.test(before) && !before.includes("=")) return listsProject(readText(word));
    if (LIST.test(word)) return word.includes("=") && listsProject(readText(word.slice(word.indexOf("=") + 1)));
    return EDITABLE.test(word) || isLocal(word);
  });
}

function listsProject(text: string): boolean {
  return text.split("\n").map((line) => line.trim()).some((line) => EDITABLE.test(line) || isLocal(line));
}

function isLocal(word: string): boolean {
  if (word.startsWith("-") || word.startsWith("#") || /\.whl$|^(?:https?|git\+\w+):/.test(word)) return false;
  return PATH.test(word) || ARCHIVE.test(word) || (/^[^\s@;]+\/[^\s@;]*$/.test(word));
}

function readList(path: string, { cwd, files }: CommandContext): string {
  try {
    const whole = resolvePath(cwd, path);
    return files.stat(whole).size > LARGEST ? "" : new TextDecoder().decode(files.readFile(whole));
  } catch {
    return "";
  }
}
