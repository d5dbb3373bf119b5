/** The functions that a QuickJS module is linked with: the guest's way out is `host_call`, and only by known names. */

import { Interrupted, RequestError } from "../../../worker/request_errors.ts";
import { FileError } from "../../../fs/files.ts";
import type { Exports } from "./exports.ts";
import { GuestError, Handle, type Hooks, Thrown, type Value, type Vm } from "./vm.ts";

const OK = 0;
const BAD_FILE = 8;
const NOT_SUPPORTED = 52;
const REALTIME = 0;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function makeImports(vm: Vm, hooks: Hooks, exports: () => Exports): WebAssembly.Imports {
  const memory = () => new Uint8Array(exports().memory.buffer);
  const view = () => new DataView(exports().memory.buffer);
  const text = (at: number) => {
    const all = memory();
    return decoder.decode(all.slice(at, all.indexOf(0, at)));
  };
  const guarded = (act: () => number): number => {
    try {
      return act();
    } catch (error) {
      // A module that was ended stays ended.
      if (error instanceof WebAssembly.RuntimeError) throw error;
      if (error instanceof Thrown) vm.rethrow(error);
      else vm.raise(error instanceof GuestError ? error : guestError(error));
      return 0;
    }
  };
  const env = {
    host_call: (name: number, length: number, _this: number, count: number, list: number) =>
      guarded(() => {
        const call = decoder.decode(memory().slice(name, name + length));
        if (!Object.hasOwn(hooks.functions, call)) throw new GuestError("TypeError", `${call} is not a function`);
        const boxes = Array.from({ length: count }, (_, index) => view().getUint32(list + 4 * index, true));
        const result = hooks.functions[call](...boxes.map((box) => vm.value(new Handle(box))));
        // The caller owns what is returned.
        return result instanceof Handle ? result.box : vm.box(result as Value);
      }),
    host_interrupt: () => hooks.interrupt() ? 1 : 0,
    host_promise_rejection: (promise: number, reason: number, handled: number) => {
      hooks.rejected(vm.identity(new Handle(promise)), new Handle(reason), handled !== 0);
      exports().qjs_free_value(promise);
    },
    host_module_normalize: (base: number, name: number) =>
      guarded(() => vm.textFor(hooks.normalize(text(base), text(name)))[0]),
    host_module_load: (name: number, length: number) =>
      guarded(() => {
        const [at, size] = vm.textFor(hooks.load(text(name)));
        view().setUint32(length, size, true);
        return at;
      }),
    /** The sandbox lives in UTC. */
    host_get_timezone_offset: () => 0,
  };
  const wasi = {
    clock_time_get(clock: number, _precision: bigint, into: number): number {
      const ms = clock === REALTIME ? Date.now() : performance.now();
      view().setBigUint64(into, BigInt(Math.round(ms * 1e6)), true);
      return OK;
    },
    fd_close: () => BAD_FILE,
    fd_fdstat_get: () => BAD_FILE,
    fd_seek: () => NOT_SUPPORTED,
    fd_write: () => BAD_FILE,
    random_get(at: number, length: number): number {
      const all = memory();
      for (let done = 0; done < length; done += 65536) {
        crypto.getRandomValues(all.subarray(at + done, Math.min(at + done + 65536, at + length)));
      }
      return OK;
    },
  };
  return { env, wasi_snapshot_preview1: wasi };
}

/** Hides the details of our own failures from the guest. */
function guestError(error: unknown): GuestError {
  if (error instanceof FileError) return new GuestError("Error", error.message, error.code);
  if (error instanceof RequestError) return new GuestError("Error", error.message, error.type);
  if (error instanceof Interrupted) return new GuestError("Interrupted", "interrupted", "", true);
  return new GuestError("Error", "the sandbox could not do this");
}
