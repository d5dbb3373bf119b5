/** Sorting arrays, and telling what a value is. */
import { AwkArray, compareValues, type Conventions, Input, isNumeric, type Slot, toNumber } from "../data/values.ts";
import { AwkError } from "../errors.ts";
import type { Machine } from "../machine/machine.ts";
import type { ArrayExpr, Expr } from "../program/syntax.ts";
import type { Builtin, Builtins } from "./builtin.ts";

type Item = [key: string, value: Slot];
type Order = (a: Item, b: Item) => number;

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byKeyNumber([a]: Item, [b]: Item): number {
  return toNumber(a) - toNumber(b) || byText(a, b);
}

/** Numbers first, then texts, then arrays. */
function rank(value: Slot): number {
  return value instanceof AwkArray ? 2 : isNumeric(value) ? 0 : 1;
}

function makeOrders(conventions: Conventions): Record<string, Order> {
  const byType: Order = ([keyA, a], [keyB, b]) => {
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    const order = rank(a) === 2 ? 0 : compareValues(a, b, conventions) || 0;
    return order || byText(keyA, keyB);
  };
  const text = (value: Slot) =>
    value instanceof Input ? value.text : value instanceof AwkArray ? "" : String(value ?? "");
  const orders: Record<string, Order> = {
    ind_str: ([a], [b]) => byText(a, b),
    ind_num: byKeyNumber,
    val_type: byType,
    val_str: ([, a], [, b]) =>
      Number(a instanceof AwkArray) - Number(b instanceof AwkArray) || byText(text(a), text(b)),
    val_num: (a, b) => numberOf(a) - numberOf(b) || byText(text(a[1]), text(b[1])) || byText(a[0], b[0]),
  };
  for (const name of Object.keys(orders)) {
    const order = orders[name];
    orders[`@${name}_asc`] = order;
    orders[`@${name}_desc`] = (a, b) => order(b, a);
    delete orders[name];
  }
  return orders;
}

function numberOf([, value]: Item): number {
  return value instanceof AwkArray ? Infinity : toNumber(value);
}

/** The items of an array in an order: one of gawk's, or a function of the program. */
export function sortItems(machine: Machine, items: Item[], how: string): Item[] {
  if (how === "@unsorted") return items;
  const order = makeOrders(machine.state.conventions)[how];
  if (order) return items.sort(order);
  const compare = machine.functions.get(how);
  if (!compare) throw new AwkError(`sort comparison function \`${how}' is not defined`);
  return items.sort((a, b) =>
    toNumber(machine.callNow(compare, [a[0], a[1], b[0], b[1]].slice(0, compare.parameters) as Slot[]))
  );
}

/** The keys of an array in the order in which `for (key in array)` goes through them. */
export function loopKeys(machine: Machine, array: AwkArray): string[] {
  const info = machine.state.cells.get("PROCINFO")?.value;
  const how = info instanceof AwkArray ? info.map.get("sorted_in") : undefined;
  if (how === undefined) return [...array.map.keys()];
  return sortItems(machine, [...array.map], machine.state.textOf(how)).map(([key]) => key);
}

function sorting(otherwise: string, pick: (item: Item) => Slot): Builtin {
  return {
    kind: "number",
    compile([sourceExpr, targetExpr, howExpr], compiler) {
      const source = compiler.array(sourceExpr as ArrayExpr);
      const target = targetExpr ? compiler.array(targetExpr as ArrayExpr) : source;
      const how = howExpr ? compiler.text(howExpr) : () => otherwise;
      return () => {
        const items = sortItems(compiler.machine, [...source().map], how());
        const { map } = target();
        map.clear();
        items.forEach((item, i) => map.set(String(i + 1), pick(item)));
        return items.length;
      };
    },
  };
}

function describe(slot: Slot): string {
  if (slot instanceof AwkArray) return "array";
  if (slot === undefined) return "untyped";
  if (slot instanceof Input) return slot.isNumeric ? "strnum" : "string";
  return typeof slot;
}

/** A function that looks at an argument as it is, array or not. */
function looking(kind: Builtin["kind"], look: (slot: Slot, expr: Expr) => number | string): Builtin {
  return {
    kind,
    compile([arg], compiler) {
      const inner = arg.kind === "group" ? arg.parts[0] : arg;
      const value = compiler.argument(inner, false);
      return () => look(value(), inner);
    },
  };
}

export const arrays: Builtins = {
  asort: sorting("@val_type_asc", ([, value]) => value),
  asorti: sorting("@ind_str_asc", ([key]) => key),
  isarray: looking("number", (slot) => slot instanceof AwkArray ? 1 : 0),
  typeof: looking(
    "text",
    (slot, expr) => slot === undefined && expr.kind === "element" ? "unassigned" : describe(slot),
  ),
};
