/** Compiled expressions and the code of the basic ones. */

import { raiseFailure, type Site } from "../vm/errors.ts";
import { TAIL, UNWIND, type Vm } from "../vm/vm.ts";
import { Closure, type Code, Env, Lambda } from "../vm/procedures.ts";
import { type Cell, UNBOUND } from "../syntax/scope.ts";
import type { Value } from "../vm/values.ts";

export interface Node {
  code: Code;
  /** Never returns TAIL or UNWIND. */
  simple: boolean;
  /** How deep the code nests on JavaScript's stack. */
  weight: number;
  /** What it always returns. */
  constant?: { value: Value };
  /** The procedure it makes. */
  lambda?: Lambda;
  site?: Site;
}

/** Held by a variable of a letrec until it has its value. */
const UNASSIGNED = Symbol("unassigned");

export function makeConstant(value: Value): Node {
  return { code: () => value, simple: true, weight: 1, constant: { value } };
}

export function maxWeight(nodes: Node[]): number {
  return nodes.reduce((most, node) => Math.max(most, node.weight), 0) + 1;
}

const SLOTS = ["a", "b", "c", "d"] as const;

function climb(env: Env, depth: number): Env {
  for (; depth > 0; depth--) env = env.up as Env;
  return env;
}

/** Written out for the nearest frames, so that the optimizer sees a separate function for each. */
const NEAR: Code[][] = [
  [(e) => e.a, (e) => e.b, (e) => e.c, (e) => e.d],
  [(e) => (e.up as Env).a, (e) => (e.up as Env).b, (e) => (e.up as Env).c, (e) => (e.up as Env).d],
  [
    (e) => ((e.up as Env).up as Env).a,
    (e) => ((e.up as Env).up as Env).b,
    (e) => ((e.up as Env).up as Env).c,
    (e) => ((e.up as Env).up as Env).d,
  ],
];

function getter(depth: number, index: number): Code {
  if (depth < NEAR.length && index < SLOTS.length) return NEAR[depth][index];
  if (index >= SLOTS.length) return (env) => (climb(env, depth).more as Value[])[index - SLOTS.length];
  const slot = SLOTS[index];
  return (env) => climb(env, depth)[slot];
}

export function makeReference(depth: number, index: number, name: string, check: Site | null): Node {
  const get = getter(depth, index);
  if (!check) return { code: get, simple: true, weight: 1 };
  const code: Code = (env) => {
    const value = get(env);
    if (value === UNASSIGNED) throw unassigned(name, check);
    return value;
  };
  return { code, simple: true, weight: 2 };
}

function unassigned(name: string, site: Site): Error {
  const error = raiseFailure("UnassignedVariable", `the variable ${name} is used before it has a value`);
  Object.assign(error.payload as object, { site });
  return error;
}

export function makeGlobalReference(cell: Cell, missing: () => Error): Node {
  const code: Code = () => {
    const value = cell.value;
    if (value === UNBOUND) throw missing();
    return value;
  };
  return { code, simple: true, weight: 1 };
}

/** What is done with a value, whether it is available at once or must be waited for. */
export function consumeValue(m: Vm, value: Node, act: (value: Value, env: Env) => Value, site: Site): Node {
  const { code: get, simple } = value;
  const code: Code = simple ? (env) => act(get(env), env) : (env) => {
    const v = get(env);
    return v === UNWIND ? m.push(act, env, null, site) : act(v, env);
  };
  return { code, simple, weight: value.weight + 1 };
}

export function makeAssignment(m: Vm, depth: number, index: number, value: Node, site: Site): Node {
  if (index >= SLOTS.length) {
    return consumeValue(m, value, (v, env) => {
      (climb(env, depth).more as Value[])[index - SLOTS.length] = v;
    }, site);
  }
  const slot = SLOTS[index];
  return consumeValue(m, value, (v, env) => {
    climb(env, depth)[slot] = v;
  }, site);
}

