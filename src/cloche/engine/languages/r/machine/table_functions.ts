/** Wraps JavaScript functions as WebAssembly functions, so that a table can hold them: one small program for all. */

import { encodeUnsigned } from "../../../wasm/format.ts";

const CODES: Record<string, number> = {
  i: 0x7f,
  p: 0x7f,
  j: 0x7e,
  f: 0x7d,
  d: 0x7c,
  e: 0x6f,
};
const TYPES = 1;
const IMPORTS = 2;
const EXPORTS = 7;
const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

/** A function and its signature as Emscripten writes it: the result first, then the arguments. */
export type Signed = ((...args: never[]) => unknown) & { sig: string };

export function wrapFunctions(functions: Signed[]): unknown[] {
  if (functions.length === 0) return [];
  const signatures = [...new Set(functions.map(({ sig }) => sig))];
  const program = Uint8Array.from([
    ...HEADER,
    ...section(TYPES, signatures.map(typeOf)),
    ...section(
      IMPORTS,
      functions.map((
        { sig },
        i,
      ) => [
        ...name("f"),
        ...name(`${i}`),
        0,
        ...encodeUnsigned(signatures.indexOf(sig)),
      ]),
    ),
    ...section(
      EXPORTS,
      functions.map((_, i) => [...name(`${i}`), 0, ...encodeUnsigned(i)]),
    ),
  ]);
  const imports = {
    f: Object.fromEntries(functions.map((act, i) => [`${i}`, act])),
  };
  const { exports } = new WebAssembly.Instance(
    new WebAssembly.Module(program),
    imports,
  );
  return functions.map((_, i) => exports[`${i}`]);
}

function section(id: number, items: number[][]): number[] {
  const body = [...encodeUnsigned(items.length), ...items.flat()];
  return [id, ...encodeUnsigned(body.length), ...body];
}

function typeOf(signature: string): number[] {
  const [result, ...given] = signature;
  const results = result === "v" ? [] : [CODES[result]];
  return [
    0x60,
    given.length,
    ...given.map((each) => CODES[each]),
    results.length,
    ...results,
  ];
}

function name(text: string): number[] {
  return [text.length, ...text].map((each) => typeof each === "number" ? each : each.charCodeAt(0));
}
