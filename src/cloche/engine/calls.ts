/** Programs that one worker runs for another: each call is answered once, and stopped when nobody waits for it. */

import { checked, killed } from "./outcomes.ts";
import type { ExecResult, FromWorker } from "./protocol.ts";
import type { Slot } from "./slot.ts";

interface Call {
  caller: Slot;
  /** The caller's own number for it. */
  call: number;
  target: Slot;
}

export class Calls {
  readonly #open = new Map<number, Call>();
  #last = 0;

  /** `settled` is told whenever a worker owes one answer less. */
  constructor(private readonly settled: () => void) {}

  begin(caller: Slot, target: Slot, message: FromWorker & { op: "call" }): void {
    const id = ++this.#last;
    this.#open.set(id, { caller, call: message.call, target });
    target.owed.add(`call ${id}`);
    target.post({ op: "exec", id: message.id, call: id, request: checked(message.request) });
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
    call.caller.post({ op: "returned", call: call.call, result });
  }
}
