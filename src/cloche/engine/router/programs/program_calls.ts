/** Programs that one worker runs for another: each call is answered once, and stopped when its caller stops waiting. */

import { killedResult, refusedResult, stoppedResult } from "../outcomes.ts";
import { CANNOT_START } from "../../languages/language.ts";
import { ProgramFlow } from "./program_flow.ts";
import { WaitingPrograms } from "./waiting_programs.ts";
import type { ExecRequest, ExecResult, Language, ProgramRequest, Stream } from "../../protocol.ts";
import type { WorkerSlot } from "../worker_slot.ts";

const STOPPED = "it was stopped before its interpreter was ready";
const TOO_MANY = `${CANNOT_START}too many programs are running`;
const BLOCKED = "its interpreter waits for a command that it has started itself";

/** Milliseconds that a program has to end by itself. */
const PATIENCE = 1000;
/** Milliseconds between two attempts to stop one during a run. */
const AGAIN = 50;

interface Caller {
  caller: WorkerSlot;
  /** The caller's own number for it. */
  request: number;
  /** Whether it blocks the caller. */
  blocking: boolean;
}

interface Call extends Caller {
  target: WorkerSlot;
  /** The run that it is for. */
  run: number;
  /** Whether it was stopped: once is enough, and workers may wait for each other in a ring. */
  stopped?: boolean;
  interrupted?: boolean;
  flow?: ProgramFlow;
  /** Its process in the shell. */
  pid?: number;
  name: string;
  answer(result: ExecResult): void;
  /** Waits for a place, if its interpreter could not be started. */
  wait(why: string): void;
}

interface CallEvents {
  /** The worker for a program, which is started if there is none; undefined if there are too many. */
  slot(language: Language): WorkerSlot | undefined;
  /** The only worker that reads messages while it works. */
  bash(): WorkerSlot | undefined;
  /** Called whenever a worker owes one answer less. */
  settled(slot: WorkerSlot): void;
  /** Whether no run is being interrupted. */
  calm(): boolean;
  /** Ends the request that blocks a worker. */
  wake(slot: WorkerSlot): void;
  isOver(run: number): boolean;
  /** Whether an active run uses this worker. */
  serves(slot: WorkerSlot): boolean;
}

export class ProgramCalls {
  readonly #open = new Map<number, Call>();
  readonly #waiting = new WaitingPrograms();
  #last = 0;

  constructor(private readonly around: CallEvents) {}

  begin(caller: Caller, run: number, asked: ProgramRequest, answer: (result: ExecResult) => void): void {
    const target = this.around.slot(asked.language);
    if (target) this.#start(target, caller, run, asked, answer);
    else this.#await(TOO_MANY, caller, run, asked, answer);
  }

  /** Whether a program waits for a place. */
  get areWaiting(): boolean {
    return !this.#waiting.isEmpty;
  }

  /** An interpreter has ended: another program may have its place. */
  placeFreed(): void {
    this.#waiting.startNext();
  }

  /** An interrupt has begun. */
  interrupt(): void {
    this.#waiting.interrupt((run) => !this.around.isOver(run));
  }

