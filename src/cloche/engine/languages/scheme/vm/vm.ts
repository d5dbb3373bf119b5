/**
 * Runs compiled code. Calls nest on JavaScript's stack until it is full, or the continuation is wanted: then every
 * piece of code that waits for a value leaves a frame here and returns UNWIND, and the frames are resumed one by one.
 */

import { applyPrimitive, bindArguments, chooseClause } from "../compiler/arguments.ts";
import { addLocation, Condition, Raised, raiseFailure, type Site } from "./errors.ts";
import { onCharge } from "./work_meter.ts";
import { CaseClosure, Closure, Continuation, Env, type Lambda, Parameter, Primitive } from "./procedures.ts";
import { tooDeep } from "../error_reports.ts";
import { CALM, State } from "./dynamic_state.ts";
import { type Value, Values } from "./values.ts";
import { jumpTo, OUTWARD, Outward, raiseCondition } from "./winding.ts";

/** The value comes from the VM's `lambda` in its `env`. */
export const TAIL = Symbol("tail");
/** The stack is being given up; what waits for a value leaves a frame. */
export const UNWIND = Symbol("unwind");

type Resume = (value: Value, env: Env, data: Value) => Value;

/** Code that waits for a value. */
export class Frame {
  next: Frame | null = null;
  depth = 0;

  constructor(readonly resume: Resume, readonly env: Env, readonly data: Value, readonly site: Site | null) {}
}

interface Limits {
  /** Calls that may wait for one another. */
  depth: number;
}

/** How much nesting JavaScript's stack is trusted with. */
const STACK = 2000;
const STEPS = 10_000;
const GLOBAL = new Env(null, undefined, undefined, undefined, undefined, null);
const proceed: Resume = (value, _, data) => (data as (value: Value) => Value)(value);

export class Vm {
  lambda: Lambda | null = null;
  env: Env = GLOBAL;
  state: State = CALM;
  frame: Frame | null = null;
  /** Where the latest call was whose procedure does not have this many parameters. */
  site: Site | null = null;
  #frames: Frame[] = [];
  #drops = false;
  #then: () => Value = () => undefined;
  #depth = 0;
  #steps = STEPS;
  readonly global = GLOBAL;

  /** The argument of `poll` says whether it is called because much was allocated, or after this many steps. */
  constructor(private readonly poll: (much: boolean) => void, readonly limits: Limits) {}

  /** Runs until nothing waits any more; the state of an earlier run that was broken off is forgotten. */
  execute(code: () => Value): Value {
    this.reset();
    onCharge(() => this.poll(true));
    try {
      return this.#drive(code, null, 0);
    } catch (error) {
      if (error instanceof Finished) return error.value;
      throw error;
    } finally {
      onCharge(() => {});
    }
  }

  /** Drops everything that waits. */
  reset(): void {
    this.frame = null;
    this.state = CALM;
    this.env = GLOBAL;
    this.lambda = null;
    this.site = null;
    this.#frames = [];
    this.#then = () => undefined;
  }

  /**
   * Runs a procedure to its end from within JavaScript. A continuation that it captures is of no use afterwards; what it
   * raises is raised where it was called; when it jumps out, the rest of the program is run here.
   */
  nested(procedure: Value, args: Value[]): Value {
    const [outer, depth, state] = [this.frame, this.#depth, this.state];
    const floor = new Frame(returned, GLOBAL, null, null);
    floor.next = outer;
    floor.depth = outer?.depth ?? 0;
    this.frame = floor;
    this.state = new State(state.winder, { handler: OUTWARD, next: null }, state.parameters);
    try {
      return this.#drive(() => this.call(procedure, args), floor, depth);
    } catch (error) {
      throw error instanceof Outward ? new Raised(error.payload, error.continuable) : error;
    } finally {
      this.frame = outer;
      this.state = state;
      this.#depth = depth;
    }
  }

  #drive(code: () => Value, floor: Frame | null, depth: number): Value {
    this.#depth = depth;
    this.#frames = [];
    this.#drops = false;
    let value = this.#attempt(code);
    for (;;) {
      if (value === UNWIND) {
        this.#link();
        this.#depth = depth;
        value = this.#attempt(this.#then);
        continue;
      }
      const frame = this.frame;
      if (frame === floor) return value;
      if (frame === null) throw new Finished(value);
      this.frame = frame.next;
      value = this.#resume(frame, value);
    }
  }

