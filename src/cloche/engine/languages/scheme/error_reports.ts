/** Errors as the user sees them. */

import { Condition, type Raised, raiseFailure, SchemeError, type Site, type Trace } from "./vm/errors.ts";
import type { Frame } from "./vm/vm.ts";
import { writeValue } from "./syntax/printer.ts";
import { CaseClosure, Closure, nameOf, Primitive } from "./vm/procedures.ts";
import type { Value } from "./vm/values.ts";

const FRAMES = 30;
const LONGEST = 200;

/** Nothing handles it: ends the run. */
export function reportUncaught(payload: Value, site: Site | null, frame: Frame | null): never {
  const error = payload instanceof Condition
    ? new SchemeError(payload.type, messageOf(payload))
    : new SchemeError("Raised", `uncaught object raised: ${short(payload)}`);
  const sites = sitesOf(frame);
  if (payload instanceof Condition) error.hint = payload.hint;
  const origin = payload instanceof Condition && payload.site ? payload.site : site;
  if (origin && origin !== sites[0]) {
    if (sites.length > 0 && isSameForm(sites[0], origin)) sites.shift();
    sites.unshift(origin);
  }
  error.payload = payload;
  if (sites.length > 0) error.at(sites[0].source, sites[0].offset);
  error.trace = sites.slice(0, FRAMES).map(traceOf);
  throw error;
}

export function messageOf(condition: Condition): string {
  return [condition.message, ...condition.irritants.map(short)].join(" ");
}

function short(value: Value): string {
  const text = writeValue(value);
  return text.length > LONGEST ? text.slice(0, LONGEST) + "..." : text;
}

function sitesOf(frame: Frame | null): Site[] {
  const sites: Site[] = [];
  for (; frame && sites.length < FRAMES; frame = frame.next) {
    if (frame.site?.shown && !isSameForm(frame.site, sites[sites.length - 1])) sites.push(frame.site);
  }
  return sites;
}

/** Outside of procedures one place is enough: what waits there belongs to one form. */
function isSameForm(site: Site, inner: Site | undefined): boolean {
  return inner !== undefined && inner.procedure === null && site.procedure === null && inner.source === site.source;
}

function traceOf(site: Site): Trace {
  return { procedure: site.procedure, source: site.source.name, line: site.source.place(site.offset).line };
}

export function arityError(procedure: Closure | CaseClosure | Primitive, count: number): Raised {
  const name = nameOf(procedure) ?? "procedure";
  return raiseFailure("ArityError", `${name}: expected ${expected(procedure)}, got ${count}`);
}

function expected(procedure: Closure | CaseClosure | Primitive): string {
  if (procedure instanceof CaseClosure) return "another number of arguments";
  const [min, max] = procedure instanceof Closure
    ? [procedure.lambda.required, procedure.lambda.rest ? Infinity : procedure.lambda.required]
    : [procedure.min, procedure.max];
  if (max === Infinity) return `at least ${plural(min)}`;
  return min === max ? plural(min) : `${min} to ${plural(max)}`;
}

function plural(count: number): string {
  return count === 1 ? "1 argument" : `${count} arguments`;
}

/** Handlers are not called for these: they would have no room either. */
export function tooDeep(frame: Frame | null): SchemeError {
  const error = new SchemeError(
    "RecursionError",
    `recursion too deep: ${frame?.depth ?? 0} calls wait for one another`,
  );
  error.hint = "write the loop with a call in tail position, or pass the result along in an accumulator";
  const sites = sitesOf(frame);
  if (sites.length > 0) error.at(sites[0].source, sites[0].offset);
  error.trace = sites.slice(0, FRAMES).map(traceOf);
  return error;
}
