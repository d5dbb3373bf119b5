/** Variables of make: where they came from, and which scopes see them. */

export type Origin =
  | "default"
  | "environment"
  | "file"
  | "environment override"
  | "command line"
  | "override"
  | "automatic";

/** A later one replaces an earlier one, never the other way round. */
const RANKS: Origin[] = [
  "default",
  "environment",
  "file",
  "environment override",
  "command line",
  "override",
  "automatic",
];

export interface Variable {
  value: string;
  /** Expanded when it is used, not when it was set. */
  recursive: boolean;
  origin: Origin;
  /** A target's own, which its prerequisites do not see. */
  isPrivate?: boolean;
  /** Where it was set. */
  place?: { file: string; line: number };
}

export class Scope {
  readonly #own = new Map<string, Variable>();
  /** What is being expanded, to find variables that refer to themselves. */
  readonly expanding: Set<Variable>;

  constructor(readonly parent?: Scope, expanding?: Set<Variable>) {
    this.expanding = expanding ?? new Set();
  }

  find(name: string): Variable | undefined {
    const own = this.#own.get(name);
    if (own) return own;
    for (let scope = this.parent; scope; scope = scope.parent) {
      const found = scope.#own.get(name);
      if (found && !found.isPrivate) return found;
    }
    return undefined;
  }

  set(name: string, variable: Variable): void {
    this.#own.set(name, variable);
  }

  delete(name: string): void {
    this.#own.delete(name);
  }

  /** The names that it has, and those around it. */
  *names(): Generator<string> {
    const seen = new Set<string>();
    for (let scope: Scope | undefined = this as Scope; scope; scope = scope.parent) {
      for (const name of scope.#own.keys()) if (!seen.has(name)) yield name;
      for (const name of scope.#own.keys()) seen.add(name);
    }
  }

  /** A scope within the same expansion: arguments of a function. */
  nest(): Scope {
    return new Scope(this, this.expanding);
  }
}

/** Whether a value of this origin takes the place of one of that. */
export function replaces(origin: Origin, before: Origin): boolean {
  return RANKS.indexOf(origin) >= RANKS.indexOf(before);
}
