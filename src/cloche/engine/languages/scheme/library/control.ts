/** Procedures that call procedures, continuations, errors, promises and parameters. */

import { Condition, Exit, raiseFailure, wrongType } from "../vm/errors.ts";
import { UNWIND, type Vm } from "../vm/vm.ts";
import { Continuation, isProcedure, Parameter } from "../vm/procedures.ts";
import { messageOf } from "../error_reports.ts";
import { CALM, Guard, State } from "../vm/dynamic_state.ts";
import { Delayed, Instance, itemsOf, listOf, Pair, RecordType, Text, type Value, Values } from "../vm/values.ts";
import { raiseCondition, resumeAt, rewindTo } from "../vm/winding.ts";
import type { Registry } from "./registry.ts";

function procedure(value: Value, who: string): Value {
  if (isProcedure(value)) return value;
  throw wrongType(who, "a procedure", value);
}

function addCalls(r: Registry, m: Vm): void {
  r.fn("procedure?", 1, isProcedure);
  r.control("apply", [1, Infinity], (f: Value, ...args: Value[]) => {
    const last = args.length > 0 ? itemsOf(args[args.length - 1], "apply") : [];
    return m.apply(f, args.length > 1 ? args.slice(0, -1).concat(last) : last);
  });
  r.rest("values", 0, (args) => args.length === 1 ? args[0] : new Values(args));
  r.control("call-with-values", 2, (producer: Value, consumer: Value) => {
    const value = m.call(producer, []);
    const pass = (value: Value) => m.apply(consumer, value instanceof Values ? value.list : [value]);
    return m.after(value, pass);
  });
  const callcc = (f: Value) => {
    procedure(f, "call/cc");
    return m.unwind(() => m.apply(f, [new Continuation(m.frame, m.state)]));
  };
  r.control("call-with-current-continuation", 1, callcc);
  r.control("call/cc", 1, callcc);
  r.control("call-with-escape-continuation", 1, callcc);
  r.control("within-continuation", 2, (k: Value, thunk: Value) => {
    if (!(k instanceof Continuation)) throw wrongType("within-continuation", "a continuation", k);
    return resumeAt(m, k, () => m.apply(thunk, []));
  });
  r.control("dynamic-wind", 3, (before: Value, thunk: Value, after: Value) => {
    for (const each of [before, thunk, after]) procedure(each, "dynamic-wind");
    return m.after(m.call(before, []), () => wound(m, before, thunk, after));
  });
}

function wound(m: Vm, before: Value, thunk: Value, after: Value): Value {
  const outer = m.state;
  const winder = { before, after, outer, inner: outer, depth: (outer.winder?.depth ?? 0) + 1 };
  winder.inner = new State(winder, outer.handlers, outer.parameters);
  m.state = winder.inner;
  return m.after(m.call(thunk, []), (value) => {
    m.state = outer;
    return m.after(m.call(after, []), () => value);
  });
}

function addErrors(r: Registry, m: Vm): void {
  r.control("with-exception-handler", 2, (handler: Value, thunk: Value) => {
    const outer = m.state;
    const handlers = { handler: procedure(handler, "with-exception-handler"), next: outer.handlers };
    m.state = new State(outer.winder, handlers, outer.parameters);
    return m.after(m.call(thunk, []), (value) => {
      m.state = outer;
      return value;
    });
  });
  r.control("%guard", 2, (thunk: Value, clauses: Value) => {
    const outer = m.state;
    const mark = (value: Value) => {
      m.state = outer;
      return value;
    };
    m.state = new State(
      outer.winder,
      { handler: new Guard(clauses, outer, mark), next: outer.handlers },
      outer.parameters,
    );
    return m.after(m.call(thunk, []), mark);
  });
  // The stack is given up first, so that the place is known and the handler has room.
  const raising = (continuable: boolean) => (payload: Value) => {
    const { site } = m;
    return m.unwind(() => raiseCondition(m, payload, continuable, site));
  };
  r.control("raise", 1, raising(false));
  r.control("raise-continuable", 1, raising(true));
  r.control("error", [0, Infinity], (message: Value, ...irritants: Value[]) => {
    const text = message instanceof Text ? message.toString() : messageOf(new Condition("", "", [message])).trim();
    throw raiseFailure("Error", text, ...irritants);
  });
  r.fn("error-object?", 1, (x: Value) => x instanceof Condition);
  r.fn("error-object-message", 1, (x: Value) => new Text(condition(x, "error-object-message").message));
  r.fn("error-object-irritants", 1, (x: Value) => listOf(condition(x, "error-object-irritants").irritants));
  r.fn("error-object-type", 1, (x: Value) => new Text(condition(x, "error-object-type").type));
  r.fn("condition/report-string", 1, (x: Value) => new Text(messageOf(condition(x, "condition/report-string"))));
  r.fn("read-error?", 1, (x: Value) => x instanceof Condition && x.type === "ReadError");
  r.fn("file-error?", 1, (x: Value) => x instanceof Condition && x.type === "FileError");
  r.control("exit", [0, 1], (code: Value) =>
    m.unwind(() =>
      rewindTo(m, CALM, () => {
        throw new Exit(exitCode(code));
      })
    ));
  r.control("emergency-exit", [0, 1], (code: Value) => {
    throw new Exit(exitCode(code));
  });
}

