/** Programs that one worker runs for another: each call is answered once, and stopped when nobody waits for it. */

import { killedResult } from "./outcomes.ts";
import type { ExecRequest, ExecResult, FromWorker } from "../protocol.ts";
import type { WorkerSlot } from "./worker_slot.ts";

const STOPPED = "it was stopped before its interpreter was ready";
const BLOCKED = "its interpreter waits for a command that it has started itself";

/** Milliseconds that a program has to end by itself. */
const PATIENCE = 1000;
/** Milliseconds between two attempts to stop one beside a run. */
const AGAIN = 50;

interface Call {
  caller: WorkerSlot;
  /** The caller's own number for it; 0 where it stands still for it. */
  call: number;
  target: WorkerSlot;
  /** The run that it is for. */
  run: number;
  /** Whether it was stopped: once is enough, and workers may wait for each other in a ring. */
  stopped?: boolean;
  interrupted?: boolean;
  answer(result: ExecResult): void;
}

interface CallEvents {
  /** Told whenever a worker owes one answer less. */
  settled(): void;
  /** Whether no run is being interrupted. */
  calm(): boolean;
  /** Ends what a worker waits for while it stands still. */
  wake(slot: WorkerSlot): void;
  isOver(run: number): boolean;
  /** Whether a run that goes on has this worker. */
  serves(slot: WorkerSlot): boolean;
}

export class ProgramCalls {
  readonly #open = new Map<number, Call>();
  #last = 0;

  constructor(private readonly around: CallEvents) {}

  begin(caller: WorkerSlot, target: WorkerSlot, message: FromWorker & { op: "call" }): void {
    const answer = (result: ExecResult) => caller.post({ op: "returned", call: message.call, result });
    const { id, call, request } = message;
    this.#begin({ caller, call, target, run: originOf(id, request), answer }, id, request);
  }

  /** For a worker that stands still until it has the answer. */
  beginBlocking(caller: WorkerSlot, target: WorkerSlot, run: number, request: ExecRequest): Promise<ExecResult> {
    const origin = originOf(run, request);
    return new Promise((answer) => this.#begin({ caller, call: 0, target, run: origin, answer }, run, request));
  }

  #begin(call: Call, run: number, request: ExecRequest): void {
    // It stands still and waits for this very program, maybe through others.
    if (call.target.waits) return call.answer(killedResult(BLOCKED));
    const id = ++this.#last;
    this.#open.set(id, call);
    // What stopped the program before is none of this one's business.
    if (call.target.unanswered.size === 0 && this.around.calm()) call.target.shared.clear();
    call.target.unanswered.set(`call ${id}`, call.run);
    call.target.post({ op: "exec", id: run, call: id, request: normalizeExecRequest(request) });
  }

  /** An answer counts from the one who was asked only. */
  answer(from: WorkerSlot, id: number, result: ExecResult): void {
    if (this.#open.get(id)?.target === from) this.#settle(id, result);
  }

  /** The caller has no more use for the answer: the program is to end. Only `bash` reads messages while it works. */
  stop(caller: WorkerSlot, number: number, bash: WorkerSlot | undefined): void {
    for (const [id, call] of this.#open) {
      if (call.caller !== caller || call.call !== number || call.stopped) continue;
      call.stopped = true;
      // One that has not begun is never begun.
      if (call.target.withdraw((message) => message.op === "exec" && message.call === id)) {
        this.#settle(id, killedResult(STOPPED));
        continue;
      }
      if (call.target !== bash) this.#interrupt(id, call, bash);
      call.target.post({ op: "stop", call: id });
    }
  }

  /** A byte reaches those who compute; those who have a clock and still go on are ended by it. */
  #interrupt(id: number, call: Call, bash: WorkerSlot | undefined): void {
    if (!this.#open.has(id)) return;
    if (this.around.isOver(call.run)) {
      // Reaches only what runs have left, as often as it is needed.
      call.target.shared.requestBackgroundStop();
      setTimeout(() => this.#interrupt(id, call, bash), AGAIN);
    }
    if (call.interrupted || this.#isBeside(call)) return;
    call.interrupted = true;
    call.target.shared.interrupt();
    this.around.wake(call.target);
    // The command that it stands still for, if there is one.
    this.stop(call.target, 0, bash);
    setTimeout(() => this.#open.has(id) && !this.#isBeside(call) && call.target.shared.kill(), PATIENCE);
  }

  /** Whether an interrupt would reach a run that goes on, instead of what another has left. */
  #isBeside({ run, target }: Call): boolean {
    return this.around.isOver(run) && this.around.serves(target);
  }

  /** A worker is gone: its callers get an answer, and what it waited for is stopped. */
  drop(old: WorkerSlot, why: string, bash: WorkerSlot | undefined): void {
    for (const [id, call] of [...this.#open]) {
      if (call.target === old) this.#settle(id, killedResult(why));
      else if (call.caller === old) this.stop(old, call.call, bash);
    }
  }

  #settle(id: number, result: ExecResult): void {
    const call = this.#open.get(id);
    if (!call) return;
    this.#open.delete(id);
    call.target.unanswered.delete(`call ${id}`);
    this.around.settled();
    call.answer(result);
  }
}

/** The run that has begun a program; a worker may say anything. */
function originOf(run: number, { origin }: ExecRequest): number {
  return typeof origin === "number" ? origin : run;
}

/** A copy with defaults; a worker may say anything. */
function normalizeExecRequest(request: ExecRequest): ExecRequest {
  return { ...request, env: { ...request.env }, live: request.live === true, merge: request.merge === true };
}
