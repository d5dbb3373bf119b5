/** The output of a program: shown at once, or kept for its caller, until the caller wants no more. */

import { ByteBuffer } from "./byte_buffer.ts";
import type { ExecRequest, ExecResult, Stream } from "../protocol.ts";
import type { LanguageWorker } from "../languages/language.ts";

/** Bytes that a program can still write after its reader has left: as many as fit into a real pipe. */
const BUFFER = 4096;
const BROKEN_PIPE = 141;
const NEWLINE = 10;

export class ProgramOutput {
  readonly #kept: Record<Stream, ByteBuffer> = { stdout: new ByteBuffer(), stderr: new ByteBuffer() };
  #lines = 0;
  #late = 0;
  #over = false;

  constructor(
    private readonly worker: Pick<LanguageWorker, "outputBuffer" | "shared" | "sendOutput">,
    private readonly request: Pick<ExecRequest, "live" | "merge" | "wanted" | "flows">,
    /** Ends the program; called each time, for code that catches it and continues. */
    private readonly stop = () => worker.shared.interrupt(),
  ) {}

  /** Whether the output is shown at once. */
  get live(): boolean {
    return this.request.live;
  }

  /** Whether no more output is accepted: the program was stopped. */
  get over(): boolean {
    return this.#over;
  }

  write(stream: Stream, data: Uint8Array): void {
    const to = this.request.merge ? "stdout" : stream;
    if (this.request.live) return this.worker.outputBuffer.write(to, data);
    if (this.request.flows) return this.#send(to, data);
    if (this.#over) return this.#end();
    const kept = this.#kept[to];
    if (to === "stdout" && this.#isEnough(kept)) this.#late += data.length;
    else if (kept.takes(data.length)) this.#keep(kept, data);
    else return this.#flood();
    if (this.#late > BUFFER) this.#end();
  }

  /** `unread` is the exit code of a program that was stopped. */
  result(exitCode: number, unread = BROKEN_PIPE): ExecResult {
    const [stdout, stderr] = [this.#kept.stdout.bytes, this.#kept.stderr.bytes];
    if (!this.#over) return { exitCode, stdout, stderr };
    this.worker.shared.takeInterrupt();
    return { exitCode: unread, stdout, stderr };
  }

  #send(stream: Stream, data: Uint8Array): void {
    if (!this.worker.sendOutput(stream, data) && stream === "stdout") this.#end();
  }

  #isEnough({ size }: ByteBuffer): boolean {
    const { wanted } = this.request;
    return wanted !== undefined && (this.#lines >= wanted.lines || size >= wanted.bytes);
  }

  #keep(kept: ByteBuffer, data: Uint8Array): void {
    kept.add(data);
    if (!this.request.wanted || kept !== this.#kept.stdout) return;
    for (let at = data.indexOf(NEWLINE); at >= 0; at = data.indexOf(NEWLINE, at + 1)) this.#lines++;
  }

  #flood(): void {
    const notice = new TextEncoder().encode("stopped: too much was printed into a pipe\n");
    if (this.#kept.stderr.takes(notice.length)) this.#kept.stderr.add(notice);
    this.#end();
  }

  #end(): void {
    this.#over = true;
    this.stop();
  }
}
