import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { concatBytes } from "../../../text/bytes.ts";
import { makeDice } from "../../../testing/harness_test.ts";
import { packSnapshot, restoreSnapshot, type SnapshotSource } from "./snapshot.ts";
import type { PyodideModule } from "./types.ts";

const PAGE = 4096;
const SIZE = 64 * PAGE;

/** The part of a module that a snapshot is made of. */
class FakeModule {
  HEAPU8: Uint8Array;
  grown: number[] = [];

  constructor(size = SIZE, private readonly state: unknown = { references: [1, "two", null] }) {
    this.HEAPU8 = new Uint8Array(size);
  }

  readonly API = {
    serializeHiwireState: (serializer: (value: unknown) => unknown) => ({ state: this.state, own: serializer(1) }),
  };

  growMemory(size: number): void {
    const larger = new Uint8Array(size);
    larger.set(this.HEAPU8);
    this.HEAPU8 = larger;
    this.grown.push(size);
  }

  get asModule(): PyodideModule {
    return this as unknown as PyodideModule;
  }
}

function pack(module: FakeModule): Uint8Array {
  return concatBytes(packSnapshot(module.asModule, () => null));
}

function source(data: Uint8Array): SnapshotSource {
  return {
    read(into, position) {
      if (position + into.length > data.length) throw new Error("shorter than it should be");
      into.set(data.subarray(position, position + into.length));
    },
  };
}

function restore(data: Uint8Array, module = new FakeModule()): FakeModule {
  restoreSnapshot(module.asModule, source(data));
  return module;
}

function sample(): FakeModule {
  const module = new FakeModule();
  module.HEAPU8.fill(7, 10, 20);
  module.HEAPU8.fill(8, 5 * PAGE - 3, 7 * PAGE + 1);
  module.HEAPU8[SIZE - 1] = 9;
  return module;
}

Deno.test("memory and state come back as they were", () => {
  const module = sample();
  const data = pack(module);
  const other = new FakeModule();
  deepStrictEqual(restoreSnapshot(other.asModule, source(data)), {
    state: { references: [1, "two", null] },
    own: null,
  });
  deepStrictEqual(other.HEAPU8, module.HEAPU8);
});

Deno.test("only pages that hold something are kept", () => {
  const data = pack(sample());
  ok(data.length > 6 * PAGE && data.length < 7 * PAGE, `${data.length}`);
  ok(pack(new FakeModule()).length < 200);
});

Deno.test("pages side by side are one run", () => {
  const module = new FakeModule();
  module.HEAPU8.fill(1, 2 * PAGE, 9 * PAGE);
  const [head] = packSnapshot(module.asModule, () => null);
  deepStrictEqual([...new Uint32Array(head.buffer)].slice(3), [1, 2 * PAGE, 7 * PAGE]);
});

Deno.test("a single byte anywhere keeps its page", () => {
  for (const at of [0, 7, 8, PAGE - 1, PAGE, SIZE - PAGE, SIZE - 1]) {
    const module = new FakeModule();
    module.HEAPU8[at] = 1;
    deepStrictEqual(restore(pack(module)).HEAPU8, module.HEAPU8);
  }
});

Deno.test("memory that is too small grows first, memory that is larger stays", () => {
  const data = pack(sample());
  const small = restore(data, new FakeModule(PAGE));
  deepStrictEqual(small.grown, [SIZE]);
  deepStrictEqual(small.HEAPU8, sample().HEAPU8);
  const large = restore(data, new FakeModule(2 * SIZE));
  deepStrictEqual(large.grown, []);
  deepStrictEqual(large.HEAPU8.subarray(0, SIZE), sample().HEAPU8);
});

Deno.test("a snapshot is a copy: what happens later is not in it", () => {
  const module = sample();
  const parts = packSnapshot(module.asModule, () => null);
  module.HEAPU8.fill(0);
  strictEqual(parts.at(-1)?.at(-1), 9);
});

Deno.test("any memory comes back", () => {
  const roll = makeDice(21);
  for (let round = 0; round < 30; round++) {
    const module = new FakeModule();
    for (let i = roll(40); i > 0; i--) module.HEAPU8[roll(SIZE)] = 1 + roll(255);
    deepStrictEqual(restore(pack(module)).HEAPU8, module.HEAPU8);
  }
});

Deno.test("state with text of every kind comes back", () => {
  const state = { text: "grün € 😀", deep: [{ a: [] }] };
  const data = pack(new FakeModule(SIZE, state));
  deepStrictEqual(restoreSnapshot(new FakeModule().asModule, source(data)), { state, own: null });
});

Deno.test("what is no snapshot is refused before memory is touched", () => {
  const module = sample();
  throws(
    () => restoreSnapshot(module.asModule, source(new TextEncoder().encode("something else entirely"))),
    /not a snapshot/,
  );
  deepStrictEqual(module.HEAPU8, sample().HEAPU8);
  throws(() => restore(new Uint8Array(0)));
});

Deno.test("a snapshot that was cut anywhere fails", () => {
  const data = pack(sample());
  const roll = makeDice(2);
  const cuts = [0, 1, 15, 16, 20, 40, 60, data.length - PAGE, data.length - 1];
  for (let i = 0; i < 30; i++) cuts.push(roll(data.length));
  for (const cut of cuts) throws(() => restore(data.subarray(0, cut)), `cut at ${cut}`);
});

Deno.test("damage in the head or the state fails", () => {
  const whole = pack(sample());
  const damage = (at: number, value: number) => {
    const data = whole.slice();
    new DataView(data.buffer).setUint32(at, value, true);
    return data;
  };
  throws(() => restore(damage(0, 0)), /not a snapshot/);
  throws(() => restore(damage(8, 1)));
  throws(() => restore(damage(8, 0xfffffff)));
  throws(() => restore(damage(12, 0xffffffff)));
  const state = 16 + new DataView(whole.buffer).getUint32(12, true) * 8;
  throws(() => restore(damage(state, 0)), SyntaxError);
});

Deno.test("a run that lies outside the memory fails", () => {
  const data = pack(sample());
  new DataView(data.buffer).setUint32(16, SIZE - 10, true);
  throws(() => restore(data));
});

Deno.test("references of a memory in which a guest has run lead to nothing", () => {
  const state = { hiwireKeys: [null, { path: ["Deno"] }, { API: true }, { serialized: 1 }], immortalKeys: ["a", 7] };
  const module = new FakeModule();
  module.API.serializeHiwireState = () => state as never;
  const data = pack(module);
  deepStrictEqual(restoreSnapshot(new FakeModule().asModule, source(data)), state);
  const restored = restoreSnapshot(new FakeModule().asModule, { ...source(data), foreign: true });
  deepStrictEqual(restored, { hiwireKeys: [null, null, null, null], immortalKeys: ["a", "7"] });
});

Deno.test("a memory that cannot grow to its size is refused", () => {
  const data = pack(new FakeModule(32 * SIZE));
  const module = new FakeModule();
  module.growMemory = () => {};
  throws(() => restoreSnapshot(module.asModule, source(data)), /it needs 8 MB of memory/);
});
