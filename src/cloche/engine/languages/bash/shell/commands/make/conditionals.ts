/** ifeq, ifneq, ifdef, ifndef, else and endif. */
import type { Task } from "../../task.ts";
import { expand } from "./expand.ts";
import { MakeError, type Session } from "./session.ts";
import { findClosing } from "./text.ts";

const KEYWORD = /^(ifeq|ifneq|ifdef|ifndef|else|endif)(?=[\s('"]|$)\s*(.*)$/s;

interface Branch {
  active: boolean;
  /** Whether one of its branches has been taken. */
  taken: boolean;
  /** Whether the lines around it count. */
  outer: boolean;
  isElse: boolean;
}

export class Conditionals {
  readonly #stack: Branch[] = [];

  constructor(private readonly make: Session) {}

  /** Whether lines count here. */
  get active(): boolean {
    return this.#stack.at(-1)?.active ?? true;
  }

  finish(): void {
    if (this.#stack.length > 0) throw new MakeError("missing 'endif'");
  }

  /** Takes a line if it is part of a conditional. */
  *read(line: string): Task<boolean> {
    const [, word, rest] = KEYWORD.exec(line) ?? [];
    if (word === undefined || /^(:{0,3}|[?+!])=/.test(rest) || /^:/.test(rest)) return false;
    if (word === "endif") {
      if (!this.#stack.pop()) throw new MakeError("extraneous 'endif'");
    } else if (word === "else") yield* this.#readElse(rest);
    else {
      const outer = this.active;
      const active = outer && (yield* this.#test(word, rest));
      this.#stack.push({ active, taken: active, outer, isElse: false });
    }
    return true;
  }

  *#readElse(rest: string): Task<void> {
    const branch = this.#stack.at(-1);
    if (!branch) throw new MakeError("extraneous 'else'");
    if (branch.isElse) throw new MakeError("only one 'else' per conditional");
    const [, word, condition] = KEYWORD.exec(rest) ?? [];
    if (word === undefined) branch.isElse = true;
    branch.active = branch.outer && !branch.taken &&
      (word === undefined || (yield* this.#test(word, condition)));
    branch.taken ||= branch.active;
  }

  *#test(word: string, text: string): Task<boolean> {
    const { make } = this;
    if (word === "ifdef" || word === "ifndef") {
      const name = (yield* expand(make, text)).trim();
      const defined = (make.globals.find(name)?.value ?? "") !== "";
      return defined === (word === "ifdef");
    }
    const [first, second] = splitOperands(text.trim());
    const same = (yield* expand(make, first)) === (yield* expand(make, second));
    return same === (word === "ifeq");
  }
}

/** `(a,b)`, `"a" "b"`, `'a' 'b'`. */
function splitOperands(text: string): [string, string] {
  if (text.startsWith("(")) {
    const end = findClosing(text, 0);
    let depth = 0;
    for (let at = 1; at < end; at++) {
      if ("({".includes(text[at])) depth++;
      else if (")}".includes(text[at])) depth--;
      else if (text[at] === "," && depth === 0) {
        return [text.slice(1, at).trimEnd(), text.slice(at + 1, end).trimStart()];
      }
    }
  }
  const [, , first, , second] = /^(["'])(.*?)\1\s*(["'])(.*?)\3/s.exec(text) ?? [];
  if (first === undefined) throw new MakeError("invalid syntax in conditional");
  return [first, second];
}
