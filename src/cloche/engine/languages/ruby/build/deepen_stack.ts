/**
 * Lets Ruby nest deeper, and fail cleanly at the limit. Ruby unwinds its stack to raise and to collect garbage, and has
 * little room for that: with some 60 nested blocks it overwrites its own memory. Here it gets more room, and its own
 * check of the depth sees the real stack too.
 */

import {
  appendSection,
  encodeSigned,
  encodeUnsigned,
  KIND,
  Reader,
  readImports,
  readSections,
  SECTION,
  writeSections,
} from "../../../wasm/format.ts";
import { concatBytes } from "../../../text/bytes.ts";
import { ROOMY, SCRATCH, SCRATCH_END, STORE } from "../vm/memory_layout.ts";
import { readInstruction } from "../../../wasm/instructions.ts";

/** The room for it in Ruby's own structures, after two pointers. */
const OWN_ROOM = 24576;
/** Bytes of the module's own stack between two checks of the real one, which the module cannot see. */
const STEP = 3072;
/** Globals of the module: the end of its own stack; what asyncify is doing, and for which context. */
const [STACK, STATE, DATA] = [0, 1, 2];
const UNWINDING = 1;
const REWINDING = 2;
const [IF, ELSE, END, RETURN, CALL, VOID, I32] = [0x04, 0x05, 0x0b, 0x0f, 0x10, 0x40, 0x7f];

interface Names {
  get(name: string): number | undefined;
}

export function deepenStack(wasm: Uint8Array, names: Names): Uint8Array {
  const sections = readSections(wasm);
  const body = (id: number) => sections.find((section) => section.id === id)?.body ?? Uint8Array.of(0);
  const index = (name: string) => names.get(name) ?? missing(name);
  const imports = listImports(body(SECTION.imports));
  const imported = imports.length;
  const types = listTypes(body(SECTION.functions));
  const codes = listCodes(body(SECTION.code));
  const mark = readImports(new Reader(body(SECTION.imports))).globals + new Reader(body(SECTION.globals)).unsigned();
  const at = (name: string) => index(name) - imported;
  const begin = index("asyncify_start_unwind");
  const parts: Parts = {
    kept: argumentOf(codes[at("rb_wasm_scan_locals")], begin),
    dropped: argumentOf(codes[at("_rb_wasm_longjmp")], begin),
    store: imports.indexOf(STORE),
  };
  codes.push(codes[at("rb_ec_stack_check")]);
  types.push(types[at("rb_ec_stack_check")]);
  const roomy = imports.findIndex((each) => each.startsWith(ROOMY));
  codes[at("rb_ec_stack_check")] = checked(imported + codes.length - 1, roomy, mark);
  codes[at("asyncify_start_unwind")] = startUnwind();
  codes[at("asyncify_stop_unwind")] = stopUnwind(parts);
  codes[at("asyncify_start_rewind")] = startRewind(parts);
  const changed = new Map([
    [SECTION.functions, Uint8Array.from([types.length, ...types].flatMap(encodeUnsigned))],
    [SECTION.globals, appendSection(new Reader(body(SECTION.globals)), [I32, 1, 0x41, 0, END])],
    [SECTION.code, concatBytes([Uint8Array.from(encodeUnsigned(codes.length)), ...codes.flatMap(sized)])],
  ]);
  return writeSections(sections.map(({ id, body }) => ({ id, body: changed.get(id) ?? body })));
}

interface Parts {
  /** The buffer for values that the garbage collector must find, and the one for stacks that are never rewound. */
  kept: number;
  dropped: number;
  /** The import that keeps stacks which are too large for the buffer. */
  store: number;
}

const local = (number: number) => [0x20, number];
const setLocal = (number: number) => [0x21, number];
const global = (number: number) => [0x23, ...encodeUnsigned(number)];
const setGlobal = (number: number) => [0x24, ...encodeUnsigned(number)];
const constant = (value: number) => [0x41, ...encodeSigned(value)];
const load = (offset = 0) => [0x28, 2, offset];
const store = (offset = 0) => [0x36, 2, offset];
const call = (number: number) => [CALL, ...encodeUnsigned(number)];
const [EQZ, EQ, LESS, GREATER, ADD, SUB, OR] = [0x45, 0x46, 0x49, 0x4b, 0x6a, 0x6b, 0x72];
const COPY = [0xfc, 0x0a, 0, 0];

function startUnwind(): Uint8Array {
  return code(
    0,
    [...constant(UNWINDING), ...setGlobal(STATE), ...local(0), ...setGlobal(DATA)],
    [...local(0), ...constant(SCRATCH), ...store(), ...local(0), ...constant(SCRATCH_END), ...store(4)],
  );
}

