/** Routes requests of the workers and of the router itself, and returns each answer to the one that asked. */

import type { RunLimits } from "../limits.ts";
import type {
  ExecResult,
  FromHost,
  FromWorker,
  HostRequest,
  LanguageStates,
  PackRequest,
  ProgramRequest,
  StdinRequest,
  ToHost,
} from "../protocol.ts";
import { concatBytes } from "../text/bytes.ts";
import { RequestError } from "../worker/request_errors.ts";
import type { BlockingReplies } from "./blocking_replies.ts";
import { explainFailure, type LocalRequest, Loopback } from "./loopback/loopback.ts";
import type { Answer } from "./loopback/http_fetch.ts";
import type { ProgramCalls } from "./programs/program_calls.ts";
import type { WorkerSlot } from "./worker_slot.ts";

type FromHostOp = Extract<FromHost, { request: number }>;
type FromWorkerOp = Extract<FromWorker, { request: number }>;
type Begin = FromWorkerOp & { op: "request" };

interface Open {
  /** The worker that asked; the router itself if there is none. */
  slot: WorkerSlot | null;
  /** The asker's own number. */
  request: number;
  kind: string;
  /** What it asks, if the host may have to answer. */
  content?: HostRequest;
  /** Whether the asker is blocked by it. */
  blocking: boolean;
  /** Set if a program of the sandbox answers it, and not the host. */
  local?: LocalRequest;
  receive(message: FromHostOp): void;
}

/** What the router answers itself. */
const OWN = new Set(["program", "stdin"]);
/** Connections inside the sandbox, which its host has no part in. */
const INSIDE = new Set(["accept", "connect"]);
/** System calls: no interrupt ends them, and a worker in one of them counts as computing. */
const SYSTEM_CALLS = new Set(["link", "chmod", "bind", "unbind"]);

interface RelayPorts {
  send(message: ToHost): void;
  readonly replies: BlockingReplies;
  readonly programs: ProgramCalls;
  /** Among them how many requests of all workers may be open at once, without blocking ones and questions to the user. */
  limits(): RunLimits;
  /** The answer to a request for what each language has loaded. */
  languages(): LanguageStates;
  /** A worker is blocked from now on. */
  blocked(slot: WorkerSlot): void;
}

export class RequestRelay {
  readonly #open = new Map<number, Open>();
  readonly #loopback: Loopback;
  #last = 0;

  constructor(private readonly ports: RelayPorts) {
    this.#loopback = new Loopback(() => ports.limits());
  }

  fromWorker(slot: WorkerSlot, message: FromWorkerOp): void {
    if (message.op === "request") return message.blocking ? this.#block(slot, message) : this.#begin(slot, message);
    const number = this.#numberOf(slot, message.request);
    if (number === undefined) return this.#toProgram(slot, message);
    if (message.op === "broken" || message.op === "signal") return;
    const local = this.#open.get(number)?.local;
    if (message.op === "abort") this.#open.delete(number);
    if (local) local.receive(message);
    else this.ports.send({ ...message, request: number });
  }

