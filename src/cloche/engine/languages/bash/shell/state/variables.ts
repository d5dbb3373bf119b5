/** Variables with their attributes and scopes. Values are text; bytes that are no UTF-8 are lone surrogates in it. */
import type { AssociativeArray, IndexedArray } from "./arrays.ts";

/** Attributes, as bits. */
export const EXPORTED = 1;
export const READONLY = 2;
export const INTEGER = 4;
export const LOWER = 8;
export const UPPER = 16;
export const CAPITALIZED = 32;
export const NAMEREF = 64;
export const TRACED = 128;
/** Assigned before a command, for as long as that runs. */
export const TEMPORARY = 256;

export type Value = string | IndexedArray | AssociativeArray;

/** One variable. It is never changed, only replaced, so that a forked shell can share it; arrays are copied on write. */
export interface Variable {
  /** Undefined: declared, not set. */
  readonly value: Value | undefined;
  readonly attributes: number;
}

/** What a function call, or assignments before a command, hide. */
interface Scope {
  /** By name; undefined: there was none. */
  readonly hidden: Map<string, Variable | undefined>;
  readonly temporary: boolean;
}

/**
 * All variables of a shell. `current` has what a name means now; each scope remembers what it hid, so that looking up
 * costs the same at any depth.
 */
export class Variables {
  #current = new Map<string, Variable>();
  #scopes: Scope[] = [];
  /** The exported ones as a record; dropped by whatever may change it. */
  #environment: Record<string, string> | undefined;

  /** What the name means, without following references. */
  find(name: string): Variable | undefined {
    return this.#current.get(name);
  }

  /** Puts a variable in the place of what the name means now. */
  replace(name: string, variable: Variable): void {
    const before = this.#current.get(name);
    if (((before?.attributes ?? 0) | variable.attributes) & EXPORTED) this.#environment = undefined;
    this.#current.set(name, variable);
  }

  remove(name: string): void {
    this.#environment = undefined;
    this.#current.delete(name);
  }

  names(): IterableIterator<string> {
    return this.#current.keys();
  }

  entries(): IterableIterator<[string, Variable]> {
    return this.#current.entries();
  }

  /** How many functions are being called. */
  get depth(): number {
    return this.#scopes.filter(({ temporary }) => !temporary).length;
  }

  /** `temporary`: for assignments before a command. */
  pushScope(temporary = false): void {
    this.#scopes.push({ hidden: new Map(), temporary });
  }

  popScope(): void {
    const scope = this.#scopes.pop();
    if (!scope || scope.hidden.size === 0) return;
    this.#environment = undefined;
    for (const [name, before] of scope.hidden) this.#put(name, before);
  }

  /** Hides the name in the innermost function (once); the name then means nothing. Returns what it meant. */
  hide(name: string): Variable | undefined {
    const meant = this.#current.get(name);
    let before = meant;
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const { hidden, temporary } = this.#scopes[i];
      if (temporary) {
        // The function's own variable outlives the command.
        if (hidden.has(name)) before = hidden.get(name);
        hidden.delete(name);
        continue;
      }
      if (hidden.has(name)) return meant;
      hidden.set(name, before);
      this.remove(name);
      return meant;
    }
    return meant;
  }

  /** Gives up a function's own variable: the name means again what it hid. */
  reveal(name: string): void {
    const hidden = this.#function?.hidden;
    if (!hidden?.has(name)) return;
    this.#environment = undefined;
    this.#put(name, hidden.get(name));
    hidden.delete(name);
  }

  /** Hides the name for as long as a command runs. */
  hideTemporarily(name: string): void {
    const hidden = this.#scopes.at(-1)?.hidden;
    if (!hidden || hidden.has(name)) return;
    hidden.set(name, this.#current.get(name));
    this.remove(name);
  }

  /** Lets an assignment before a command outlive it. */
  keepTemporary(name: string): void {
    const variable = this.#current.get(name);
    if (!variable || !(variable.attributes & TEMPORARY)) return;
    const scope = this.#scopes.findLast(({ hidden }) => hidden.has(name));
    if (!scope?.temporary) return;
    scope.hidden.delete(name);
    this.#current.set(name, { ...variable, attributes: variable.attributes & ~TEMPORARY });
  }

  isLocal(name: string): boolean {
    return this.#function?.hidden.has(name) ?? false;
  }

  get #function(): Scope | undefined {
    return this.#scopes.findLast(({ temporary }) => !temporary);
  }

  /** The names that the innermost function has made its own. */
  localNames(): string[] {
    return [...this.#function?.hidden.keys() ?? []];
  }

  /** Removes a name as `unset` does: a caller's local variable shows what it hid, one's own stays hidden. */
  unset(name: string): void {
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const { hidden } = this.#scopes[i];
      if (!hidden.has(name)) continue;
      if (this.#scopes[i] === this.#function) return this.remove(name);
      this.#put(name, hidden.get(name));
      hidden.delete(name);
      this.#environment = undefined;
      return;
    }
    this.remove(name);
  }

  /** What the name means outside of all functions. */
  findGlobal(name: string): Variable | undefined {
    const scope = this.#scopes.find(({ hidden }) => hidden.has(name));
    return scope ? scope.hidden.get(name) : this.#current.get(name);
  }

  replaceGlobal(name: string, variable: Variable | undefined): void {
    const scope = this.#scopes.find(({ hidden }) => hidden.has(name));
    this.#environment = undefined;
    if (scope) scope.hidden.set(name, variable);
    else this.#put(name, variable);
  }

  /** The environment of programs: exported variables that are plain text and set. */
  environment(): Record<string, string> {
    return this.#environment ??= Object.fromEntries(this.#exported());
  }

  *#exported(): Generator<[string, string]> {
    for (const [name, { attributes, value }] of this.#current) {
      if (attributes & EXPORTED && typeof value === "string") yield [name, value];
    }
  }

  /** A copy for a subshell. */
  fork(): Variables {
    const copy = new Variables();
    for (const { value } of this.#current.values()) if (typeof value === "object") value.shared = true;
    copy.#current = new Map(this.#current);
    copy.#scopes = this.#scopes.map(({ hidden, temporary }) => ({ hidden: new Map(hidden), temporary }));
    for (const { hidden } of this.#scopes) {
      for (const variable of hidden.values()) if (typeof variable?.value === "object") variable.value.shared = true;
    }
    copy.#environment = this.#environment;
    return copy;
  }

  #put(name: string, variable: Variable | undefined): void {
    if (variable) this.#current.set(name, variable);
    else this.#current.delete(name);
  }
}
