/** How long each WebAssembly instruction is. */

import type { Reader } from "./format.ts";

/** What follows an opcode: numbers are LEB128, unless they are bytes of a fixed count. */
type Operands = (reader: Reader, op: number) => void;

const one: Operands = (reader) => void reader.leb();
const two: Operands = (reader) => {
  reader.leb();
  reader.leb();
};
/** Alignment and offset; a flag in the alignment says that the number of a memory is between them. */
const address: Operands = (reader) => {
  if (reader.unsigned() & 0x40) reader.leb();
  reader.leb();
};
const list: Operands = (reader) => {
  for (let left = reader.unsigned(); left > 0; left--) reader.leb();
};
const fixed = (count: number): Operands => (reader) => void reader.bytes(count);

/** Opcodes of one byte that have operands; the others have none. */
const OPERANDS = new Map<number, Operands>([
  // block, loop, if, try: the type of a block is one signed number.
  ...[0x02, 0x03, 0x04, 0x06].map((op): [number, Operands] => [op, one]),
  // catch, throw, rethrow, br, br_if, delegate
  ...[0x07, 0x08, 0x09, 0x0c, 0x0d, 0x18].map((op): [number, Operands] => [op, one]),
  [0x0e, (reader) => (list(reader, 0x0e), one(reader, 0x0e))],
  // call, return_call, call_ref, return_call_ref; their indirect kind
  ...[0x10, 0x12, 0x14, 0x15].map((op): [number, Operands] => [op, one]),
  ...[0x11, 0x13].map((op): [number, Operands] => [op, two]),
  // select with types, try_table
  [0x1c, list],
  [0x1f, tryTable],
  // locals, globals, tables
  ...[0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26].map((op): [number, Operands] => [op, one]),
  // loads and stores, memory.size, memory.grow
  ...Array.from({ length: 0x3e - 0x28 + 1 }, (_, i): [number, Operands] => [0x28 + i, address]),
  ...[0x3f, 0x40].map((op): [number, Operands] => [op, one]),
  // constants
  [0x41, one],
  [0x42, one],
  [0x43, fixed(4)],
  [0x44, fixed(8)],
  // ref.null, ref.func, br_on_null, br_on_non_null
  ...[0xd0, 0xd2, 0xd5, 0xd6].map((op): [number, Operands] => [op, one]),
  [0xfc, bulk],
  [0xfd, vector],
  [0xfe, atomic],
]);

/** else, end, throw_ref, return, catch_all, drop, select, ref.is_null, ref.eq, ref.as_non_null */
const PLAIN = new Set([0x05, 0x0b, 0x0a, 0x0f, 0x19, 0x1a, 0x1b, 0xd1, 0xd3, 0xd4]);

/** Reads one instruction and returns its opcode. */
export function readInstruction(reader: Reader): number {
  const op = reader.byte();
  (OPERANDS.get(op) ?? plain)(reader, op);
  return op;
}

/** Opcodes without operands. An unknown one is refused: its length is not known. */
function plain(_: Reader, op: number): void {
  if (op <= 0x01 || op >= 0x45 && op <= 0xc4 || PLAIN.has(op)) return;
  throw new Error(`the WebAssembly module has an instruction that is not known: 0x${op.toString(16)}`);
}

function tryTable(reader: Reader): void {
  reader.leb();
  for (let left = reader.unsigned(); left > 0; left--) {
    // catch and catch_ref name a tag, catch_all and catch_all_ref do not.
    if (reader.byte() < 2) reader.leb();
    reader.leb();
  }
}

/** Conversions, and work on memories and tables. */
function bulk(reader: Reader): void {
  const op = reader.unsigned();
  if (op <= 7) return;
  if ([8, 10, 12, 14].includes(op)) return two(reader, op);
  if ([9, 11, 13, 15, 16, 17].includes(op)) return one(reader, op);
  throw new Error(`the WebAssembly module has an instruction that is not known: 0xfc ${op}`);
}

function vector(reader: Reader): void {
  const op = reader.unsigned();
  if (op <= 11 || op === 92 || op === 93) return address(reader, op);
  if (op === 12 || op === 13) return void reader.bytes(16);
  if (op >= 21 && op <= 34) return void reader.bytes(1);
  if (op >= 84 && op <= 91) {
    address(reader, op);
    reader.bytes(1);
  }
}

function atomic(reader: Reader): void {
  const op = reader.unsigned();
  if (op === 3) return void reader.bytes(1);
  address(reader, op);
}
