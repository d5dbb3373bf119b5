/** The bytes of a running program: its caller gives input when the program asks, and takes output by credit. */

import type { Stream } from "../../protocol.ts";
import type { WorkerSlot } from "../worker_slot.ts";

/** Takes a piece of input, or null at its end; false if it is not wanted any more. */
type TakeInput = (data: Uint8Array | null) => boolean;

export class ProgramFlow {
  readonly #pieces: Uint8Array[] = [];
  #ended = false;
  /** Whether the caller owes a piece of input. */
  #asked = false;
  #take: TakeInput | undefined;
  /** Bytes of output that the caller has not taken yet. */
  #pending = 0;

  constructor(
    private readonly caller: WorkerSlot,
    /** The caller's own number for the program. */
    private readonly request: number,
    private readonly target: WorkerSlot,
    /** The router's number for it. */
    private readonly program: number,
  ) {}

  /** The program waits for input. */
  ask(most: number, take: TakeInput): void {
    this.#take = take;
    if (this.#give() || this.#asked) return;
    this.#asked = true;
    this.caller.post({ op: "credit", request: this.request, bytes: most });
  }

  /** Input from the caller; what was not asked for is ignored. */
  input(data: Uint8Array): void {
    if (!this.#asked) return;
    this.#asked = false;
    this.#pieces.push(data);
    this.#give();
  }

  endInput(): void {
    this.#ended = true;
    this.#give();
  }

  output(stream: Stream, data: Uint8Array<ArrayBuffer>): void {
    this.#pending += data.length;
    this.caller.post({ op: "chunk", request: this.request, stream, data });
  }

  /** The caller has taken so much of the output. */
  release(bytes: number): void {
    const taken = Math.min(bytes, this.#pending);
    this.#pending -= taken;
    this.target.shared.releaseOutput(taken);
  }

  /** The program is over: what is still on its way holds up no other. */
  end(): void {
    this.release(this.#pending);
  }

  /** Nobody reads a stream of the output any more. */
  break(stream: Stream): void {
    this.target.shared.breakStream(this.program, stream);
  }

  #give(): boolean {
    if (!this.#take || (this.#pieces.length === 0 && !this.#ended)) return false;
    const take = this.#take;
    this.#take = undefined;
    if (!take(this.#pieces[0] ?? null)) return false;
    this.#pieces.shift();
    return true;
  }
}