export function makeGlobalAssignment(
  m: Vm,
  cell: Cell,
  value: Node,
  site: Site,
  missing: (() => Error) | null,
): Node {
  return consumeValue(m, value, (v) => {
    if (missing && cell.value === UNBOUND) throw missing();
    cell.value = v;
  }, site);
}

export function makeConditional(m: Vm, test: Node, yes: Node, no: Node, site: Site): Node {
  const [t, y, n] = [test.code, yes.code, no.code];
  const decide = (value: Value, env: Env) => value !== false ? y(env) : n(env);
  const code: Code = test.simple ? (env) => t(env) !== false ? y(env) : n(env) : (env) => {
    const value = t(env);
    if (value === UNWIND) return m.push(decide, env, null, site);
    return value !== false ? y(env) : n(env);
  };
  return { code, simple: test.simple && yes.simple && no.simple, weight: maxWeight([test, yes, no]) };
}

/** The first when it is true, else the second; or the other way round for `and`. */
export function makeLogical(m: Vm, first: Node, second: Node, isOr: boolean, site: Site): Node {
  const [f, s] = [first.code, second.code];
  const decide = (value: Value, env: Env) => (value !== false) === isOr ? value : s(env);
  const code: Code = first.simple ? (env) => decide(f(env), env) : (env) => {
    const value = f(env);
    return value === UNWIND ? m.push(decide, env, null, site) : decide(value, env);
  };
  return { code, simple: first.simple && second.simple, weight: maxWeight([first, second]) };
}

export function makeSequence(m: Vm, nodes: Node[], sites: Site[]): Node {
  if (nodes.length === 0) return makeConstant(undefined);
  if (nodes.length > SHORT) return longSequence(m, nodes, sites);
  let result = nodes[nodes.length - 1];
  for (let i = nodes.length - 2; i >= 0; i--) result = pair(m, nodes[i], result, sites[i]);
  return { ...result, weight: maxWeight(nodes) + nodes.length };
}

/** Sequences up to this length nest, which is faster. */
const SHORT = 4;

function longSequence(m: Vm, nodes: Node[], sites: Site[]): Node {
  const codes = nodes.map((node) => node.code);
  const last = codes.length - 1;
  const go = (env: Env, from: number): Value => {
    for (let i = from; i < last; i++) if (codes[i](env) === UNWIND) return m.push(resume, env, i, sites[i]);
    return codes[last](env);
  };
  const resume = (_: Value, env: Env, at: Value) => go(env, at as number + 1);
  return { code: (env) => go(env, 0), simple: nodes.every((node) => node.simple), weight: maxWeight(nodes) + 1 };
}

function pair(m: Vm, first: Node, second: Node, site: Site): Node {
  const [f, s] = [first.code, second.code];
  const then = (_: Value, env: Env) => s(env);
  const code: Code = first.simple
    ? (env) => {
      f(env);
      return s(env);
    }
    : (env) => f(env) === UNWIND ? m.push(then, env, null, site) : s(env);
  return { code, simple: first.simple && second.simple, weight: maxWeight([first, second]) };
}

export function makeClosure(lambda: Lambda): Node {
  return { code: (env) => new Closure(lambda, env), simple: true, weight: 1, lambda };
}

/** A frame of variables without values around a body. */
export function withFrame(size: number, body: Node): Node {
  const U = UNASSIGNED;
  const inner = body.code;
  const code: Code = (env) => inner(new Env(env, U, U, U, U, size > 4 ? new Array(size - 4).fill(U) : null));
  return { code, simple: body.simple, weight: body.weight + 1 };
}

/** A body as a procedure without arguments in the same environment, for code that starts again. */
export function startNode(m: Vm, node: Node): Value {
  const lambda = new Lambda(null, 0, false);
  lambda.body = node.code;
  lambda.weight = node.weight;
  m.lambda = lambda;
  m.env = m.global;
  return TAIL;
}
