/** `pip install .` and `pip install -e FOLDER`: projects are built by Python, inside the sandbox. */

import type { Command, ResolvedCommandContext } from "just-bash";

/** Runs `python3` with these words. */
type RunPython = (argv: string[], ctx: ResolvedCommandContext) => ReturnType<Command["execute"]>;

/** Options of pip whose value may look like a folder. */
const VALUED = ["-r", "--requirement", "-c", "--constraint", "-t", "--target", "--log", "--cache-dir", "-f"];

/** `pip` over the host's. */
export function pipCommand(host: Command, python: RunPython): Command {
  const execute = (args: string[], ctx: ResolvedCommandContext) =>
    namesProject(args) ? python(["python3", "-m", "pip", ...args], ctx) : host.execute(args, ctx);
  return { ...host, execute: (args, ctx) => execute(args, ctx as ResolvedCommandContext) };
}

/** Whether the words name a folder that has to be built. */
export function namesProject(args: string[]): boolean {
  if (!args.includes("install")) return false;
  return args.some((word, index) => {
    if (VALUED.includes(args[index - 1]) || /\.whl$|:\/\//.test(word)) return false;
    if (/^(-e|--editable)(=|$)/.test(word)) return true;
    return /^\.{1,2}(\/|\[|$)|^\//.test(word) || (!word.startsWith("-") && word.includes("/"));
  });
}
