/** Moves perl's own library out of the module's memory: little of it is ever read. */

import { OWN } from "../vm/places.ts";
import { withMemory } from "../../../build/freeze_module.ts";
import { readInitialMemory } from "../../../wasm/initial_memory.ts";

/** A row of the list of files: where its path is, and where its bytes begin and end. */
const ROW = 3;
const FEWEST = 100;
const ZERO = "\0";

interface TakenLibrary {
  wasm: Uint8Array;
  /** By their paths below OWN. */
  files: Map<string, Uint8Array>;
  /** Where the memory begins that is free now, and how many bytes it has. */
  free: number;
  idle: number;
}

export function takeLibrary(wasm: Uint8Array): TakenLibrary {
  const memory = readInitialMemory(wasm);
  const text = new TextDecoder("latin1").decode(memory);
  const paths = new Map(
    Array.from(
      text.matchAll(new RegExp(`(?<=${ZERO})${OWN}/[^${ZERO}]+`, "g")),
      ({ 0: path, index }) => [index, path],
    ),
  );
  const rows = findRows(new Uint32Array(memory.buffer), paths);
  const files = new Map(
    rows.map((
      [path, start, end],
    ) => [
      (paths.get(path) ?? "").slice(OWN.length + 1),
      memory.slice(start, end),
    ]),
  );
  const [first, last] = [rows[0][1], rows[rows.length - 1][2]];
  memory.fill(0, first, last);
  hidePrefix(memory, text);
  return {
    wasm: withMemory(wasm, memory),
    files,
    free: first,
    idle: last - first,
  };
}

/** The list of files: rows in which each one begins where the one before ends. */
function findRows(
  words: Uint32Array,
  paths: Map<number, string>,
): [number, number, number][] {
  let rows: [number, number, number][] = [];
  for (
    let at = 0;
    at + ROW <= words.length;
    at += Math.max(1, rows.length * ROW)
  ) {
    rows = [];
    for (
      let row = at;
      paths.has(words[row]) && words[row + 1] <= words[row + 2];
      row += ROW
    ) {
      if (rows.length > 0 && words[row + 1] !== rows[rows.length - 1][2]) break;
      rows.push([words[row], words[row + 1], words[row + 2]]);
    }
    if (rows.length >= FEWEST) return rows;
  }
  throw new Error("perl's list of its files was not found");
}

/** Paths with this prefix are searched only in the list; from now on no path has it. */
function hidePrefix(memory: Uint8Array, text: string): void {
  const prefix = ZERO + OWN + ZERO;
  const at = text.indexOf(prefix);
  if (at < 0 || text.includes(prefix, at + 1)) {
    throw new Error("perl's name of its own folder was not found");
  }
  memory[at + 1] = 1;
}
