/** What can go wrong in a program, and where it did. */

import type { Value } from "./values.ts";

/** A program's text, to find lines and columns by offset. */
export class Source {
  /** Where the pairs that were read from it begin; emptied when the text is compiled. */
  readonly marks = new Map<object, number>();

  constructor(readonly name: string, readonly text: string) {}

  place(offset: number): { line: number; column: number } {
    const before = this.text.slice(0, offset);
    const line = before.split("\n").length;
    return { line, column: [...before.slice(before.lastIndexOf("\n") + 1)].length + 1 };
  }
}

/** A position in a program, and the procedure that it is in. */
export class Site {
  /** Whether it is in the user's code; evaluated data, and code that comes with the interpreter, have no position. */
  readonly shown: boolean;

  constructor(readonly source: Source, readonly offset: number, readonly procedure: string | null) {
    this.shown = source.text !== "";
  }
}

/** An error object: made by `error`, or by a primitive that cannot do what it was asked to. */
export class Condition {
  site: Site | null = null;
  hint: string | null = null;

  constructor(readonly type: string, readonly message: string, readonly irritants: Value[] = []) {}
}

/** Carries an object that was raised through JavaScript to the next procedure of the program. */
export class Raised extends Error {
  constructor(readonly payload: Value, readonly continuable = false) {
    super("raised");
  }
}

/** Each frame of a backtrace: innermost first. */
export interface Trace {
  procedure: string | null;
  source: string;
  line: number;
}

/** An error that nothing in the program handled. */
export class SchemeError extends Error {
  override readonly name = "SchemeError";
  hint: string | null = null;
  line: number | null = null;
  column: number | null = null;
  source: string | null = null;
  trace: Trace[] = [];
  /** More text could complete it. */
  incomplete = false;
  payload: Value = undefined;

  constructor(readonly type: string, message: string) {
    super(message);
  }

  at(source: Source, offset: number): this {
    Object.assign(this, source.place(offset), { source: source.name });
    return this;
  }
}

/** The program asked to end. */
export class Exit extends Error {
  constructor(readonly code: number) {
    super("exit");
  }
}

export function raiseFailure(type: string, message: string, ...irritants: Value[]): Raised {
  return new Raised(new Condition(type, message, irritants));
}

export function wrongType(who: string, expected: string, got: Value): Raised {
  return raiseFailure("WrongType", `${who}: expected ${expected}, got`, got);
}

export function outOfRange(who: string, got: Value): Raised {
  return raiseFailure("OutOfRange", `${who}: index out of range:`, got);
}

/** Adds the position to an error that has none yet. */
export function addLocation(error: unknown, site: Site): unknown {
  if (site.shown && error instanceof Raised && error.payload instanceof Condition) error.payload.site ??= site;
  return error;
}
