/** What a program of another language finds at /dev/fd/63: it cannot see the shell's descriptors, but files in their place. */

import { FileError } from "../../../fs/files.ts";
import { EndlessInput, explainEndless, readStart } from "../just_bash/whole_input.ts";
import type { OpenStream } from "../shell/descriptors/stream.ts";
import type { CommandContext } from "../shell/processes/command.ts";

/** A word that ends with the name of a descriptor, such as `--from=/dev/fd/63`. */
const NAMED = /^(.*)\/dev\/fd\/(\d+)$/s;
const FOLDER = "/tmp";
const OWN_ONLY = 0o600;
/** Standard input, output and error have ways of their own. */
const LAST_STANDARD = 2;

interface Written {
  path: string;
  to: OpenStream;
}

export class DescriptorFiles {
  readonly #paths: string[] = [];
  /** Files that the program may write, and where that goes. */
  readonly #written: Written[] = [];

  private constructor(private readonly context: CommandContext) {}

  /** The words of a program, with the names of files instead of descriptors. */
  static async replace(
    words: readonly string[],
    context: CommandContext,
  ): Promise<{ words: string[]; files: DescriptorFiles }> {
    const files = new DescriptorFiles(context);
    const replaced: string[] = [];
    try {
      for (const word of words) replaced.push(await files.#replaceWord(word, words[0]));
    } catch (error) {
      files.#remove();
      throw error;
    }
    return { words: replaced, files };
  }

  async #replaceWord(word: string, program: string): Promise<string> {
    const [, before, number] = NAMED.exec(word) ?? [];
    const stream = number === undefined ? undefined : this.context.fds.find(Number(number));
    if (!stream || Number(number) <= LAST_STANDARD) return word;
    const path = `${FOLDER}/.fd-${this.context.pid}-${number}-${crypto.randomUUID().slice(0, 8)}`;
    const content = await readFrom(stream);
    if (content?.endless !== undefined) throw new EndlessInput(explainEndless(content.endless, program));
    const file = this.context.files.open(path, { read: false, write: true, create: true, exclusive: true }, OWN_ONLY);
    this.#paths.push(path);
    try {
      if (content) await file.write(content.bytes);
      else this.#written.push({ path, to: stream });
    } finally {
      file.close();
    }
    return before + path;
  }

  /** The program has ended: what it wrote goes to the descriptors, and the files go. */
  async close(): Promise<void> {
    try {
      for (const { path, to } of this.#written) {
        if (this.context.files.exists(path)) await to.write(this.context.files.readFile(path));
      }
    } finally {
      this.#remove();
    }
  }

  #remove(): void {
    for (const path of this.#paths.splice(0)) {
      if (this.context.files.exists(path)) this.context.files.removeFile(path);
    }
  }
}

/** All that a descriptor has to read; undefined if it is for writing. */
async function readFrom(stream: OpenStream): Promise<{ bytes: Uint8Array; endless?: string } | undefined> {
  try {
    return await readStart(stream);
  } catch (error) {
    if (error instanceof FileError && error.code === "EBADF") return undefined;
    throw error;
  }
}
