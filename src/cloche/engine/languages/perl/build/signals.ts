/**
 * Lets perl be interrupted. It looks for signals between its steps, but was built without any: what it does when one
 * waits is to forget it. Here it dies instead, as code does, so that variables stay.
 */

import { encodeSigned, encodeUnsigned, Reader, readImports, readSections, SECTION } from "../../../wasm/format.ts";
import { concatBytes } from "../../../text/bytes.ts";
import { readInstruction } from "../../../wasm/instructions.ts";
import { withMemory } from "../../../build/freeze_module.ts";
import { readInitialMemory } from "../../../wasm/initial_memory.ts";

const [END, CALL, CONSTANT, STORE] = [0x0b, 0x10, 0x41, 0x36];
/** A message that the shortest function with it only raises. */
const SAID = "\0Modification of a read-only value attempted\0";
const MESSAGE = "interrupted\0";

interface Interruptible {
  wasm: Uint8Array;
  /** The address where perl checks for a signal. */
  pending: number;
}

/** `free` is an unused address. */
export function makeInterruptible(
  wasm: Uint8Array,
  free: number,
): Interruptible {
  const memory = readInitialMemory(wasm);
  const said = new TextDecoder("latin1").decode(memory).indexOf(SAID) + 1;
  const sections = readSections(wasm);
  const body = (id: number) => sections.find((section) => section.id === id)?.body ?? Uint8Array.of(0);
  const codes = listCodes(body(SECTION.code));
  const hook = only(
    listed(body(SECTION.elements), body(SECTION.imports)),
    (index) => emptied(codes[index]) !== null,
  );
  const pending = emptied(codes[hook]) ?? 0;
  // Longer functions raise it among other things.
  const sayer = codes.filter((code) => numbersIn(code).includes(said)).toSorted((a, b) => a.length - b.length)[0];
  const croak = only(callsIn(sayer ?? Uint8Array.of(0)), () => true);
  // It is called again when perl rewinds its stack: instructions before the call may run twice.
  const forget = [CONSTANT, ...encodeSigned(pending), CONSTANT, 0, STORE, 2, 0];
  const die = [
    CONSTANT,
    ...encodeSigned(free),
    CONSTANT,
    0,
    CALL,
    ...encodeUnsigned(croak),
  ];
  codes[hook] = Uint8Array.of(0, ...forget, ...die, END);
  const code = concatBytes([
    Uint8Array.from(encodeUnsigned(codes.length)),
    ...codes.flatMap((each) => sized(each)),
  ]);
  memory.set(new TextEncoder().encode(MESSAGE), free);
  return {
    wasm: withMemory(wasm, memory, new Map([[SECTION.code, code]])),
    pending,
  };
}

/** Where a function writes 0, if that is all it does. */
function emptied(code: Uint8Array): number | null {
  const reader = new Reader(code.subarray(2));
  if (code.length > 16 || code[0] !== 0 || code[1] !== CONSTANT) return null;
  reader.leb();
  const rest = [CONSTANT, 0, STORE, 2, 0, END];
  const [at] = numbersIn(code);
  return reader.rest().join() === rest.join() ? at : null;
}

function only(found: number[], fits: (each: number) => boolean): number {
  const fitting = found.filter(fits);
  if (fitting.length !== 1) {
    throw new Error("perl looks for signals in another way");
  }
  return fitting[0];
}

/** The functions of the table, by their positions in the code. */
function listed(elements: Uint8Array, imports: Uint8Array): number[] {
  const imported = new Reader(imports).unsigned();
  if (readImports(new Reader(imports)).tables > 0) {
    throw new Error("perl imports a table");
  }
  const reader = new Reader(elements);
  const [count, kind] = [reader.unsigned(), reader.unsigned()];
  if (count !== 1 || kind !== 0) {
    throw new Error("perl lists its functions in another way");
  }
  reader.constant();
  const functions = Array.from(
    { length: reader.unsigned() },
    () => reader.unsigned() - imported,
  );
  return functions.filter((index) => index >= 0);
}

function numbersIn(code: Uint8Array): number[] {
  return operandsOf(code, CONSTANT).map((operand) =>
    new Reader(Uint8Array.of(CONSTANT, ...operand, END)).constant() ?? 0
  );
}

function callsIn(code: Uint8Array): number[] {
  return operandsOf(code, CALL).map((operand) => new Reader(operand).unsigned());
}

function operandsOf(code: Uint8Array, wanted: number): Uint8Array[] {
  const reader = new Reader(code);
  for (let groups = reader.unsigned(); groups > 0; groups--) {
    reader.unsigned(), reader.type();
  }
  const found: Uint8Array[] = [];
  while (!reader.ended) {
    const start = reader.at;
    if (readInstruction(reader) === wanted) {
      found.push(code.subarray(start + 1, reader.at));
    }
  }
  return found;
}

function listCodes(body: Uint8Array): Uint8Array[] {
  const reader = new Reader(body);
  return Array.from(
    { length: reader.unsigned() },
    () => reader.bytes(reader.unsigned()),
  );
}

function sized(code: Uint8Array): Uint8Array[] {
  return [Uint8Array.from(encodeUnsigned(code.length)), code];
}
