/** The code of calls. */

import { addLocation, type Site } from "../vm/errors.ts";
import { inlinePrimitive } from "./inline.ts";
import { TAIL, UNWIND, type Vm } from "../vm/vm.ts";
import { maxWeight, type Node } from "./nodes.ts";
import { Closure, type Code, Env, type Native, type Primitive } from "../vm/procedures.ts";
import type { Cell } from "../syntax/scope.ts";
import type { Value } from "../vm/values.ts";

export function compileCall(m: Vm, operator: Node, operands: Node[], tail: boolean, site: Site): Node {
  const all = [operator, ...operands];
  const code = all.every((node) => node.simple) && operands.length <= 4
    ? quick(m, operator.code, operands.map((node) => node.code), tail, site)
    : operandsThen(m, all, site, (vals) => {
      const f = vals[0];
      const args = vals.slice(1);
      return tail ? m.applyAt(f, args, site) : m.callAt(f, args, site);
    });
  return { code, simple: false, weight: maxWeight(all) + 1 };
}

/** Calls whose parts are simple, without an array for the arguments. */
function quick(m: Vm, op: Code, args: Code[], tail: boolean, site: Site): Code {
  const [a, b, c, d] = args;
  const slow = tail
    ? (f: Value, args: Value[]) => m.applyAt(f, args, site)
    : (f: Value, args: Value[]) => m.callAt(f, args, site);
  const go = tail
    ? (f: Closure, env: Env): Value => {
      m.lambda = f.lambda;
      m.env = env;
      return TAIL;
    }
    : (f: Closure, env: Env): Value => m.enter(f.lambda, env);
  const U = undefined;
  switch (args.length) {
    case 0:
      return (env) => {
        const f = op(env);
        if (f instanceof Closure && f.lambda.arity === 0) return go(f, new Env(f.env, U, U, U, U, null));
        return slow(f, []);
      };
    case 1:
      return (env) => {
        const f = op(env);
        const x = a(env);
        if (f instanceof Closure && f.lambda.arity === 1) return go(f, new Env(f.env, x, U, U, U, null));
        return slow(f, [x]);
      };
    case 2:
      return (env) => {
        const f = op(env);
        const x = a(env);
        const y = b(env);
        if (f instanceof Closure && f.lambda.arity === 2) return go(f, new Env(f.env, x, y, U, U, null));
        return slow(f, [x, y]);
      };
    case 3:
      return (env) => {
        const f = op(env);
        const x = a(env);
        const y = b(env);
        const z = c(env);
        if (f instanceof Closure && f.lambda.arity === 3) return go(f, new Env(f.env, x, y, z, U, null));
        return slow(f, [x, y, z]);
      };
    default:
      return (env) => {
        const f = op(env);
        const x = a(env);
        const y = b(env);
        const z = c(env);
        const w = d(env);
        if (f instanceof Closure && f.lambda.arity === 4) return go(f, new Env(f.env, x, y, z, w, null));
        return slow(f, [x, y, z, w]);
      };
  }
}

/** Evaluates from left to right; the values so far are copied when evaluation resumes, because it may resume twice. */
function operandsThen(m: Vm, nodes: Node[], site: Site, done: (vals: Value[], env: Env) => Value): Code {
  const codes = nodes.map((node) => node.code);
  const count = codes.length;
  const go = (env: Env, vals: Value[], i: number): Value => {
    for (; i < count; i++) {
      const value = codes[i](env);
      if (value === UNWIND) return m.push(resume, env, { vals, i }, site);
      vals[i] = value;
    }
    return done(vals, env);
  };
  const resume = (value: Value, env: Env, data: Value): Value => {
    const { vals, i } = data as { vals: Value[]; i: number };
    const copy = vals.slice();
    copy[i] = value;
    return go(env, copy, i + 1);
  };
  return (env) => go(env, new Array(count), 0);
}

