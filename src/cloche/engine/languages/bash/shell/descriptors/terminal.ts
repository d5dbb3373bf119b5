/** Standard input at a terminal: lines that the user is asked for. */
import { encodeText, toArray } from "../../text/byte_strings.ts";
import { BaseStream } from "./base_stream.ts";
import type { OpenStream } from "./stream.ts";
import type { DescriptorTable } from "./table.ts";

/** Asks for a line; null at the end of input, and on a timeout. */
export type AskLine = (
  prompt: string,
  hidden: boolean,
  seconds?: number,
  session?: boolean,
) => Promise<string | null>;

export class TerminalInput extends BaseStream {
  readonly kind = "terminal";

  constructor(private readonly ask: AskLine) {
    super("/dev/tty");
  }

  override read(most: number): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    return this.takeReturned(most) ?? this.#readLine(most);
  }

  override ready(): boolean {
    return this.returned !== undefined;
  }

  async #readLine(most: number): Promise<Uint8Array | undefined> {
    const bytes = await this.prompt("", false);
    if (bytes === undefined || bytes.length <= most) return bytes;
    this.unread(bytes.subarray(most));
    return bytes.subarray(0, most);
  }

  /** A line with a prompt and perhaps a time limit, as `read` asks; undefined if none came. */
  async prompt(
    prompt: string,
    hidden: boolean,
    seconds?: number,
    session?: boolean,
  ): Promise<Uint8Array | undefined> {
    const line = await this.ask(prompt, hidden, seconds, session);
    if (line === null) return undefined;
    return toArray(encodeText(line.endsWith("\n") ? line : `${line}\n`));
  }
}

/** The terminal behind a stream, if that is what it is. */
export function terminalOf(stream: OpenStream | undefined): TerminalInput | undefined {
  return stream instanceof TerminalInput ? stream : undefined;
}

/** Whether a descriptor is a terminal: one shows output only where somebody can type too. */
export function isTerminal(fds: DescriptorTable, number: number): boolean {
  return fds.find(number)?.kind === "terminal" && [0, 1, 2].some((each) => terminalOf(fds.find(each)) !== undefined);
}
