/** References in the text of a makefile and what they stand for. */
import type { Task } from "../../task.ts";
import { callFunction, isFunction } from "./functions.ts";
import { MakeError, type Session } from "./session.ts";
import { findClosing, substitutePattern } from "./text.ts";
import type { Scope, Variable } from "./variables.ts";

export function* expand(make: Session, text: string, scope: Scope = make.globals): Task<string> {
  let at = text.indexOf("$");
  if (at < 0) return text;
  let out = "";
  let from = 0;
  for (; at >= 0; at = text.indexOf("$", from)) {
    out += text.slice(from, at);
    const next = text[at + 1];
    from = at + 2;
    if (next === "$") out += "$";
    else if (next === "(" || next === "{") {
      const end = findClosing(text, at + 1);
      if (end < 0) throw unterminated(make, text.slice(at + 2));
      out += yield* expandReference(make, text.slice(at + 2, end), scope, next);
      from = end + 1;
    } else if (next !== undefined && next.trim() !== "") out += yield* valueOf(make, next, scope);
  }
  return out + text.slice(from);
}

function unterminated(make: Session, body: string): MakeError {
  const [, name] = /^([a-z-]+)[ \t]/.exec(body) ?? [];
  const message = name !== undefined && isFunction(name)
    ? `unterminated call to function '${name}': missing ')'`
    : "unterminated variable reference";
  return new MakeError(message, make.place);
}

function* expandReference(make: Session, body: string, scope: Scope, bracket: string): Task<string> {
  const [head, name] = /^([a-z-]+)[ \t\n]+/.exec(body) ?? [];
  if (name !== undefined && isFunction(name)) {
    return yield* callFunction(make, name, body.slice(head?.length), scope, bracket);
  }
  const whole = yield* expand(make, body, scope);
  const colon = whole.indexOf(":");
  const equals = colon < 0 ? -1 : whole.indexOf("=", colon);
  if (colon <= 0 || equals < 0) return yield* valueOf(make, whole, scope);
  const value = yield* valueOf(make, whole.slice(0, colon), scope);
  const [from, to] = [whole.slice(colon + 1, equals), whole.slice(equals + 1)];
  return from.includes("%") ? substitutePattern(from, to, value) : substitutePattern(`%${from}`, `%${to}`, value);
}

/** The value of a variable, expanded. */
export function* valueOf(make: Session, name: string, scope: Scope): Task<string> {
  const variable = scope.find(name);
  if (variable === undefined) {
    if (name === ".VARIABLES") return [...scope.names()].join(" ");
    if (make.options.warnUndefined && name !== "") make.warn(`warning: undefined variable '${name}'`);
    return "";
  }
  return yield* expandVariable(make, name, variable, scope);
}

export function* expandVariable(make: Session, name: string, variable: Variable, scope: Scope): Task<string> {
  if (!variable.recursive || !variable.value.includes("$")) return variable.value;
  if (scope.expanding.has(variable)) {
    throw new MakeError(`Recursive variable '${name}' references itself (eventually)`, variable.place ?? make.place);
  }
  scope.expanding.add(variable);
  try {
    return yield* expand(make, variable.value, scope);
  } finally {
    scope.expanding.delete(variable);
  }
}
