/** The answers to requests of workers that stand still, at most one of each: they go into memory that both share. */

import type { Package } from "../fs/packages.ts";
import type { BlockingRequest, ExecRequest, ExecResult, FromHost, HostRequest, Language, ToHost } from "../protocol.ts";
import { concatBytes } from "../text/bytes.ts";
import { type BlockingReply, encodeBlockingReply } from "../worker/reply_codec.ts";
import type { WorkerSlot } from "./worker_slot.ts";

const EMPTY = new Uint8Array(0);
/** Requests of workers that stand still have numbers above this one, all others below. */
const FIRST = 2 ** 30;

export class BlockingReplies {
  readonly #open = new Map<number, { slot: WorkerSlot; reply: BlockingReply }>();
  readonly #inputs = new Map<number, WorkerSlot>();
  /** Which command a worker waits for: the answer of one that was given up is not the next one's. */
  readonly #commands = new Map<WorkerSlot, object>();
  /** What of an answer has not fitted yet. */
  readonly #rest = new Map<WorkerSlot, Uint8Array>();
  #last = FIRST;

  constructor(
    private readonly send: (message: ToHost) => void,
    private readonly exec: (
      slot: WorkerSlot,
      run: number,
      language: Language,
      request: ExecRequest,
    ) => Promise<ExecResult>,
    private readonly news: (slot: WorkerSlot) => Package[] | undefined,
  ) {}

  take(slot: WorkerSlot, run: number, request: BlockingRequest): void {
    this.#rest.delete(slot);
    slot.waits = true;
    if (request.kind === "request") return this.#ask(slot, run, request.content);
    if (request.kind === "input") {
      this.#inputs.set(run, slot);
      return this.send({ op: "input", id: run, prompt: request.prompt, password: request.password });
    }
    this.#commands.set(slot, request);
    void this.exec(slot, run, request.language, request.request).then(({ exitCode, stdout, stderr }) => {
      if (this.#commands.get(slot) !== request) return;
      this.#commands.delete(slot);
      this.#answer(slot, { data: { exitCode, stdout: stdout.length }, body: concatBytes([stdout, stderr]) });
    });
  }

  /** The worker has read a part. */
  next(slot: WorkerSlot): void {
    const rest = this.#rest.get(slot);
    if (rest) this.#mail(slot, rest);
  }

  /** Whether this was asked for here. */
  answerInput(run: number, text: string | null): boolean {
    const slot = this.#inputs.get(run);
    if (slot) this.#answer(slot, { data: text, body: EMPTY });
    return this.#inputs.delete(run);
  }

  /** Whether the answer is to one of these. */
  fromHost(message: Extract<FromHost, { request: number }>): boolean {
    const open = this.#open.get(message.request);
    if (!open) return message.request > FIRST;
    const { reply } = open;
    if (message.op === "response") reply.data = message.data;
    else if (message.op === "chunk") {
      reply.body = concatBytes([reply.body, message.data]);
      this.send({ op: "credit", request: message.request, bytes: message.data.length });
    } else if (message.op === "end") {
      this.#open.delete(message.request);
      this.#answer(open.slot, message.error ? { error: message.error, body: EMPTY } : reply);
    }
    return true;
  }

  /** Nobody waits any more: the run was interrupted, or the worker is gone. */
  forget(slot: WorkerSlot): void {
    slot.waits = false;
    this.#rest.delete(slot);
    this.#commands.delete(slot);
    for (const [number, open] of [...this.#open]) {
      if (open.slot !== slot) continue;
      this.#open.delete(number);
      this.send({ op: "abort", request: number });
    }
    for (const [run, each] of [...this.#inputs]) if (each === slot) this.#inputs.delete(run);
  }

  #ask(slot: WorkerSlot, run: number, content: HostRequest): void {
    const request = ++this.#last;
    this.#open.set(request, { slot, reply: { body: EMPTY } });
    this.send({ op: "request", request, run, content, complete: true });
  }

  #answer(slot: WorkerSlot, reply: BlockingReply): void {
    if (slot.waits) this.#mail(slot, encodeBlockingReply({ ...reply, packages: this.news(slot) }));
  }

  #mail(slot: WorkerSlot, data: Uint8Array): void {
    const rest = slot.shared.mail(data);
    if (rest.length > 0) this.#rest.set(slot, rest);
    else {
      this.#rest.delete(slot);
      slot.waits = false;
    }
  }
}