/** Locals: the context, and how many bytes. */
function stopUnwind({ kept, dropped, store: import_ }: Parts): Uint8Array {
  const room = [...local(0), ...constant(8), ADD];
  return code(
    2,
    [...constant(0), ...setGlobal(STATE), ...global(DATA), ...setLocal(0)],
    [...local(0), ...load(), ...constant(SCRATCH_END), GREATER, IF, VOID, 0x00, END],
    [...local(0), ...load(), ...constant(SCRATCH), SUB, ...setLocal(1)],
    [...local(0), ...constant(kept), EQ, ...local(0), ...constant(dropped), EQ, OR, IF, VOID],
    [...local(0), ...local(0), ...load(), ...store(4), RETURN, END],
    [...local(1), ...constant(OWN_ROOM), GREATER, IF, VOID],
    [...local(0), ...local(1), ...call(import_), ...room, ...constant(SCRATCH), ...constant(OWN_ROOM), ...COPY],
    [ELSE, ...room, ...constant(SCRATCH), ...local(1), ...COPY, END],
    [...local(0), ...room, ...local(1), ADD, ...store()],
    [...local(0), ...room, ...constant(OWN_ROOM), ADD, ...store(4)],
  );
}

function startRewind({ kept, store: import_ }: Parts): Uint8Array {
  return code(
    1,
    [...constant(REWINDING), ...setGlobal(STATE), ...local(0), ...setGlobal(DATA)],
    [...local(0), ...constant(kept), EQ, IF, VOID, RETURN, END],
    [...local(0), ...load(), ...local(0), SUB, ...constant(8), SUB, ...setLocal(1)],
    [...local(1), ...constant(OWN_ROOM), GREATER, IF, VOID],
    [...local(0), ...constant(0), ...local(1), SUB, ...call(import_)],
    [...local(0), ...constant(SCRATCH), ...local(1), ADD, ...store()],
    [...local(0), ...constant(SCRATCH_END), ...store(4), END],
  );
}

/**
 * Whether the stack is used up: also checks the real one whenever the module's own has grown. Locals: the context, and
 * the end of the module's own stack.
 */
function checked(original: number, roomy: number, mark: number): Uint8Array {
  const setMark = [...local(1), ...constant(STEP), SUB, ...setGlobal(mark)];
  return code(
    1,
    [...global(STACK), ...setLocal(1), ...local(1), ...global(mark), SUB, ...constant(2 * STEP), GREATER, IF, VOID],
    [...local(1), ...global(mark), LESS, IF, VOID, ...constant(0), ...call(roomy), EQZ, IF, VOID],
    [...constant(1), RETURN, END, END, ...setMark, END, ...local(0), ...call(original)],
  );
}

/** A function with this many locals, all numbers. */
function code(locals: number, ...lines: number[][]): Uint8Array {
  return Uint8Array.from([...(locals > 0 ? [1, locals, I32] : [0]), ...lines.flat(), END]);
}

function sized(code: Uint8Array): Uint8Array[] {
  return [Uint8Array.from(encodeUnsigned(code.length)), code];
}

function listTypes(body: Uint8Array): number[] {
  const reader = new Reader(body);
  return Array.from({ length: reader.unsigned() }, () => reader.unsigned());
}

function listCodes(body: Uint8Array): Uint8Array[] {
  const reader = new Reader(body);
  return Array.from({ length: reader.unsigned() }, () => reader.bytes(reader.unsigned()));
}

function listImports(body: Uint8Array): string[] {
  const reader = new Reader(body);
  return Array.from({ length: reader.unsigned() }, () => {
    reader.text();
    const name = reader.text();
    if (reader.byte() !== KIND.function) throw new Error("Ruby imports more than functions");
    reader.unsigned();
    return name;
  });
}

/** The number that a function passes to another one. */
function argumentOf(code: Uint8Array, callee: number): number {
  const reader = new Reader(code);
  for (let groups = reader.unsigned(); groups > 0; groups--) reader.unsigned(), reader.type();
  let number: number | undefined;
  while (!reader.ended) {
    const start = reader.at;
    const op = readInstruction(reader);
    const operand = new Reader(code.subarray(start + 1, reader.at));
    if (op === CALL && operand.unsigned() === callee && number !== undefined) return number;
    number = op === 0x41 ? new Reader(Uint8Array.of(...code.subarray(start, reader.at), END)).constant() : undefined;
  }
  throw new Error("Ruby takes its stack apart in another way");
}

function missing(name: string): never {
  throw new Error(`the module has no function ${name}`);
}
