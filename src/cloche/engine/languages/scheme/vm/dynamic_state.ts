/** The dynamic environment: what lasts as long as a call, and is restored when control leaves or comes back. */

import type { Parameter } from "./procedures.ts";
import type { Value } from "./values.ts";

export class State {
  constructor(readonly winder: Winder | null, readonly handlers: Handlers | null, readonly parameters: Bound | null) {}
}

export interface Winder {
  before: Value;
  after: Value;
  outer: State;
  inner: State;
  depth: number;
}

interface Handlers {
  /** A procedure, or the mark of a guard. */
  handler: Value;
  next: Handlers | null;
}

interface Bound {
  parameter: Parameter;
  value: Value;
  next: Bound | null;
}

/** Of a program that begins. */
export const CALM = new State(null, null, null);

/** The handler of a `guard` form; its frame is known by the mark. */
export class Guard {
  constructor(readonly clauses: Value, readonly state: State, readonly mark: (value: Value) => Value) {}
}

/** What two places have in common. */
export function commonAncestor(a: Winder | null, b: Winder | null): Winder | null {
  while (a !== b) {
    if ((a?.depth ?? 0) >= (b?.depth ?? 0)) a = a?.outer.winder ?? null;
    else b = b?.outer.winder ?? null;
  }
  return a;
}

/** The step from one place towards another inside it. */
export function childOf(parent: Winder | null, descendant: Winder | null): Winder {
  let child = descendant as Winder;
  while (child.outer.winder !== parent) child = child.outer.winder as Winder;
  return child;
}
