/** cat. */
import { reasonOf } from "../../text/file_errors.ts";
import { decodeText, encodeText, fromArray, toArray } from "../../text/byte_strings.ts";
import type { OpenStream } from "../descriptors/stream.ts";
import type { CommandContext } from "../processes/command.ts";
import type { Later } from "../task.ts";
import { Turns } from "../turns.ts";
import { defineTool } from "./tool/define.ts";
import { complain } from "./tool/tool.ts";

const CHUNK = 65536;
const LONG = {
  "show-all": "A",
  "number-nonblank": "b",
  "show-ends": "E",
  number: "n",
  "squeeze-blank": "s",
  "show-tabs": "T",
  "show-nonprinting": "v",
};

/** Changes what is read as the options say; keeps count over all files. */
class Formatter {
  #line = 0;
  #atStart = true;
  #blanks = 0;

  constructor(private readonly flags: ReadonlySet<string>) {}

  change(bytes: Uint8Array): Uint8Array {
    const { flags } = this;
    let out = "";
    for (const char of fromArray(bytes)) {
      if (this.#atStart) {
        this.#blanks = char === "\n" ? this.#blanks + 1 : 0;
        if (flags.has("s") && this.#blanks > 1) continue;
        if (flags.has("n") && !flags.has("b") || flags.has("b") && char !== "\n") {
          out += `${String(++this.#line).padStart(6)}\t`;
        }
      }
      this.#atStart = char === "\n";
      if (char === "\n") out += flags.has("E") ? "$\n" : "\n";
      else if (char === "\t") out += flags.has("T") ? "^I" : "\t";
      else out += flags.has("v") ? visible(char.charCodeAt(0)) : char;
    }
    return toArray(out);
  }
}

function visible(code: number): string {
  if (code >= 128) return `M-${visible(code - 128)}`;
  if (code < 32) return `^${String.fromCharCode(code + 64)}`;
  return code === 127 ? "^?" : String.fromCharCode(code);
}

export const cat = defineTool("cat", { letters: "AbeEnstTuv", long: LONG }, ({ context, given, inputs }) => {
  const flags = new Set([..."bEnsTv"].filter((letter) => given.has(letter)));
  if (given.has("A") || given.has("e") || given.has("t")) flags.add("v");
  if (given.has("A") || given.has("e")) flags.add("E");
  if (given.has("A") || given.has("t")) flags.add("T");
  const formatter = flags.size > 0 ? new Formatter(flags) : undefined;
  return copyFiles(context, inputs, 0, 0, formatter);
});

function copyFiles(
  context: CommandContext,
  names: string[],
  from: number,
  code: number,
  formatter: Formatter | undefined,
): Later<number> {
  for (let i = from; i < names.length; i++) {
    const name = names[i];
    let stream: OpenStream;
    try {
      stream = name === "-" ? context.fds.get(0) : context.open(name, { read: true, write: false });
    } catch (error) {
      complain(context, `cat: ${decodeText(encodeText(name))}: ${reasonOf(error)}`);
      code = 1;
      continue;
    }
    const done = copy(stream, context.fds.get(1), new Turns(context.signal), formatter);
    const close = () => name === "-" || stream.close();
    if (done instanceof Promise) {
      return done.finally(close).then(() => copyFiles(context, names, i + 1, code, formatter));
    }
    close();
  }
  return code;
}

function copy(from: OpenStream, to: OpenStream, turns: Turns, formatter: Formatter | undefined): Later<void> {
  if (from.endless !== undefined && to.kind === "pipe") to.endless = from.endless;
  for (;;) {
    const chunk = from.read(CHUNK);
    if (chunk instanceof Promise) return copyLater(from, to, turns, formatter, chunk);
    if (chunk === undefined) return;
    const written = to.write(formatter ? formatter.change(chunk) : chunk) ?? turns.attend();
    if (written instanceof Promise) return written.then(() => copyLater(from, to, turns, formatter, from.read(CHUNK)));
  }
}

async function copyLater(
  from: OpenStream,
  to: OpenStream,
  turns: Turns,
  formatter: Formatter | undefined,
  first: Later<Uint8Array | undefined>,
): Promise<void> {
  for (let chunk = await first; chunk !== undefined; chunk = await from.read(CHUNK)) {
    await to.write(formatter ? formatter.change(chunk) : chunk);
    await turns.attend();
  }
}
