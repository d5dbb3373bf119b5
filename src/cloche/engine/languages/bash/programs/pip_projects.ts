/** `pip install .` and `pip install -e FOLDER`: projects are built by Python, inside the sandbox. */

import type { Command } from "../shell/processes/command.ts";
import type { StartProgram } from "./language_programs.ts";

/** Options of pip whose value may look like a folder. */
const VALUED = ["-r", "--requirement", "-c", "--constraint", "-t", "--target", "--log", "--cache-dir", "-f"];

/** `pip` over the host's. */
export function pipCommand(host: Command, start: StartProgram): Command {
  return {
    name: host.name,
    run(context) {
      const args = context.argv.slice(1);
      return namesProject(args) ? start("python", ["python3", "-m", "pip", ...args], context) : host.run(context);
    },
  };
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
