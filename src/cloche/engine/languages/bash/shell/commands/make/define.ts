/** Assignments. */
import type { Task } from "../../task.ts";
import { runShell } from "./control_functions.ts";
import { expand } from "./expand.ts";
import type { Session } from "./session.ts";
import { findOutside } from "./text.ts";
import { type Origin, replaces, type Scope } from "./variables.ts";

export interface Assignment {
  name: string;
  operator: string;
  value: string;
}

/** Reads `name = value` in all its forms; undefined if a line is none. */
export function parseAssignment(line: string): Assignment | undefined {
  const at = findOutside(line, "=:#");
  if (at < 0 || line[at] === "#") return undefined;
  let end = at;
  let operator = "=";
  if (line[at] === ":") {
    const [colons] = /^:{1,3}=/.exec(line.slice(at)) ?? [];
    if (colons === undefined) return undefined;
    operator = ":=";
    end = at + colons.length - 1;
  }
  let name = line.slice(0, at);
  if (operator === "=" && /[?+!]$/.test(name)) {
    operator = `${name.at(-1)}=`;
    name = name.slice(0, -1);
  }
  name = name.trim();
  if (/\s/.test(name.replace(/\$(\([^)]*\)|\{[^}]*\})/g, ""))) return undefined;
  return { name, operator, value: line.slice(end + 1).replace(/^[ \t]+/, "") };
}

/** Sets a variable in a scope, if its origin allows it. */
export function* assign(make: Session, given: Assignment, origin: Origin, scope: Scope, isPrivate = false): Task<void> {
  const { name, operator } = given;
  let { value } = given;
  const before = scope.find(name);
  if (before && !replaces(origin, before.origin)) return;
  if (operator === "?=" && before) return;
  let recursive = operator !== ":=";
  if (operator === ":=") value = yield* expand(make, value, scope);
  else if (operator === "!=") value = yield* runShell(make, yield* expand(make, value, scope), scope);
  else if (operator === "+=" && before) {
    recursive = before.recursive;
    const more = recursive ? value : yield* expand(make, value, scope);
    value = before.value === "" ? more : `${before.value} ${more}`;
  }
  scope.set(name, { value, recursive, origin, isPrivate, place: make.place });
}
