/** The lines of sed's files, one after the other, with a look at whether one follows. */
import { FileError } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import type { Task } from "../../task.ts";
import { LineReader } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";

export class SedInput {
  /** The number of the line that was read last. */
  line = 0;
  /** The name of the file that it came from. */
  name = "-";
  /** Whether that line had no end. */
  open = false;
  #next = 0;
  #reader: LineReader | undefined;
  #opened = "";
  #lines: string[] = [];
  #at = 0;

  constructor(
    private readonly tool: Tool,
    private readonly names: string[],
    /** Each file is a text of its own. */
    private readonly separate: boolean,
    private readonly end: number,
    /** Called before a file's first line is read, and after its last. */
    private readonly enter: (name: string) => void,
    private readonly leave: (name: string) => Task<void>,
  ) {}

  /** Reads a line; undefined at the end. */
  *read(): Task<string | undefined> {
    if (this.#at >= this.#lines.length && !(yield* this.#fill(true))) return undefined;
    const line = this.#lines[this.#at++];
    this.open = this.#at === this.#lines.length && (this.#reader?.open ?? false);
    this.name = this.#opened;
    this.line++;
    return line;
  }

  /** Whether the line that was read last is the last one. */
  *isLast(): Task<boolean> {
    return this.#at >= this.#lines.length && !(yield* this.#fill(false));
  }

  /** Whether files follow the one that is being read. */
  get hasMoreFiles(): boolean {
    return this.separate && this.#next < this.names.length;
  }

  /** Gives standard input back what was not used. */
  *close(): Task<void> {
    if (this.#opened === "-") this.#reader?.giveBack(this.#lines.slice(this.#at));
    yield* this.#closeFile();
  }

  /** Has at least one more line ready. Files of their own are left only when a line is wanted. */
  *#fill(goOn: boolean): Task<boolean> {
    for (;;) {
      if (this.#reader) {
        const written = this.tool.out.flush();
        if (written instanceof Promise) yield written;
        const turn = this.tool.attend();
        if (turn instanceof Promise) yield turn;
        const more = yield* this.#batch(this.#reader);
        if (more !== undefined) {
          this.#lines = more;
          this.#at = 0;
          return true;
        }
        if (this.separate && !goOn) return false;
        yield* this.#closeFile();
      }
      if (this.#next >= this.names.length) return false;
      this.#openFile(this.names[this.#next++]);
    }
  }

  *#batch(reader: LineReader): Task<string[] | undefined> {
    try {
      const next = reader.next();
      return next instanceof Promise ? (yield next) as string[] | undefined : next;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      this.tool.report(`couldn't read ${this.#opened}: ${reasonOf(error)}`, 2);
      return undefined;
    }
  }

  #openFile(name: string): void {
    let stream: OpenStream;
    try {
      stream = this.tool.open(name);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      const reason = reasonOf(error);
      const folder = error.code === "EISDIR";
      const text = folder
        ? this.separate ? `couldn't edit ${name}: not a regular file` : `couldn't read ${name}: ${reason}`
        : `can't read ${name}: ${reason}`;
      this.tool.report(
        folder && !this.separate ? `read error on ${name}: ${reason}` : text,
        folder && this.separate ? 4 : 2,
      );
      return;
    }
    this.#opened = name;
    this.#reader = new LineReader(stream, this.tool.coding, this.end);
    this.#lines = [];
    this.#at = 0;
    if (this.separate) this.line = 0;
    this.enter(name);
  }

  *#closeFile(): Task<void> {
    if (!this.#reader) return;
    if (this.#opened !== "-") this.#reader.stream.close();
    this.#reader = undefined;
    yield* this.leave(this.#opened);
  }
}
