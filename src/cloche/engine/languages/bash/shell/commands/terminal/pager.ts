/** less and more: without a keyboard they show all at once. */
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import type { Given } from "../tool/options.ts";
import { complain, print } from "../tool/tool.ts";
import { compileRegex, type Matcher } from "../../../text/regex/regex.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { decodeText, encodeText, fromArray, toArray } from "../../../text/byte_strings.ts";
import { Input } from "../../descriptors/input.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import type { Command, CommandContext } from "../../processes/command.ts";

const LONG: Record<string, string> = {
  "LINE-NUMBERS": "N",
  "line-numbers": "n",
  "chop-long-lines": "S",
  "RAW-CONTROL-CHARS": "R",
  "raw-control-chars": "r",
  "quit-if-one-screen": "F",
  "no-init": "X",
  "ignore-case": "i",
  "squeeze-blank-lines": "s",
  pattern: "p",
};
const LETTERS = "NnSRrFXiIsp:eEfgGmMqQuUwWx:z:j:b:h:y:P:o:O:k:t:T:D:#:~acdCJKLV";

interface View {
  /** Lines before it are not shown. */
  first: number;
  pattern?: Matcher;
  numbers: boolean;
  squeeze: boolean;
}

async function show(context: CommandContext, stream: OpenStream, view: View): Promise<void> {
  const out = context.fds.get(1);
  const plain = view.first <= 1 && !view.pattern && !view.numbers && !view.squeeze;
  if (plain) {
    for (let chunk = await stream.read(65536); chunk !== undefined; chunk = await stream.read(65536)) {
      await out.write(chunk);
    }
    return;
  }
  let [number, started, blank] = [0, view.pattern === undefined, false];
  for await (const bytes of new Input(stream).lines()) {
    number++;
    const text = decodeText(fromArray(bytes)).replace(/\n$/, "");
    started ||= view.pattern?.test(text) ?? false;
    if (number < view.first || !started || view.squeeze && blank && text === "") continue;
    blank = text === "";
    const line = view.numbers ? `${String(number).padStart(7)} ${text}\n` : `${text}\n`;
    await out.write(toArray(encodeText(line)));
  }
}

/** `+10` begins with line 10, `+/text` with the first that matches, `+G` shows all. */
function viewOf(given: Given, commands: string[]): View {
  const view: View = { first: 1, numbers: given.has("N"), squeeze: given.has("s") };
  const ignoreCase = given.has("i", "I");
  if (given.has("p")) view.pattern = compileRegex(given.get("p") ?? "", { extended: true, ignoreCase });
  for (const command of commands) {
    const [, line] = /^\+{1,2}(\d+)g?$/.exec(command) ?? [];
    if (line !== undefined) view.first = Number(line);
    else if (command.startsWith("+/")) view.pattern = compileRegex(command.slice(2), { extended: true, ignoreCase });
    else if (!/^\+{1,2}[GFg]?$/.test(command)) {
      throw new CommandError(`${command}: there is no keyboard to type this on`);
    }
  }
  return view;
}

function pager(name: string): Command {
  return defineTool(
    name,
    { letters: LETTERS, long: LONG, synopsis: "[OPTION]... [FILE]..." },
    async ({ context, given }) => {
      const names = given.operands.filter((word) => !word.startsWith("+"));
      const view = viewOf(given, given.operands.filter((word) => word.startsWith("+")));
      if (names.length === 0 && context.fds.get(0).kind === "terminal") {
        throw new CommandError(`missing filename ("${name} --help" for help)`);
      }
      let code = 0;
      for (const [i, file] of (names.length > 0 ? names : ["-"]).entries()) {
        let stream: OpenStream;
        try {
          stream = file === "-" ? context.fds.get(0) : context.open(file, { read: true, write: false });
        } catch (error) {
          const reason = reasonOf(error);
          complain(context, reason === "Is a directory" ? `${file} is a directory` : `${file}: ${reason}`);
          code = 1;
          continue;
        }
        if (name === "more" && names.length > 1) {
          await print(
            context,
            `${i > 0 ? "\n" : ""}::::::::::::::\n${file}\n::::::::::::::\n`,
          );
        }
        try {
          await show(context, stream, view);
        } finally {
          if (file !== "-") stream.close();
        }
      }
      return code;
    },
  );
}

export const pagerCommands: Command[] = [pager("less"), pager("more"), pager("pager")];
