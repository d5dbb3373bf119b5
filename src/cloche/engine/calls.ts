/** Programs that one worker runs for another: each call is answered once, and stopped when nobody waits for it. */

import { checked, killed } from "./outcomes.ts";
import type { ExecRequest, ExecResult, FromWorker } from "./protocol.ts";
import type { Slot } from "./slot.ts";

const WAITS = "its interpreter waits for a command that it has started itself";

interface Call {
  caller: Slot;
  /** The caller's own number for it; 0 for an errand. */
  call: number;
  target: Slot;
  answer(result: ExecResult): void;
}

export class Calls {
  readonly #open = new Map<number, Call>();
  #last = 0;

  /** `settled` is told whenever a worker owes one answer less. */
  constructor(private readonly settled: () => void) {}

  begin(caller: Slot, target: Slot, message: FromWorker & { op: "call" }): void {
    const answer = (result: ExecResult) => caller.post({ op: "returned", call: message.call, result });
    this.#begin({ caller, call: message.call, target, answer }, message.id, message.request);
  }

  /** For a worker that stands still until it has the answer. */
  forErrand(caller: Slot, target: Slot, run: number, request: ExecRequest): Promise<ExecResult> {
    return new Promise((answer) => this.#begin({ caller, call: 0, target, answer }, run, request));
  }

  #begin(call: Call, run: number, request: ExecRequest): void {
    // It stands still and waits for this very program, maybe through others.
    if (call.target.waits) return call.answer(killed(WAITS));
    const id = ++this.#last;
    this.#open.set(id, call);
    call.target.owed.add(`call ${id}`);
    call.target.post({ op: "exec", id: run, call: id, request: checked(request) });
  }

  /** An answer counts from the one who was asked only. */
  answer(from: Slot, id: number, result: ExecResult): void {
    if (this.#open.get(id)?.target === from) this.#settle(id, result);
  }

  /** The caller has no more use for the answer: the program is to end. `python` computes without reading messages. */
  stop(caller: Slot, number: number, python: Slot | undefined): void {
    for (const [id, call] of this.#open) {
      if (call.caller !== caller || call.call !== number) continue;
      // Its byte reaches it.
      if (call.target === python) call.target.shared.interrupt();
      call.target.post({ op: "stop", call: id });
    }
  }

  /** A worker is gone: who waits for it is told, and what it waited for is stopped. */
  drop(old: Slot, why: string, python: Slot | undefined): void {
    for (const [id, call] of [...this.#open]) {
      if (call.target === old) this.#settle(id, killed(why));
      else if (call.caller === old) this.stop(old, call.call, python);
    }
  }

  #settle(id: number, result: ExecResult): void {
    const call = this.#open.get(id);
    if (!call) return;
    this.#open.delete(id);
    call.target.owed.delete(`call ${id}`);
    this.settled();
    call.answer(result);
  }
}
