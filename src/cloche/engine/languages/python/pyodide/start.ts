/** A Pyodide in this worker: hidden from Node, bounded in memory, with the guest's folders mounted. */

import { mountFolders } from "../../../fs/emscripten.ts";
import type { FolderFiles } from "../../../fs/folder.ts";
import { PackageMount } from "../../../fs/package_mount.ts";
import type { PackageFiles } from "../../../fs/packages.ts";
import type { MemoryBudget } from "../../../worker/memory_budget.ts";
import { guardLibraries } from "./native_libraries.ts";
import { loadPyodide } from "./loader.ts";
import { restoreSnapshot, type SnapshotSource } from "./snapshot.ts";
import type { CreateModule, Pyodide } from "./types.ts";
import type { HiddenExports } from "./hidden_exports.ts";

/** Where the guest finds the standard library, and the packages that come with Cloche. */
export const LIBRARY = "/opt/cloche";
export const SITE = "/opt/site";
const HOME = "/home/user";

const decoder = new TextDecoder();
const PAGE = 65536;
const RESERVE_SHARE = 1 / 16;
const RESERVES = 4;

interface Parts {
  /** The default export of the patched pyodide.asm.mjs. */
  create: CreateModule;
  module: WebAssembly.Module;
  folders: FolderFiles[];
  /** The folders that are read from archives, by path. */
  archives: Record<string, PackageFiles>;
  /** How much memory it may have; without it as much as WebAssembly has. */
  memory?: MemoryLimit;
  /** Says whether a program with a clock must end. */
  check?(): number;
  snapshot?: SnapshotSource;
  /** Opens what was taken out of the module; undefined if the module is whole. */
  openPart?(name: "data" | "hidden"): Part;
}

interface MemoryLimit {
  /** Bytes of this Python and all others of the sandbox together. */
  limit: number;
  budget: MemoryBudget;
  /** Which of them this is. */
  number: number;
}

type Part = SnapshotSource & { size: number; close(): void };

export function startPyodide(parts: Parts): Promise<Pyodide> {
  hideNode();
  if (parts.memory) limitMemory(parts.memory);
  const { snapshot } = parts;
  return loadPyodide({
    create: parts.create,
    module: Promise.resolve(parts.module),
    stdlib: `${LIBRARY}/python_stdlib.zip`,
    home: HOME,
    // The guest may import nothing from `js`. The builder is trusted, and closes this way itself.
    globals: snapshot ? emptyObject() : globalThis,
    mount: (module) => {
      mountFolders(module, parts.folders);
      guardLibraries(module, new PackageMount(module, parts.archives));
    },
    restore: snapshot ? (module) => restoreSnapshot(module, snapshot) : undefined,
    makeSnapshot: snapshot === undefined,
    check: parts.check,
    hidden: () => readHidden(parts),
    fill: (memory) => fillData(parts, memory),
  });
}

function readHidden(parts: Parts): HiddenExports {
  const file = parts.openPart?.("hidden");
  if (!file) return { functions: [], values: {} };
  const text = new Uint8Array(file.size);
  file.read(text, 0);
  file.close();
  return JSON.parse(decoder.decode(text));
}

function fillData(parts: Parts, memory: WebAssembly.Memory): void {
  const file = parts.openPart?.("data");
  file?.read(new Uint8Array(memory.buffer, 0, file.size), 0);
  file?.close();
}

/** Objects of JavaScript that the snapshot remembers by name are restored as empty objects. */
function emptyObject(): object {
  const empty = Object.freeze({ __proto__: null });
  return new Proxy(empty, { get: () => empty });
}

/** Emscripten takes a global `process` for Node and would load its modules; it does not do that in a worker. */
function hideNode(): void {
  const globals = globalThis as unknown as Record<string, unknown>;
  globals.WorkerGlobalScope ??= Object;
  for (const name of ["process", "Buffer", "global", "require"]) delete globals[name];
}

let allowed = Infinity;
let most = Infinity;
let reserve = 0;

/** A request for more than the limit fails, which Python turns into MemoryError. */
function limitMemory({ limit, budget, number }: MemoryLimit): void {
  allowed = limit;
  // Emscripten asks for a twentieth more at least.
  reserve = limit * RESERVE_SHARE;
  most = limit + RESERVES * reserve;
  const { prototype } = WebAssembly.Memory;
  const grow = prototype.grow;
  prototype.grow = function (this: WebAssembly.Memory, pages: number): number {
    const wanted = this.buffer.byteLength + pages * PAGE;
    if (wanted + budget.besides(number) > allowed) throw new RangeError("the memory limit is reached");
    const before = grow.call(this, pages);
    budget.set(number, wanted);
    return before;
  };
}

/** A little more memory, a few times: code that has used all of it must be able to clean up. */
export function openReserve(): void {
  allowed = Math.min(allowed + reserve, most);
}
