/** WASI's other calls: arguments, clocks, random bytes, polling, exit. */

import { ERRNO, throwErrno } from "./errno.ts";
import { type FileCalls, type Parts, toNanoseconds } from "./files.ts";
import type { Memory } from "./memory.ts";

const CLOCK = { real: 0, monotonic: 1, process: 2, thread: 3 };
const EVENT = { clock: 0, read: 1, write: 2 };
const SUBSCRIPTION = 48;
const ANSWER = 32;
const MAX_SUBSCRIPTIONS = 1024;
const ABSOLUTE = 1;
const RANDOM_BLOCK = 65536;

/** Thrown when the program exits. */
export class Exit extends Error {
  override readonly name = "Exit";

  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

interface SystemParts extends Parts {
  args: string[];
  env: Record<string, string>;
  /** False if interrupted. */
  sleep(ms: number): boolean;
  check?(): void;
}

export function systemCalls(parts: SystemParts): FileCalls {
  const { memory, args, env } = parts;
  const clocks = new Clocks();
  const texts = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const refused = () => throwErrno("ENOTSUP");
  return {
    args_get: (list: number, at: number) => putTexts(memory, list, at, args),
    args_sizes_get: (count: number, size: number) => putSizes(memory, count, size, args),
    environ_get: (list: number, at: number) => putTexts(memory, list, at, texts),
    environ_sizes_get: (count: number, size: number) => putSizes(memory, count, size, texts),
    clock_res_get(id: number, at: number) {
      clocks.now(id);
      memory.putU64(at, 1000n);
    },
    clock_time_get: (id: number, _: bigint, at: number) => memory.putU64(at, toNanoseconds(clocks.now(id))),
    random_get(at: number, length: number) {
      const bytes = memory.bytes(at, length);
      for (let done = 0; done < bytes.length; done += RANDOM_BLOCK) {
        crypto.getRandomValues(bytes.subarray(done, done + RANDOM_BLOCK) as Uint8Array<ArrayBuffer>);
      }
    },
    poll_oneoff: (...[list, into, count, done]: number[]) =>
      memory.putU32(done, poll(parts, clocks, list, into, count >>> 0)),
    sched_yield() {},
    proc_exit(code: number) {
      throw new Exit(code & 0xff);
    },
    proc_raise: () => throwErrno("ENOSYS"),
    sock_accept: refused,
    sock_recv: refused,
    sock_send: refused,
    sock_shutdown: refused,
  };
}

/** Milliseconds, as exact as the platform has them. */
class Clocks {
  #offset = 0;

  now(id: number): number {
    if (id < CLOCK.real || id > CLOCK.thread) throwErrno("EINVAL");
    const exact = performance.now();
    if (id !== CLOCK.real) return exact;
    const rough = Date.now();
    // If the clock is set, or the machine sleeps, one changes and the other does not.
    if (Math.abs(this.#offset + exact - rough) > 2) this.#offset = rough - exact;
    return this.#offset + exact;
  }
}

interface Event {
  at: number;
  type: number;
  /** Milliseconds until it happens. */
  wait: number;
  errno: number;
}

/** Files and streams are always ready; only clocks make a program wait. */
function poll(parts: SystemParts, clocks: Clocks, list: number, into: number, count: number): number {
  if (count === 0 || count > MAX_SUBSCRIPTIONS) throwErrno("EINVAL");
  const { memory } = parts;
  const events = Array.from({ length: count }, (_, index) => subscribed(parts, clocks, list + index * SUBSCRIPTION));
  memory.bytes(into, count * ANSWER);
  const wait = Math.min(...events.map((event) => event.wait));
  if (wait > 0 && !parts.sleep(wait)) {
    parts.check?.();
    throwErrno("EINTR");
  }
  const happened = events.filter((event) => event.wait <= wait);
  for (const [index, { at, type, errno }] of happened.entries()) {
    const answer = into + index * ANSWER;
    const user = memory.u64(at);
    memory.bytes(answer, ANSWER).fill(0);
    memory.putU64(answer, user);
    memory.putU16(answer + 8, errno);
    memory.putU8(answer + 10, type);
    if (type !== EVENT.clock) memory.putU64(answer + 16, 1n);
  }
  return happened.length;
}

function subscribed({ memory, handles }: SystemParts, clocks: Clocks, at: number): Event {
  const type = memory.u8(at + 8);
  if (type > EVENT.write) throwErrno("EINVAL");
  if (type !== EVENT.clock) {
    return { at, type, wait: 0, errno: handles.has(memory.u32(at + 16)) ? ERRNO.SUCCESS : ERRNO.EBADF };
  }
  const timeout = Number(memory.u64(at + 24)) / 1e6;
  const passed = memory.u16(at + 40) & ABSOLUTE ? clocks.now(memory.u32(at + 16)) : 0;
  return { at, type, wait: Math.max(0, timeout - passed), errno: ERRNO.SUCCESS };
}

function putSizes(memory: Memory, count: number, size: number, texts: string[]): void {
  memory.putU32(count, texts.length);
  memory.putU32(size, encoded(texts).reduce((sum, text) => sum + text.length, 0));
}

function putTexts(memory: Memory, list: number, at: number, texts: string[]): void {
  let next = at;
  for (const [index, text] of encoded(texts).entries()) {
    memory.putU32(list + index * 4, next);
    memory.bytes(next, text.length).set(text);
    next += text.length;
  }
}

function encoded(texts: string[]): Uint8Array[] {
  return texts.map((text) => new TextEncoder().encode(text.replaceAll("\0", "") + "\0"));
}
