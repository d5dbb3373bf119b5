/** Leaving and entering dynamic environments: jumps to continuations, and raised conditions. */

import { Condition, type Site } from "./errors.ts";
import { UNWIND, type Vm } from "./vm.ts";
import { Continuation, Primitive } from "./procedures.ts";
import { reportUncaught } from "../error_reports.ts";
import { childOf, commonAncestor, Guard, State, type Winder } from "./dynamic_state.ts";
import type { Value } from "./values.ts";

/** The handler of a run that is nested in JavaScript. */
export const OUTWARD = {};

/** Something raised that a nested run has no handler for. */
export class Outward extends Error {
  constructor(readonly payload: Value, readonly continuable: boolean) {
    super("raised");
  }
}

/** Continues at a continuation with the result of `act` there, through the winders in between. */
export function resumeAt(m: Vm, to: Continuation, act: () => Value): Value {
  const arrive = () => {
    m.frame = to.frame;
    return act();
  };
  return m.unwind(() => rewindTo(m, to.state, arrive), true);
}

export function jumpTo(m: Vm, to: Continuation, value: Value): Value {
  return resumeAt(m, to, () => value);
}

/** Runs the `dynamic-wind` thunks between here and `target`, then calls `done`; the current frames are kept. */
export function rewindTo(m: Vm, target: State, done: () => Value): Value {
  for (;;) {
    const here = m.state.winder;
    if (here === target.winder) break;
    const value = step(m, here, target.winder);
    if (value === UNWIND) return m.after(value, () => rewindTo(m, target, done));
  }
  m.state = target;
  return done();
}

/** Leaves the innermost winder, or enters the outermost that is missing. */
function step(m: Vm, here: Winder | null, there: Winder | null): Value {
  const shared = commonAncestor(here, there);
  if (here && here !== shared) {
    m.state = here.outer;
    return m.call(here.after, []);
  }
  const next = childOf(shared, there);
  m.state = next.outer;
  return m.after(m.call(next.before, []), () => {
    m.state = next.inner;
    return undefined;
  });
}

/** Calls the handler with what was raised. */
export function raiseCondition(m: Vm, payload: Value, continuable: boolean, site: Site | null = null): Value {
  const handlers = m.state.handlers;
  if (!handlers) return m.unwind(() => reportUncaught(payload, site, m.frame));
  if (handlers.handler === OUTWARD) throw new Outward(payload, continuable);
  const inner = m.state;
  const outer = new State(inner.winder, handlers.next, inner.parameters);
  if (handlers.handler instanceof Guard) {
    const again = () => raiseCondition(m, payload, continuable, site);
    return toGuard(m, handlers.handler, payload, outer, again);
  }
  m.state = outer;
  return m.after(m.call(handlers.handler, [payload]), (value) => {
    if (!continuable) return raiseCondition(m, returnedFrom(payload), false);
    m.state = inner;
    return value;
  });
}

function returnedFrom(payload: Value): Condition {
  return new Condition("Error", "the handler returned from a raise that cannot be continued:", [payload]);
}

/** Evaluates the clauses of a guard outside of its body; if none matches, control returns and raises again. */
function toGuard(m: Vm, guard: Guard, payload: Value, outer: State, again: () => Value): Value {
  return m.unwind(() => {
    const here = new Continuation(m.frame, outer);
    let frame = m.frame;
    while (frame && frame.data !== guard.mark) frame = frame.next;
    const reraise = new Primitive("reraise", 0, 0, () => resumeAt(m, here, again), false, true);
    return rewindTo(m, guard.state, () => {
      m.frame = frame?.next ?? null;
      return m.apply(guard.clauses, [payload, reraise]);
    });
  });
}
