/** watch: runs a command again and again, until it is stopped. */
import { concatBytes } from "../../../../../text/bytes.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import { print } from "../tool/tool.ts";
import { decodeText, fromArray } from "../../../text/byte_strings.ts";
import { SinkStream } from "../../descriptors/devices.ts";
import type { CommandContext } from "../../processes/command.ts";

const LONG = {
  interval: "n",
  "no-title": "t",
  differences: "d",
  errexit: "e",
  chgexit: "g",
  color: "c",
  exec: "x",
  beep: "b",
  precise: "p",
  equexit: "q",
};
const SHORTEST = 0.1;

async function runOnce(context: CommandContext, argv: string[]): Promise<{ text: string; code: number }> {
  const parts: Uint8Array[] = [];
  const fds = context.fds.fork();
  fds.set(1, new SinkStream("pipe", (bytes) => parts.push(bytes)));
  fds.duplicate(1, 2);
  const code = await context.spawn(argv, { fds }).done;
  context.signal.throwIfAborted();
  return { text: decodeText(fromArray(concatBytes(parts))), code };
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

export const watch = defineTool(
  "watch",
  { letters: "n:tdegcxbpq:", long: LONG, strict: true },
  async ({ context, given }) => {
    const words = given.operands;
    if (words.length === 0) throw new CommandError("a command is needed: watch [-n SECONDS] COMMAND");
    const seconds = Number((given.get("n") ?? "2").replace(",", "."));
    if (!(seconds >= 0)) throw new CommandError(`failed to parse argument: '${given.get("n")}'`);
    const interval = Math.max(SHORTEST, seconds);
    const argv = given.has("x") ? words : ["sh", "-c", words.join(" ")];
    const title = `Every ${interval.toFixed(1)}s: ${words.join(" ")}`;
    const terminal = context.fds.get(1).kind === "terminal";
    let [before, same] = [undefined as string | undefined, 0];
    for (;;) {
      const { text, code } = await runOnce(context, argv);
      const head = given.has("t") ? "" : `${title}    ${new Date().toUTCString().replace(" GMT", "")}\n\n`;
      await print(context, `${terminal ? "\x1b[H\x1b[2J" : ""}${head}${text}`);
      if (given.has("e") && code !== 0) return 8;
      if (given.has("g") && before !== undefined && before !== text) return 0;
      same = before === text ? same + 1 : 0;
      if (given.has("q") && same >= Number(given.get("q"))) return 0;
      before = text;
      await pause(interval, context.signal);
      context.signal.throwIfAborted();
    }
  },
);