/** The variables of a `let`, then its body in a new frame. */
export function bindThen(m: Vm, inits: Node[], body: Node, site: Site): Node {
  const inner = body.code;
  const simple = inits.every((node) => node.simple);
  const weight = maxWeight([...inits, body]);
  const [a, b] = inits.map((node) => node.code);
  const U = undefined;
  if (simple && inits.length === 1) {
    return { code: (env) => inner(new Env(env, a(env), U, U, U, null)), simple: body.simple, weight };
  }
  if (simple && inits.length === 2) {
    return { code: (env) => inner(new Env(env, a(env), b(env), U, U, null)), simple: body.simple, weight };
  }
  const code = operandsThen(m, inits, site, (vals, env) => {
    return inner(new Env(env, vals[0], vals[1], vals[2], vals[3], vals.length > 4 ? vals.slice(4) : null));
  });
  return { code, simple: simple && body.simple, weight: weight + 1 };
}

/** A call of a primitive by its own name; it is looked at each time whether the name still means it. */
export function primitiveCall(m: Vm, cell: Cell, primitive: Primitive, operands: Node[], site: Site): Node {
  const simple = operands.every((node) => node.simple);
  const weight = maxWeight(operands) + 1;
  const two = operands.length === 2 ? primitive.two : null;
  const changed = simple
    ? (args: Value[]) => m.nested(cell.value, args)
    : (args: Value[]) => m.callAt(cell.value, args, site);
  const native = two ?? primitive.call;
  if (primitive.spread && !two || operands.length > 3) {
    const { call, spread } = primitive;
    const code = operandsThen(m, operands, site, (vals) => {
      if (cell.value !== primitive) return changed(vals);
      try {
        return spread ? call(vals) : call(...vals);
      } catch (error) {
        throw addLocation(error, site);
      }
    });
    return { code, simple, weight };
  }
  const run = guarded(cell, primitive, native, changed, site, operands.length);
  const code = inlinePrimitive(cell, primitive, operands, run) ?? spelled(m, operands, run, site);
  return { code, simple, weight };
}

type Changed = (args: Value[]) => Value;

function guarded(
  cell: Cell,
  primitive: Primitive,
  native: Native,
  changed: Changed,
  site: Site,
  count: number,
): Native {
  if (count === 2) {
    return (x, y) => {
      if (cell.value !== primitive) return changed([x, y]);
      try {
        return native(x, y);
      } catch (error) {
        throw addLocation(error, site);
      }
    };
  }
  if (count === 1) {
    return (x) => {
      if (cell.value !== primitive) return changed([x]);
      try {
        return native(x);
      } catch (error) {
        throw addLocation(error, site);
      }
    };
  }
  return (...args) => {
    if (cell.value !== primitive) return changed(args);
    try {
      return native(...args);
    } catch (error) {
      throw addLocation(error, site);
    }
  };
}

/** Up to three operands, without an array when they are simple. */
function spelled(m: Vm, operands: Node[], run: Native, site: Site): Code {
  const [a, b, c] = operands.map((node) => node.code);
  if (operands.length === 0) return () => run();
  if (operands.length === 1) {
    if (operands[0].simple) return (env) => run(a(env));
    const after = (value: Value) => run(value);
    return (env) => {
      const x = a(env);
      return x === UNWIND ? m.push(after, env, null, site) : run(x);
    };
  }
  if (operands.length === 2) return spelledTwo(m, operands, run, site);
  if (operands.every((node) => node.simple)) return (env) => run(a(env), b(env), c(env));
  return operandsThen(m, operands, site, (vals) => run(vals[0], vals[1], vals[2]));
}

function spelledTwo(m: Vm, [first, second]: Node[], run: Native, site: Site): Code {
  const [a, b] = [first.code, second.code];
  if (first.simple && second.simple) return (env) => run(a(env), b(env));
  const afterSecond = (value: Value, _: Env, x: Value) => run(x, value);
  const afterFirst = (value: Value, env: Env) => {
    const y = b(env);
    return y === UNWIND ? m.push(afterSecond, env, value, site) : run(value, y);
  };
  return (env) => {
    const x = a(env);
    if (x === UNWIND) return m.push(afterFirst, env, null, site);
    const y = b(env);
    if (y === UNWIND) return m.push(afterSecond, env, x, site);
    return run(x, y);
  };
}
