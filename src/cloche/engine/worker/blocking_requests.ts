/**
 * What a language that cannot wait for messages has others do: the worker stands still, and the main thread puts the
 * answer into memory that both share.
 */

import { RequestError } from "./requests.ts";
import type { Package } from "../fs/packages.ts";
import { decodeReply, encodeReply } from "./reply_codec.ts";
import type {
  BlockingRequest,
  ExecRequest,
  ExecResult,
  FromHost,
  HostRequest,
  Language,
  RequestFailure,
  ToHost,
} from "../protocol.ts";
import type { SharedMemory } from "./shared_memory.ts";
import type { WorkerSlot } from "../router/worker_slot.ts";
import { concatBytes } from "../text/bytes.ts";

/** An answer: what can be written as JSON, and bytes behind it. */
interface Reply {
  data?: unknown;
  error?: RequestFailure;
  /** All packages, if they have changed meanwhile. */
  packages?: Package[];
  body: Uint8Array;
}

const EMPTY = new Uint8Array(0);
/** Questions of errands have numbers above this one, all others below. */
const FIRST = 2 ** 30;

/** The wait was ended by an interrupt. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** The worker's side. */
export class BlockingRequests {
  constructor(
    private readonly shared: SharedMemory,
    private readonly post: (run: number, errand: BlockingRequest) => void,
    private readonly read: () => void,
    private readonly setPackages: (packages: Package[]) => void,
  ) {}

  /** Asks the host; throws AskError when it refuses. */
  ask(run: number, question: HostRequest): { data: unknown; body: Uint8Array } {
    return this.#run(run, { what: "ask", question });
  }

  exec(run: number, language: Language, request: ExecRequest): ExecResult {
    const { data, body } = this.#run(run, { what: "exec", language, request });
    const { exitCode, stdout } = data as { exitCode: number; stdout: number };
    return { exitCode, stdout: body.subarray(0, stdout), stderr: body.subarray(stdout) };
  }

  /** Null at the end of input. */
  input(run: number, prompt: string, password: boolean): string | null {
    return this.#run(run, { what: "input", prompt, password }).data as string | null;
  }

  #run(run: number, errand: BlockingRequest): { data: unknown; body: Uint8Array } {
    this.shared.clearReply();
    this.post(run, errand);
    const parts: Uint8Array[] = [];
    for (;;) {
      const part = this.shared.awaitReply();
      if (!part) throw new Interrupted("interrupted");
      parts.push(part.data);
      if (part.last) break;
      this.read();
    }
    const { data, error, packages, body } = open(parts);
    if (packages) this.setPackages(packages);
    if (error) throw new RequestError(error.type, error.message);
    return { data, body };
  }
}

/** The main thread's side: at most one errand of each worker. */
export class BlockingReplies {
  readonly #open = new Map<number, { slot: WorkerSlot; letter: Reply }>();
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

  take(slot: WorkerSlot, run: number, errand: BlockingRequest): void {
    this.#rest.delete(slot);
    slot.waits = true;
    if (errand.what === "ask") return this.#ask(slot, run, errand.question);
    if (errand.what === "input") {
      this.#inputs.set(run, slot);
      return this.send({ op: "input", id: run, prompt: errand.prompt, password: errand.password });
    }
    this.#commands.set(slot, errand);
    void this.exec(slot, run, errand.language, errand.request).then(({ exitCode, stdout, stderr }) => {
      if (this.#commands.get(slot) !== errand) return;
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

  /** Whether the answer is to an errand. */
  fromHost(message: Extract<FromHost, { ask: number }>): boolean {
    const open = this.#open.get(message.ask);
    if (!open) return message.ask > FIRST;
    const { letter } = open;
    if (message.op === "answered") letter.data = message.data;
    else if (message.op === "piece") {
      letter.body = concatBytes([letter.body, message.data]);
      this.send({ op: "more", ask: message.ask, bytes: message.data.length });
    } else if (message.op === "end") {
      this.#open.delete(message.ask);
      this.#answer(open.slot, message.error ? { error: message.error, body: EMPTY } : letter);
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
      this.send({ op: "drop", ask: number });
    }
    for (const [run, each] of [...this.#inputs]) if (each === slot) this.#inputs.delete(run);
  }

  #ask(slot: WorkerSlot, run: number, question: HostRequest): void {
    const ask = ++this.#last;
    this.#open.set(ask, { slot, letter: { body: EMPTY } });
    this.send({ op: "ask", id: run, ask, question, complete: true });
  }

  #answer(slot: WorkerSlot, letter: Reply): void {
    if (slot.waits) this.#mail(slot, close({ ...letter, packages: this.news(slot) }));
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

function close({ data, error, packages, body }: Reply): Uint8Array {
  return encodeReply({ head: { packages, ...(error ? { error } : { data: data ?? null }) }, body });
}

function open(parts: Uint8Array[]): Reply {
  const { head, body } = decodeReply(parts);
  return { ...head as Omit<Reply, "body">, body };
}
