/** The output of a program: shown at once, passed on to its caller in pieces, or kept for the end. */

import { ByteBuffer } from "../byte_buffer.ts";
import type { ExecRequest, ExecResult, Stream } from "../../protocol.ts";
import type { LanguageWorker } from "../../languages/language.ts";

/** Bytes that a program can still write after its reader has left: as many as fit into a real program's buffer. */
const BUFFER = 4096;
const BROKEN_PIPE = 141;
/** Output that flows leaves in pieces of so many bytes, or after so many milliseconds. */
const PIECE = 32 << 10;
const PAUSE = 10;

export class ProgramOutput {
  readonly #kept: Record<Stream, ByteBuffer> = { stdout: new ByteBuffer(), stderr: new ByteBuffer() };
  #late = 0;
  #over = false;
  #sent = performance.now();
  /** For a program that waits without computing. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly worker: Pick<LanguageWorker, "outputBuffer" | "shared" | "sendOutput">,
    private readonly request: Pick<ExecRequest, "live" | "merge" | "flows" | "program">,
    /** Ends the program; called each time, for code that catches it and continues. */
    private readonly stop = () => worker.shared.interrupt(),
    /** Whether the program collects its output itself, so that each write is passed on, and one without a reader fails. */
    private readonly exact = false,
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
    if (this.#over) return this.#end();
    if (this.request.flows && this.exact) return this.#send(to, data);
    const kept = this.#kept[to];
    if (!kept.takes(data.length)) return this.#flood();
    kept.add(data);
    if (this.request.flows) this.#pace(kept.size);
  }

  /** `unread` is the exit code of a program that was stopped. */
  result(exitCode: number, unread = BROKEN_PIPE): ExecResult {
    clearTimeout(this.#timer);
    const [stdout, stderr] = [this.#kept.stdout.bytes, this.#kept.stderr.bytes];
    if (!this.#over) return { exitCode, stdout, stderr };
    this.worker.shared.takeInterrupt();
    return { exitCode: unread, stdout, stderr };
  }

  #pace(size: number): void {
    if (size >= PIECE || performance.now() - this.#sent > PAUSE) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), PAUSE);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const stream of ["stdout", "stderr"] as const) {
      const data = this.#kept[stream].take();
      if (data.length > 0) this.#send(stream, data);
    }
    this.#sent = performance.now();
  }

  #send(stream: Stream, data: Uint8Array): void {
    if (this.worker.sendOutput(this.request.program ?? 0, stream, data) || stream === "stderr") return;
    this.#late += data.length;
    if (this.exact || this.#late > BUFFER) this.#end();
  }

  #flood(): void {
    const notice = new TextEncoder().encode("stopped: too much was printed\n");
    if (this.#kept.stderr.takes(notice.length)) this.#kept.stderr.add(notice);
    this.#end();
  }

  #end(): void {
    this.#over = true;
    this.stop();
  }
}
