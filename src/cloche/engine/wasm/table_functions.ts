/** Wraps our functions so that they can be in a module's table, which takes only functions of WebAssembly. */

import { encodeUnsigned, SECTION, writeSections } from "./format.ts";
import { concatBytes } from "../text/bytes.ts";

/** Emscripten's letters: integer, pointer, 64-bit integer, float, double, a reference to an object of ours. */
const CODES: Record<string, number> = { i: 0x7f, p: 0x7f, j: 0x7e, f: 0x7d, d: 0x7c, e: 0x6f };
const NO_RESULT = "v";
const FUNCTION_TYPE = 0x60;
const MODULE = "c";

export interface TableFunction {
  /** The letter of its result, or `v`, then those of its parameters, as Emscripten writes it. */
  signature: string;
  run(...args: never[]): unknown;
}

/** Puts the functions at the end of a table; returns their indices, in order. */
export function installFunctions(table: WebAssembly.Table, functions: TableFunction[]): number[] {
  const wrapped = wrapFunctions(functions);
  const first = table.grow(wrapped.length);
  return wrapped.map((each, index) => {
    table.set(first + index, each);
    return first + index;
  });
}

/** The same functions as WebAssembly's, by one small module for all of them. */
export function wrapFunctions(functions: TableFunction[]): (() => unknown)[] {
  if (functions.length === 0) return [];
  const imports = Object.fromEntries(functions.map(({ run }, index) => [String(index), run as () => void]));
  const carrier = new WebAssembly.Module(makeCarrier(functions.map(({ signature }) => signature)) as BufferSource);
  const { exports } = new WebAssembly.Instance(carrier, { [MODULE]: imports });
  return functions.map((_, index) => exports[String(index)] as () => unknown);
}

/** A WebAssembly module that imports a function of each signature, and exports it. */
function makeCarrier(signatures: string[]): Uint8Array {
  const distinct = [...new Set(signatures)];
  const all = signatures.map((each, index) => ({
    name: encodeName(String(index)),
    type: distinct.indexOf(each),
    index,
  }));
  const imports = all.map(({ name, type }) => [...encodeName(MODULE), ...name, 0, ...encodeUnsigned(type)]);
  const exports = all.map(({ name, index }) => [...name, 0, ...encodeUnsigned(index)]);
  return writeSections([
    { id: SECTION.types, body: encodeList(distinct.map(encodeType)) },
    { id: SECTION.imports, body: encodeList(imports) },
    { id: SECTION.exports, body: encodeList(exports) },
  ]);
}

function encodeType(signature: string): number[] {
  const [result, ...parameters] = signature;
  const encode = (letters: string[]) => [letters.length, ...letters.map((each) => CODES[each])];
  return [FUNCTION_TYPE, ...encode(parameters), ...encode(result === NO_RESULT ? [] : [result])];
}

function encodeName(name: string): number[] {
  return [...encodeUnsigned(name.length), ...new TextEncoder().encode(name)];
}

function encodeList(entries: number[][]): Uint8Array {
  return concatBytes([encodeUnsigned(entries.length), ...entries].map((each) => Uint8Array.from(each)));
}
