/** One language's place: its worker, the messages that wait for it, and what it has not answered yet. */

import { isWorkerMessage } from "./message_checks.ts";
import type { FromWorker, Init, Language, ResponseMessage, ToWorker } from "../protocol.ts";
import { type PendingOutput, SharedMemory } from "../worker/shared_memory.ts";

export interface WorkerLike {
  post(message: ToWorker, transfer?: Transferable[]): void;
  terminate(): void;
}

export type Spawn = (
  /** The language, or another name if it is decided later. */
  name: string,
  receive: (message: FromWorker) => void,
  failed: (message: string) => void,
) => WorkerLike;

export class WorkerSlot {
  shared = new SharedMemory();
  ready = false;
  /** Bytes of the interpreter, as the worker reported last. */
  memory = 0;
  /** Whether the worker is blocked until it has the reply to a request. */
  blocked = false;
  /** Runs and calls that this worker has not answered, each with its run. */
  readonly unanswered = new Map<string, number>();
  /** Queries that it has not replied to yet. */
  readonly queries = new Set<number>();
  cancelsSeen = 0;
  /** Its place in the router: its language, or the process of it. */
  readonly name: string;
  #worker: WorkerLike;
  #waiting: ToWorker[] = [];
  readonly #answers: ResponseMessage[] = [];
  #received = 0;
  /** How much of which block was sent before the worker could send it. */
  #seen = { block: 0, bytes: 0 };
  /** The last block that the worker has sent itself. */
  #sent = 0;

  constructor(
    readonly language: Language,
    init: () => Promise<Omit<Init, "shared">>,
    spawn: Spawn,
    receive: (slot: WorkerSlot, message: FromWorker) => void,
    failed: (slot: WorkerSlot, message: string) => void,
    /** The number of an interpreter that runs one program, 0 for one that stays. */
    readonly process = 0,
  ) {
    this.name = process > 0 ? `${language} ${process}` : language;
    this.#worker = spawn(language, (message) => this.#receive(message, receive), (text) => failed(this, text));
    init().then(
      (rest) => this.#worker.post({ op: "init", init: { ...rest, shared: this.shared.buffer } }),
      (error) => failed(this, error instanceof Error ? error.message : String(error)),
    );
  }

  /** Work waits here until the worker is ready; other messages are always sent. */
  post(message: ToWorker): void {
    if (this.ready) isResponse(message) ? this.#postAnswer(message) : this.#worker.post(message);
    else if (message.op !== "cancel") this.#waiting.push(message);
  }

  /** Takes back work that still waits for the worker to be ready; false if it was sent. */
  withdraw(is: (message: ToWorker) => boolean): boolean {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((message) => !is(message));
    return this.#waiting.length < before;
  }

  /** Answers that come together are sent in one message. */
  #postAnswer(message: ResponseMessage): void {
    if (this.#answers.push(message) > 1) return;
    queueMicrotask(() => {
      const messages = this.#answers.splice(0);
      const bytes = messages.flatMap((each) => each.op === "chunk" ? [each.data.buffer] : []);
      this.#worker.post(messages.length === 1 ? messages[0] : { op: "batch", messages }, bytes);
    });
  }

  /** New output that the worker has collected but is too busy to send. */
  takePendingOutput(): PendingOutput | null {
    const found = this.shared.peekBlock();
    if (!found || found.number <= this.#sent || found.after > this.#received) return null;
    const seen = found.number === this.#seen.block ? this.#seen.bytes : 0;
    if (found.data.length <= seen) return null;
    this.#seen = { block: found.number, bytes: found.data.length };
    return { ...found, data: found.data.subarray(seen) };
  }

  /** What is new in a block that the worker has sent. */
  takeNewPart(message: FromWorker & { op: "output" }): Uint8Array {
    this.#sent = message.block;
    return message.block === this.#seen.block ? message.data.subarray(this.#seen.bytes) : message.data;
  }

  terminate(): void {
    this.ready = false;
    this.#waiting = [];
    this.#worker.terminate();
  }

  #receive(message: unknown, receive: (slot: WorkerSlot, message: FromWorker) => void): void {
    this.#received++;
    if (!isWorkerMessage(message)) return;
    if (message.op === "ready" && !this.ready) {
      this.ready = true;
      this.memory = message.memory;
      for (const waiting of this.#waiting.splice(0)) this.#worker.post(waiting);
    }
    receive(this, message);
  }
}

function isResponse(message: ToWorker): message is ResponseMessage {
  return message.op === "response" || message.op === "chunk" || message.op === "credit" || message.op === "end";
}
