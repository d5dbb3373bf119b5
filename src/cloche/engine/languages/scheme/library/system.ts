/** What surrounds a program: evaluation, files of code, time, the process; and formatted text. */

import { raiseFailure, wrongType } from "../vm/errors.ts";
import type { Vm } from "../vm/vm.ts";
import { chargeWords } from "../vm/work_meter.ts";
import { displayValue, writeValue } from "../syntax/printer.ts";
import { isNum, Real, toNumber } from "../numbers/numbers.ts";
import { Primitive } from "../vm/procedures.ts";
import { Delayed, internSymbol, itemsOf, listOf, Pair, Sym, Text, type Value } from "../vm/values.ts";
import { TextOutput } from "../vm/ports.ts";
import { asText, type Registry } from "./registry.ts";

/** What the host lets a program know about its surroundings. */
export interface Process {
  arguments: string[];
  environment: Record<string, string>;
  /** Waits this many milliseconds. */
  sleep(ms: number): void;
}

interface Evaluation {
  evaluate(form: Value, environment: Value): Value;
  load(path: Value, environment: Value): Value;
  environment(sets: Value[]): Value;
  interaction(): Value;
  output(): TextOutput;
  features: string[];
}

function addEvaluation(r: Registry, world: Evaluation): void {
  r.control("eval", [1, 2], (form: Value, environment: Value) => world.evaluate(form, environment));
  r.control("load", [1, 2], (path: Value, environment: Value) => world.load(path, environment));
  r.rest("environment", 0, (sets) => world.environment(sets));
  for (const name of ["interaction-environment", "system-global-environment", "the-environment"]) {
    r.fn(name, 0, () => world.interaction());
  }
  for (const name of ["scheme-report-environment", "null-environment"]) r.fn(name, [0, 1], () => world.interaction());
  r.fn("features", 0, () => listOf(world.features.map(internSymbol)));
}

function addProcess(r: Registry, process: () => Process, flush: () => void): void {
  const strings = (items: string[]) => listOf(items.map((item) => new Text(item)));
  r.fn("command-line", 0, () => strings(process().arguments));
  r.fn("get-environment-variable", 1, (name: Value) => {
    const { environment } = process();
    const key = asText(name, "get-environment-variable").toString();
    return Object.hasOwn(environment, key) ? new Text(environment[key]) : false;
  });
  r.fn("get-environment-variables", 0, () => {
    return listOf(
      Object.entries(process().environment).map(([key, value]) => new Pair(new Text(key), new Text(value))),
    );
  });
  r.fn("current-second", 0, () => new Real(Date.now() / 1000));
  r.fn("current-time-millis", 0, () => Date.now());
  r.fn("current-jiffy", 0, () => Math.round(performance.now() * 1000));
  r.fn("jiffies-per-second", 0, () => 1_000_000);
  r.fn("runtime", 0, () => new Real(performance.now() / 1000));
  r.fn("real-time", 0, () => new Real(Date.now()));
  r.fn("sleep", 1, (seconds: Value) => {
    if (!isNum(seconds)) throw wrongType("sleep", "a number of seconds", seconds);
    flush();
    process().sleep(toNumber(seconds) * 1000);
  });
}

function addChance(r: Registry): void {
  const random = (n: Value) => {
    if (n instanceof Real && n.value > 0) return new Real(Math.random() * n.value);
    if (typeof n === "number" && n > 0) return Math.floor(Math.random() * n);
    throw wrongType("random", "a positive number that is not too large", n);
  };
  r.fn("random", 1, random);
  r.fn("random-integer", 1, random);
  r.fn("random-real", 0, () => new Real(Math.random()));
}

/** SRFI 28, and a common extension: a port or boolean may come before the string. */
function addFormat(r: Registry, world: Evaluation): void {
  r.rest("format", 1, (args) => {
    const to = args[0] instanceof Text ? false : args[0];
    const [template, ...rest] = args[0] instanceof Text ? args : args.slice(1);
    const result = formatted(asText(template, "format").toString(), rest);
    if (to === false) return new Text(result);
    const port = to === true ? world.output() : to;
    if (!(port instanceof TextOutput)) throw wrongType("format", "a port", to);
    port.write(result);
    return undefined;
  });
}

function formatted(template: string, args: Value[]): string {
  let used = 0;
  const take = () => {
    if (used >= args.length) throw raiseFailure("Error", "format: there are too few arguments for", new Text(template));
    return args[used++];
  };
  const result = template.replace(/~(.|\n)/gs, (_, directive: string) => {
    const kind = directive.toLowerCase();
    if (kind === "a" || kind === "d") return displayValue(take());
    if (kind === "s") return writeValue(take());
    if (kind === "%" || kind === "n") return "\n";
    if (kind === "~") return "~";
    throw raiseFailure("Error", `format: ~${directive} is not known; there are ~a ~s ~d ~% ~~`);
  });
  if (used < args.length) throw raiseFailure("Error", "format: there are too many arguments for", new Text(template));
  return result;
}

/** Words that a comparison counts for. */
const COMPARISON = 64;

/** Helpers for code written in Scheme; programs cannot use their names. */
function addHelpers(r: Registry, m: Vm): void {
  r.fn("%step", 1, (lists: Value) => {
    const [heads, tails]: [Value[], Value[]] = [[], []];
    for (let rest = lists; rest instanceof Pair; rest = rest.cdr) {
      if (!(rest.car instanceof Pair)) return false;
      heads.push(rest.car.car);
      tails.push(rest.car.cdr);
    }
    return new Pair(listOf(heads), listOf(tails));
  });
  r.fn("%no-list", 2, (who: Sym, value: Value) => {
    throw wrongType(who.name, "a list", value);
  });
  r.fn("%promise", 1, (value: Value) => new Delayed({ done: true, value }));
  r.control("%binding", 2, (parameter: Value, value: Value) => {
    const converted = m.call(r.primitives.get("%convert"), [parameter, value]);
    return m.after(converted, (value) => new Pair(parameter, value));
  });
  r.fn("%native-sort", 2, (less: Value, items: Value) => {
    if (!(less instanceof Primitive) || less.control || less.min > 2 || less.max < 2) return false;
    const call = less.two ?? (less.spread ? (a: Value, b: Value) => less.call([a, b]) : less.call);
    const test = (a: Value, b: Value) => {
      chargeWords(COMPARISON);
      return call(a, b) !== false;
    };
    return listOf(itemsOf(items, "sort").sort((a, b) => test(a, b) ? -1 : test(b, a) ? 1 : 0));
  });
}

export function addSystem(r: Registry, m: Vm, world: Evaluation, process: () => Process, flush: () => void): void {
  addEvaluation(r, world);
  addProcess(r, process, flush);
  addChance(r);
  addFormat(r, world);
  addHelpers(r, m);
}