  #attempt(code: () => Value): Value {
    try {
      const value = code();
      return value === TAIL ? this.enterTail() : value;
    } catch (error) {
      return this.#fail(error);
    }
  }

  #resume(frame: Frame, value: Value): Value {
    try {
      const result = frame.resume(value, frame.env, frame.data);
      return result === TAIL ? this.enterTail() : result;
    } catch (error) {
      return this.#fail(error);
    }
  }

  #link(): void {
    let next = this.frame;
    for (let i = this.#frames.length - 1; i >= 0; i--) {
      const frame = this.#frames[i];
      frame.next = next;
      frame.depth = (next?.depth ?? 0) + 1;
      next = frame;
    }
    this.#frames = [];
    this.#drops = false;
    this.frame = next;
  }

  /** Leaves a frame: what to do with the value when it comes. */
  push(resume: Resume, env: Env, data: Value, site: Site | null): Value {
    if (!this.#drops) this.#frames.push(new Frame(resume, env, data, site));
    return UNWIND;
  }

  /** Goes on with a value that may still have to come. */
  after(value: Value, next: (value: Value) => Value): Value {
    return value === UNWIND ? this.push(proceed, GLOBAL, next, null) : next(value);
  }

  /** As `after`, without nesting: for long chains. */
  later(value: Value, next: (value: Value) => Value, site: Site): Value {
    return value === UNWIND ? this.push(proceed, GLOBAL, next, site) : this.unwind(() => next(value));
  }

  /** Unwinds the stack, then runs this; frames that will not be returned to are dropped. */
  unwind(then: () => Value, drops = false): Value {
    this.#then = then;
    if (drops) {
      this.#drops = true;
      this.#frames = [];
    }
    return UNWIND;
  }

  /** Runs a procedure's body; nests on JavaScript's stack. */
  enter(lambda: Lambda, env: Env): Value {
    if (--this.#steps < 0) this.#tick();
    const depth = this.#depth;
    if (depth > STACK) return this.#deepen(lambda, env);
    this.#depth = depth + lambda.weight;
    let value: Value;
    try {
      value = lambda.body(env);
      while (value === TAIL) {
        if (--this.#steps < 0) this.#tick();
        const next = this.lambda as Lambda;
        this.#depth = depth + next.weight;
        value = next.body(this.env);
      }
    } catch (error) {
      value = this.#fail(error);
    }
    this.#depth = depth;
    return value;
  }

  enterTail(): Value {
    return this.enter(this.lambda as Lambda, this.env);
  }

  #deepen(lambda: Lambda, env: Env): Value {
    return this.unwind(() => {
      if ((this.frame?.depth ?? 0) > this.limits.depth) throw tooDeep(this.frame);
      return this.enter(lambda, env);
    });
  }

  /** Work outside of procedures counts too. */
  step(): void {
    if (--this.#steps < 0) this.#tick();
  }

  #tick(): void {
    this.#steps = STEPS;
    this.poll(false);
  }

  /** Turns what JavaScript threw into something raised by the program; anything else is rethrown. */
  #fail(error: unknown): Value {
    if (error instanceof Raised) return this.unwind(() => raiseCondition(this, error.payload, error.continuable));
    if (error instanceof RangeError) return this.unwind(() => raiseCondition(this, limitReached(error), false));
    throw error;
  }

  /** Calls in tail position: may give TAIL. */
  apply(procedure: Value, args: Value[]): Value {
    if (procedure instanceof Closure) {
      this.env = bindArguments(procedure, args);
      this.lambda = procedure.lambda;
      return TAIL;
    }
    if (procedure instanceof Primitive) return applyPrimitive(procedure, args);
    if (procedure instanceof Continuation) {
      return jumpTo(this, procedure, args.length === 1 ? args[0] : new Values(args));
    }
    if (procedure instanceof Parameter) return this.parameter(procedure);
    if (procedure instanceof CaseClosure) return this.apply(chooseClause(procedure, args), args);
    throw raiseFailure("NotProcedure", "not a procedure:", procedure);
  }

  call(procedure: Value, args: Value[]): Value {
    const value = this.apply(procedure, args);
    return value === TAIL ? this.enterTail() : value;
  }

  /** Calls for the code at this place. */
  callAt(procedure: Value, args: Value[], site: Site): Value {
    const value = this.applyAt(procedure, args, site);
    return value === TAIL ? this.enterTail() : value;
  }

  applyAt(procedure: Value, args: Value[], site: Site): Value {
    if (site.shown) this.site = site;
    try {
      return this.apply(procedure, args);
    } catch (error) {
      throw addLocation(error, site);
    }
  }

  parameter(parameter: Parameter): Value {
    for (let bound = this.state.parameters; bound; bound = bound.next) {
      if (bound.parameter === parameter) return bound.value;
    }
    return parameter.value;
  }
}

/** A program came to its end inside of a nested run. */
class Finished extends Error {
  constructor(readonly value: Value) {
    super("finished");
  }
}

function returned(): never {
  throw raiseFailure("Error", "this continuation belongs to a call that has returned");
}

function limitReached(error: RangeError): Condition {
  const stack = /stack/i.test(error.message);
  return new Condition(stack ? "RecursionError" : "OutOfMemory", stack ? "recursion too deep" : "out of memory");
}