function condition(value: Value, who: string): Condition {
  if (value instanceof Condition) return value;
  throw wrongType(who, "an error object", value);
}

function exitCode(code: Value): number {
  if (code === undefined || code === true) return 0;
  return typeof code === "number" ? code & 255 : 1;
}

function addPromises(r: Registry, m: Vm): void {
  r.fn("promise?", 1, (x: Value) => x instanceof Delayed);
  r.fn("make-promise", 1, (x: Value) => x instanceof Delayed ? x : new Delayed({ done: true, value: x }));
  r.fn("%delay-force", 1, (thunk: Value) => new Delayed({ done: false, value: thunk }));
  r.control("force", 1, (x: Value) => x instanceof Delayed ? force(m, x) : x);
}

/** A loop, not a recursion: chains of delay-force take no room. */
function force(m: Vm, promise: Delayed): Value {
  while (!promise.box.done) {
    const next = m.call(promise.box.value, []);
    if (next === UNWIND) {
      return m.after(next, (value) => {
        chain(promise, value);
        return force(m, promise);
      });
    }
    chain(promise, next);
  }
  return promise.box.value;
}

function chain(promise: Delayed, next: Value): void {
  if (promise.box.done) return;
  if (!(next instanceof Delayed)) throw wrongType("force", "a promise", next);
  promise.box.done = next.box.done;
  promise.box.value = next.box.value;
  next.box = promise.box;
}

function addParameters(r: Registry, m: Vm): void {
  r.control("make-parameter", [1, 2], (value: Value, convert: Value) => {
    if (convert === undefined) return new Parameter(value, null);
    return m.after(m.call(convert, [value]), (value) => new Parameter(value, convert));
  });
  r.control("%convert", 2, (parameter: Value, value: Value) => {
    if (!(parameter instanceof Parameter)) throw wrongType("parameterize", "a parameter", parameter);
    return parameter.convert === null ? value : m.apply(parameter.convert, [value]);
  });
  r.control("%parameterize", 2, (bindings: Value, thunk: Value) => {
    const outer = m.state;
    let next = outer.parameters;
    for (const each of itemsOf(bindings, "parameterize")) {
      const { car, cdr } = each as Pair;
      next = { parameter: car as Parameter, value: cdr, next };
    }
    m.state = new State(outer.winder, outer.handlers, next);
    return m.after(m.call(thunk, []), (value) => {
      m.state = outer;
      return value;
    });
  });
}

function addRecords(r: Registry): void {
  r.fn("record?", 1, (x: Value) => x instanceof Instance);
  r.fn("record-type-name", 1, (x: Value) => {
    if (x instanceof RecordType) return new Text(x.name);
    throw wrongType("record-type-name", "a record type", x);
  });
}

export function addControl(r: Registry, m: Vm): void {
  addCalls(r, m);
  addErrors(r, m);
  addPromises(r, m);
  addParameters(r, m);
  addRecords(r);
  r.fn("void", [0, Infinity], () => undefined);
}
