/** Finds the addresses of Ruby's pending signals: has Ruby send itself a signal, and looks at what changes. */

import { Tree } from "../../../fs/tree.ts";
import { Vm } from "../vm/vm.ts";
import { raiseInterrupt, type Signals } from "../vm/signals.ts";
import { watchMeter } from "../../../wasm/meter.ts";
import { DeviceHandle, Wasi } from "../../../wasi/wasi.ts";
import { wasiFor } from "./stdlib.ts";

/** The stack is below this address. */
const FIRST = 16 << 20;
const LENGTH = 8 << 20;
const SIGINT = 2;
/** Words from a thread to its execution context, and from there to its flags. */
const CONTEXT = 6;
const FLAGS = 4;

/** While a signal is handled, no other is taken: one that is sent there stays pending. */
const SEND = `
trap("INT") {}
look = -> { File.open("/dev/look", &:read) }
look.()
trap("USR1") { look.(); Process.kill(:INT, $$); look.() }
Process.kill(:USR1, $$)
look.()
$stdout.syswrite(Thread.main.inspect)
`;

export function findSignals(module: WebAssembly.Module): Signals {
  const copies: Int32Array[] = [];
  let printed = "";
  const look = () => {
    copies.push(new Int32Array(vm.memory.buffer.slice(FIRST, FIRST + LENGTH)));
    return new Uint8Array(0);
  };
  const wasi = new Wasi({
    args: ["ruby"],
    env: {},
    tree: new Tree([]),
    stdin: () => new Uint8Array(0),
    stdout: (data) => void (printed += new TextDecoder().decode(data)),
    stderr: () => {},
    sleep: () => true,
    devices: { look: () => new DeviceHandle(look, null) },
  });
  const vm = new Vm(module, wasi);
  vm.start(["ruby", "-EUTF-8", "-e_=0"]);
  if (!vm.run(SEND) || copies.length !== 4) throw new Error("Ruby did not take the signal");
  const words = new Int32Array(vm.memory.buffer);
  const [count, size] = pair(rising(copies));
  const object = parseInt(/^#<Thread:0x(\w+)/.exec(printed)?.[1] ?? "", 16) / 4;
  const thread = words.subarray(object, object + 8).find((at) => words[at / 4 + 2] === object * 4);
  if (thread === undefined) throw new Error("Ruby's thread was not found");
  const flag = (words[thread / 4 + CONTEXT] / 4 + FLAGS) * 4;
  const bit = copies[2][(flag - FIRST) / 4];
  if (bit === 0) throw new Error("Ruby's flag was not found");
  return { count, size, context: thread + CONTEXT * 4, flags: FLAGS * 4, bit };
}

/** Fails unless an interrupt ends an endless loop of the packed module, and nothing else. */
export function proveSignals(module: WebAssembly.Module, signals: Signals): void {
  let looks = 0;
  const check = () => {
    if (++looks === 3) raiseInterrupt(vm.memory, signals);
    return looks > 1000 ? 1 : 0;
  };
  const vm = new Vm(module, wasiFor(new Tree([]), () => {}));
  watchMeter(vm.instance, check);
  const loops = ["while true; end", "loop {}", "begin; Fiber.new { loop {} }.resume; ensure; $x = 1; end"];
  for (const loop of loops) {
    looks = 0;
    if (!vm.run(`begin; ${loop}; rescue Interrupt; end`)) throw new Error(`Ruby was not interrupted in ${loop}`);
  }
}

/** Addresses that are 1 while the signal is pending, and otherwise 0. */
function rising([, before, during, after]: Int32Array[]): number[] {
  const found = [];
  for (let at = 0; at < during.length; at++) {
    if (during[at] === 1 && before[at] === 0 && after[at] === 0) found.push(FIRST + at * 4);
  }
  return found;
}

/** One counter for each signal, followed by one for all. */
function pair(places: number[]): [number, number] {
  for (const count of places) {
    const size = places.find((place) => [32, 65].some((signals) => place === count + (signals - SIGINT) * 4));
    if (size !== undefined) return [count, size];
  }
  throw new Error("Ruby's list of signals was not found");
}