  #toProgram(slot: WorkerSlot, message: Exclude<FromWorkerOp, { op: "request" }>): void {
    if (message.op === "abort") return this.ports.programs.stop(slot, message.request);
    if (message.op === "signal") return this.ports.programs.signal(slot, message.request, message.signal);
    const flow = this.ports.programs.flowFor(slot, message.request);
    if (message.op === "chunk") flow?.input(message.data);
    else if (message.op === "end") flow?.endInput();
    else if (message.op === "credit") flow?.release(message.bytes);
    else flow?.break(message.stream);
  }

  fromHost(message: FromHostOp): void {
    const open = this.#open.get(message.request);
    if (!open) return;
    if (message.op !== "end") return open.receive(message);
    this.#open.delete(message.request);
    const error = message.error && open.content ? explainFailure(open.content, message.error) : message.error;
    open.receive({ ...message, error });
  }

  /** A request of the router itself. */
  ask(content: PackRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const receive = (message: FromHostOp) => {
        if (message.op !== "end") return;
        if (message.error) reject(new RequestError(message.error.type, message.error.message));
        else resolve(message.data);
      };
      this.#send({ slot: null, request: 0, kind: content.kind, blocking: false, receive }, 0, content, true);
    });
  }

  /** Ends the request that blocks a worker, because the worker was interrupted. */
  wake(slot: WorkerSlot): void {
    this.ports.replies.forget(slot);
    this.#drop((open) => open.slot === slot && open.blocking && !SYSTEM_CALLS.has(open.kind));
  }

  /** Its worker is gone. */
  forget(slot: WorkerSlot): void {
    this.ports.replies.forget(slot);
    this.#drop((open) => open.slot === slot);
    this.#loopback.forget(slot);
  }

  #begin(slot: WorkerSlot, { request, run, content, complete }: Begin): void {
    const { kind } = content;
    if (isProgram(content)) {
      const answer = (data: ExecResult) => slot.post({ op: "end", request, error: null, data });
      return this.ports.programs.begin({ caller: slot, request, blocking: false }, run, content, answer);
    }
    if (kind === "languages") return slot.post({ op: "end", request, error: null, data: this.ports.languages() });
    const { hostRequests: most } = this.ports.limits();
    if (kind !== "input" && !INSIDE.has(kind) && this.#counted >= most) {
      const error = { type: "TooMany", message: `more than ${most} requests are open at once` };
      return slot.post({ op: "end", request, error });
    }
    const receive = (message: FromHostOp) => slot.post({ ...message, request });
    this.#send({ slot, request, kind, blocking: false, receive }, run, content, complete);
  }

  /** The worker has given up its earlier blocking request, if that is still open. */
  #block(slot: WorkerSlot, { request, run, content }: Begin): void {
    const { replies } = this.ports;
    this.#drop((open) => open.slot === slot && open.blocking);
    if (!SYSTEM_CALLS.has(content.kind)) {
      replies.begin(slot);
      this.ports.blocked(slot);
    }
    if (isProgram(content)) return this.#blockForProgram(slot, request, run, content);
    if (isStdin(content)) return this.#blockForInput(slot, request, content);
    let answer: unknown;
    const parts: Uint8Array[] = [];
    const open: Open = { slot, request, kind: content.kind, blocking: true, receive: () => {} };
    open.receive = (message: FromHostOp) => {
      if (message.op === "response") answer = message.data;
      else if (message.op === "chunk") {
        parts.push(message.data);
        const credit = { op: "credit", request: message.request, bytes: message.data.length } as const;
        if (open.local) open.local.receive(credit);
        else this.ports.send(credit);
      } else if (message.op === "end") {
        const { error, data = answer } = message;
        const body = concatBytes(error ? [] : parts);
        replies.write(slot, request, error ? { error, body } : { data, body });
      }
    };
    this.#send(open, run, content, true);
  }

  #blockForProgram(slot: WorkerSlot, request: number, run: number, content: ProgramRequest): void {
    const number = ++this.#last;
    this.#open.set(number, { slot, request, kind: content.kind, blocking: true, receive: () => {} });
    const answer = ({ exitCode, stdout, stderr }: ExecResult) => {
      if (!this.#open.delete(number)) return;
      const data = { exitCode, stdout: stdout.length };
      this.ports.replies.write(slot, request, { data, body: concatBytes([stdout, stderr]) });
    };
    this.ports.programs.begin({ caller: slot, request, blocking: true }, run, content, answer);
  }

  /** A program that flows waits for input; it comes to its next request if it has given this one up. */
  #blockForInput(slot: WorkerSlot, request: number, { most }: StdinRequest): void {
    const number = ++this.#last;
    this.#open.set(number, { slot, request, kind: "stdin", blocking: true, receive: () => {} });
    const take = (data: Uint8Array | null) => {
      if (!this.#open.delete(number)) return false;
      this.ports.replies.write(slot, request, { data: data === null, body: data ?? new Uint8Array(0) });
      return true;
    };
    const flow = this.ports.programs.flowOf(slot);
    if (flow) flow.ask(most, take);
    else take(null);
  }

  #send(open: Open, run: number, content: HostRequest, complete: boolean): void {
    const number = ++this.#last;
    this.#open.set(number, open);
    open.content = content;
    const pass = (content: HostRequest, complete = true) => {
      open.local = undefined;
      this.ports.send({ op: "request", request: number, run, content, complete });
    };
    const answer: Answer = (message) => this.fromHost({ ...message, request: number } as FromHostOp);
    open.local = this.#loopback.open({ owner: open.slot, content, complete, answer, pass });
    if (!open.local) pass(content, complete);
  }

  /** Forgets requests, and informs the host. */
  #drop(is: (open: Open) => boolean): void {
    for (const [number, open] of [...this.#open]) {
      if (!is(open)) continue;
      this.#open.delete(number);
      if (open.local) open.local.receive({ op: "abort", request: number });
      else if (!OWN.has(open.kind)) this.ports.send({ op: "abort", request: number });
    }
  }

  get #counted(): number {
    let count = 0;
    for (const { slot, blocking, kind, local } of this.#open.values()) {
      if (slot && !blocking && !local && kind !== "input") count++;
    }
    return count;
  }

  #numberOf(slot: WorkerSlot, request: number): number | undefined {
    for (const [number, open] of this.#open) {
      if (open.slot === slot && open.request === request && !open.blocking) return number;
    }
    return undefined;
  }
}

function isStdin(content: HostRequest): content is StdinRequest {
  return content.kind === "stdin";
}

function isProgram(content: HostRequest): content is ProgramRequest {
  return content.kind === "program";
}
