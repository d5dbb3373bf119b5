/** The script that a shell reads from its standard input. */
import { concatBytes } from "../../../../text/bytes.ts";
import { decodeText, encodeText, fromArray, toArray } from "../../text/byte_strings.ts";
import { Input } from "../descriptors/input.ts";
import type { OpenStream } from "../descriptors/stream.ts";
import { expandPrompt } from "../expansion/prompt.ts";
import { readVariable } from "../state/assign.ts";
import { parseOptions } from "../state/shell_state.ts";
import { endingOf } from "../syntax/ending.ts";
import type { Parser } from "../syntax/parser.ts";
import { type Task, wait } from "../task.ts";
import type { ShellInterpreter } from "./execute.ts";

/** How a shell asks that reads what could be typed. */
export interface Prompts {
  /** Whether it shows the lines, as line editing does. */
  shows: boolean;
}

/** Reads one command at a time, from what standard input is then. */
export class ScriptInput {
  #line = 1;
  #stream: OpenStream | undefined;
  #text = "";

  constructor(private readonly shell: ShellInterpreter, private readonly prompts?: Prompts) {}

  /** A parser of the next whole command, or of lines without one; undefined at the end of input. */
  *next(): Task<Parser | undefined> {
    const { shell } = this;
    this.#stream = shell.fds.find(0);
    this.#text = this.#stream ? yield* this.#readCommand(new Input(this.#stream)) : "";
    if (this.#text === "" && this.prompts) shell.writeQuietly("exit\n", 2);
    return this.#text === "" ? undefined : shell.parserOf(this.#text, this.#line);
  }

  *#readCommand(input: Input): Task<string> {
    const parts: Uint8Array[] = [];
    let text = "";
    // More lines each time, since the text is read anew for each.
    for (let wanted = 1;; wanted = this.prompts ? 1 : wanted * 2) {
      for (let count = 0; count < wanted; count++) {
        const line = yield* this.#readLine(input, parts.length === 0 ? "PS1" : "PS2");
        if (line === undefined) return decodeText(fromArray(concatBytes(parts)));
        parts.push(line);
      }
      text = decodeText(fromArray(concatBytes(parts)));
      if (endingOf(text, parseOptions(this.shell.state)).whole) return text;
    }
  }

  *#readLine(input: Input, prompt: string): Task<Uint8Array | undefined> {
    const { shell, prompts } = this;
    if (prompts) shell.writeQuietly(yield* expandPrompt(shell, readVariable(shell, prompt) ?? ""), 2);
    const line = yield* wait(input.readLine());
    if (line && prompts?.shows) shell.writeQuietly(decodeText(fromArray(line)), 2);
    return line;
  }

  /** Gives back what the parser has not taken: commands may read that. */
  giveBack({ scanner }: Parser): void {
    this.#line = scanner.line;
    const left = scanner.text.length - scanner.at;
    if (left > 0) this.#stream?.unread(toArray(encodeText(this.#text.slice(-left))));
  }
}
