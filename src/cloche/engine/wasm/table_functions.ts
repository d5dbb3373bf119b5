/** Wraps our functions so that they can be in a program's table, which takes only functions of WebAssembly. */

import { encodeUnsigned, SECTION, writeSections } from "./format.ts";
import { concatBytes } from "../text/bytes.ts";

const CODES = { i: 0x7f, I: 0x7e, d: 0x7c };
const FUNCTION_TYPE = 0x60;
const MODULE = "c";

/** A function and its type: the letters of its parameters and, after `>`, of its result: i32, I64, double. */
export interface TableFunction {
  type: string;
  run(...args: never[]): number | bigint | void;
}

/** Puts the functions at the end of a table; returns their indices, in order. */
export function installFunctions(table: WebAssembly.Table, functions: TableFunction[]): number[] {
  const imports = Object.fromEntries(functions.map(({ run }, index) => [String(index), run as () => void]));
  const program = new WebAssembly.Module(carrier(functions.map(({ type }) => type)) as BufferSource);
  const { exports } = new WebAssembly.Instance(program, { [MODULE]: imports });
  const first = table.grow(functions.length);
  return functions.map((_, index) => {
    table.set(first + index, exports[String(index)] as () => void);
    return first + index;
  });
}

/** A WebAssembly module that imports a function of each type, and exports it. */
function carrier(types: string[]): Uint8Array {
  const distinct = [...new Set(types)];
  const all = types.map((type, index) => ({ name: text(String(index)), type: distinct.indexOf(type), index }));
  const exported = ({ name, index }: { name: number[]; index: number }) => [...name, 0, ...encodeUnsigned(index)];
  return writeSections([
    { id: SECTION.types, body: list(distinct.map(typeOf)) },
    {
      id: SECTION.imports,
      body: list(all.map(({ name, type }) => [...text(MODULE), ...name, 0, ...encodeUnsigned(type)])),
    },
    { id: SECTION.exports, body: list(all.map(exported)) },
  ]);
}

function typeOf(type: string): number[] {
  const [from, to = ""] = type.split(">");
  const codes = (letters: string) => [letters.length, ...[...letters].map((each) => CODES[each as keyof typeof CODES])];
  return [FUNCTION_TYPE, ...codes(from), ...codes(to)];
}

function text(value: string): number[] {
  return [...encodeUnsigned(value.length), ...new TextEncoder().encode(value)];
}

function list(entries: number[][]): Uint8Array {
  return concatBytes([encodeUnsigned(entries.length), ...entries].map((each) => Uint8Array.from(each)));
}