  /** Waits for a place, unless all that run wait themselves for what they have started. */
  #await(
    why: string,
    caller: Caller,
    run: number,
    asked: ProgramRequest,
    answer: (result: ExecResult) => void,
  ): void {
    const name = asked.program.argv?.[0] ?? asked.language;
    const refuse = (reason = "") => answer(refusedResult(name, `${why}${reason}`));
    if (!this.#someoneWillEnd()) return refuse(why === TOO_MANY ? ", each of which has started another" : "");
    const start = () => {
      const target = this.around.slot(asked.language);
      if (target) this.#start(target, caller, run, asked, answer);
      return target !== undefined;
    };
    const added = this.#waiting.add({
      run: originOf(run, asked.program),
      is: (from, request) => from === caller.caller && request === caller.request,
      isFrom: (from) => from === caller.caller,
      start,
      stop: () => answer(stoppedResult()),
      refuse: (reason) => refuse(`, and ${reason}`),
    });
    if (!added) refuse();
  }

  /** Whether an interpreter runs a program that has started no other. */
  #someoneWillEnd(): boolean {
    const calls = [...this.#open.values()];
    const parents = new Set(calls.map(({ caller }) => caller));
    return calls.some(({ target }) => target.process > 0 && !parents.has(target));
  }

  #start(
    target: WorkerSlot,
    caller: Caller,
    run: number,
    asked: ProgramRequest,
    answer: (result: ExecResult) => void,
  ): void {
    const { language, program } = asked;
    const name = program.argv?.[0] ?? language;
    // It is blocked and waits for this very program, maybe through others.
    if (target.blocked) return answer(killedResult(BLOCKED));
    const id = ++this.#last;
    const flowing = target.process > 0 ? program.flows : program.flows && "output";
    const flows = caller.blocking ? undefined : flowing;
    const flow = flows ? new ProgramFlow(caller.caller, caller.request, target, id) : undefined;
    const wait = (why: string) => this.#await(why, caller, run, asked, answer);
    const call = { ...caller, target, run: originOf(run, program), answer, wait, flow, pid: program.pid, name };
    this.#open.set(id, call);
    // An earlier stop must not affect this program.
    if (target.unanswered.size === 0 && this.around.calm()) target.shared.clear();
    target.unanswered.set(`program ${id}`, call.run);
    const request = { ...normalize(program, flows), ...this.#parentOf(caller.caller) };
    target.post({ op: "run_program", id: run, program: id, request });
  }

  /** The number by which the shell knows the program that a process runs. */
  #parentOf(slot: WorkerSlot): { parent?: number } {
    if (slot.process === 0) return {};
    for (const call of this.#open.values()) if (call.target === slot) return { parent: call.pid };
    return {};
  }

  /** The bytes of a program, by its caller; undefined if it does not flow. */
  flowFor(caller: WorkerSlot, request: number): ProgramFlow | undefined {
    return this.#flow((call) => call.caller === caller && call.request === request);
  }

  /** The same by the process that runs it. */
  flowOf(target: WorkerSlot): ProgramFlow | undefined {
    return target.process > 0 ? this.#flow((call) => call.target === target) : undefined;
  }

  /** A worker has printed for a program. */
  output(from: WorkerSlot, id: number, stream: Stream, data: Uint8Array<ArrayBuffer>): void {
    const call = this.#open.get(id);
    if (call?.flow && call.target === from) call.flow.output(stream, data);
    else from.shared.releaseOutput(data.length);
  }

  #flow(is: (call: Call) => boolean): ProgramFlow | undefined {
    for (const call of this.#open.values()) if (call.flow && is(call)) return call.flow;
    return undefined;
  }

  /** Ignores results from any worker but the one the call was sent to. */
  answer(from: WorkerSlot, id: number, result: ExecResult): void {
    if (this.#open.get(id)?.target === from) this.#settle(id, result);
  }

  /** The caller does not need the answer any more: the program should end. */
  stop(caller: WorkerSlot, request: number): void {
    this.#waiting.stop(caller, request);
    this.#stop((call) => call.caller === caller && call.request === request && !call.blocking);
  }

  /** The shell passes it to the process; a program of another language that handles it is interrupted by it. */
  signal(caller: WorkerSlot, request: number, signal: number): void {
    for (const [id, call] of this.#open) {
      if (call.caller !== caller || call.request !== request) continue;
      if (call.target.process > 0) call.target.shared.deliver(signal);
      else call.target.post({ op: "signal_program", program: id, signal });
    }
  }

  #stop(is: (call: Call) => boolean): void {
    for (const [id, call] of this.#open) {
      if (call.stopped || !is(call)) continue;
      // An interrupt has reached it too, and ends it if it does not end by itself.
      if (call.target.process > 0 && !this.around.calm() && !this.around.isOver(call.run)) continue;
      call.stopped = true;
      if (call.target.process > 0) {
        this.#settle(id, stoppedResult());
        continue;
      }
      // A program that has not started is never started.
      if (call.target.withdraw((message) => message.op === "run_program" && message.program === id)) {
        this.#settle(id, killedResult(STOPPED));
        continue;
      }
      if (call.target !== this.around.bash()) this.#interrupt(id, call);
      call.target.post({ op: "stop_program", program: id });
    }
  }

  /** A shared byte reaches workers that compute; a program with a clock ends by it. */
  #interrupt(id: number, call: Call): void {
    if (!this.#open.has(id)) return;
    if (this.around.isOver(call.run)) {
      // Reaches only background work, as often as necessary.
      call.target.shared.requestBackgroundStop();
      setTimeout(() => this.#interrupt(id, call), AGAIN);
    }
    if (call.interrupted || this.#isBeside(call)) return;
    call.interrupted = true;
    call.target.shared.interrupt();
    this.around.wake(call.target);
    // The command that blocks it, if there is one.
    this.#stop((other) => other.caller === call.target && other.blocking);
    setTimeout(() => this.#open.has(id) && !this.#isBeside(call) && call.target.shared.kill(), PATIENCE);
  }

  /** Whether an interrupt would reach an active run instead of background work. */
  #isBeside({ run, target }: Call): boolean {
    return this.around.isOver(run) && this.around.serves(target);
  }

  /** A worker is gone: its callers get an answer, and what it waited for is stopped. */
  drop(old: WorkerSlot, why: string): void {
    this.#waiting.drop(old);
    for (const [id, call] of [...this.#open]) {
      if (call.target !== old) continue;
      if (why.startsWith(CANNOT_START)) this.#close(id)?.wait(why);
      else this.#settle(id, killedResult(why));
    }
    this.#stop((call) => call.caller === old);
  }

  #settle(id: number, result: ExecResult): void {
    const call = this.#close(id);
    if (!call) return;
    this.around.settled(call.target);
    call.answer(result);
  }

  #close(id: number): Call | undefined {
    const call = this.#open.get(id);
    if (!call) return undefined;
    this.#open.delete(id);
    call.flow?.end();
    call.target.unanswered.delete(`program ${id}`);
    return call;
  }
}

/** The run that started a program; a worker may claim anything. */
function originOf(run: number, { origin }: ExecRequest): number {
  return typeof origin === "number" ? origin : run;
}

/** A copy with defaults; a worker may send anything. */
function normalize(request: ExecRequest, flows: ExecRequest["flows"]): ExecRequest {
  return { ...request, env: { ...request.env }, live: request.live === true, merge: request.merge === true, flows };
}
