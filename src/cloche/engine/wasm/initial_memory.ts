/** The memory that a module starts with: reads it, or removes it from a module that gets its memory from elsewhere. */

import { encodeUnsigned, Reader, readSections, SECTION, writeSections } from "./format.ts";
import { concatBytes } from "../text/bytes.ts";

/** An active segment without bytes, at address 0. */
const EMPTY_SEGMENT = Uint8Array.of(0, 0x41, 0, 0x0b, 0);

export function readInitialMemory(wasm: Uint8Array): Uint8Array {
  const module = new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>);
  const imports: Record<string, WebAssembly.ModuleImports> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 0;
  const { exports } = new WebAssembly.Instance(module, imports);
  return new Uint8Array((exports.memory as WebAssembly.Memory).buffer);
}

/** Removes all data segments; the module's code must not refer to them. */
export function removeData(wasm: Uint8Array): Uint8Array {
  const rest = readSections(wasm).filter(({ id }) => id !== SECTION.data && id !== SECTION.dataCount);
  return writeSections(rest);
}

/** Empties all data segments, and keeps their number: the module's code may refer to them. */
export function emptyData(wasm: Uint8Array): Uint8Array {
  const emptied = readSections(wasm).map(({ id, body }) => ({
    id,
    body: id === SECTION.data ? emptySegments(new Reader(body).unsigned()) : body,
  }));
  return writeSections(emptied);
}

function emptySegments(count: number): Uint8Array {
  return concatBytes([Uint8Array.from(encodeUnsigned(count)), ...Array.from({ length: count }, () => EMPTY_SEGMENT)]);
}
