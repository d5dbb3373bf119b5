import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { World } from "../testing/harness_test.ts";
import { ERRNO } from "./errno.ts";
import { Exit, Wasi, type WasiOptions } from "./wasi.ts";

const ROOT = 3;
const FOLLOW = 1;
const CREATE = 1;
const DIRECTORY = 2;
const EXCLUSIVE = 4;
const TRUNCATE = 8;
const APPEND = 1;
const READ = 2n;
const WRITE = 64n;
const OUT = 8;
const LIST = 16;
const BUFFER = 4096;
const TEXT = 1024;

/** Calls as a program would make them: with its arguments in its memory. */
class Program {
  readonly memory = new WebAssembly.Memory({ initial: 4 });
  readonly printed: string[] = [];
  readonly wasi: Wasi;

  constructor(readonly world: World, options: Partial<WasiOptions> = {}) {
    const stdout = (data: Uint8Array) => void this.printed.push(new TextDecoder().decode(data));
    const stdin = () => new Uint8Array(0);
    const { tree } = world;
    this.wasi = new Wasi({
      ...{ args: [], env: {}, tree, stdin, stdout, stderr: stdout, sleep: () => true },
      ...options,
    });
    this.wasi.attach(this.memory);
  }

  get view(): DataView {
    return new DataView(this.memory.buffer);
  }

  call(name: string, ...args: (number | bigint)[]): number {
    return (this.wasi.imports[name] as (...args: (number | bigint)[]) => number)(...args);
  }

  /** Puts a string into memory and returns its address and length. */
  text(text: string, at = TEXT): [number, number] {
    const bytes = new TextEncoder().encode(text);
    new Uint8Array(this.memory.buffer).set(bytes, at);
    return [at, bytes.length];
  }

  path(name: string, path: string, ...args: (number | bigint)[]): number {
    return this.call(name, ROOT, ...this.text(path), ...args);
  }

  open(path: string, { oflags = 0, rights = READ, flags = 0, lookup = FOLLOW, from = ROOT } = {}): number {
    const errno = this.call("path_open", from, lookup, ...this.text(path), oflags, rights, 0n, flags, OUT);
    return errno === 0 ? this.view.getUint32(OUT, true) : -errno;
  }

  read(fd: number, length = 100, at?: bigint): string {
    this.pieces([BUFFER, length]);
    const offset = at === undefined ? [] : [at];
    strictEqual(this.call(at === undefined ? "fd_read" : "fd_pread", fd, LIST, 1, ...offset, OUT), 0);
    return new TextDecoder().decode(new Uint8Array(this.memory.buffer, BUFFER, this.view.getUint32(OUT, true)));
  }

  write(fd: number, text: string, at?: bigint): number {
    this.pieces(this.text(text, BUFFER));
    const offset = at === undefined ? [] : [at];
    return this.call(at === undefined ? "fd_write" : "fd_pwrite", fd, LIST, 1, ...offset, OUT);
  }

  pieces(...pieces: [number, number][]): void {
    for (const [index, [at, length]] of pieces.entries()) {
      this.view.setUint32(LIST + index * 8, at, true);
      this.view.setUint32(LIST + index * 8 + 4, length, true);
    }
  }

  stat(path: string, lookup = FOLLOW): { type: number; size: number; mtime: number } | number {
    const errno = this.call("path_filestat_get", ROOT, lookup, ...this.text(path), BUFFER);
    if (errno !== 0) return -errno;
    const { view } = this;
    return {
      type: view.getUint8(BUFFER + 16),
      size: Number(view.getBigUint64(BUFFER + 32, true)),
      mtime: Number(view.getBigUint64(BUFFER + 48, true)) / 1e6,
    };
  }

  list(fd: number, room = 4096): string[] {
    const names: string[] = [];
    for (let cookie = 0n;;) {
      strictEqual(this.call("fd_readdir", fd, BUFFER, room, cookie, OUT), 0);
      const used = this.view.getUint32(OUT, true);
      let at = 0;
      while (at + 24 <= used) {
        const length = this.view.getUint32(BUFFER + at + 16, true);
        if (at + 24 + length > used) break;
        cookie = this.view.getBigUint64(BUFFER + at, true);
        names.push(new TextDecoder().decode(new Uint8Array(this.memory.buffer, BUFFER + at + 24, length)));
        at += 24 + length;
      }
      if (used < room) return names;
    }
  }
}

Deno.test("the root is the one folder that a program has, with folders and devices in it", () => {
  using world = new World();
  const program = new Program(world);
  strictEqual(program.call("fd_prestat_get", ROOT, OUT), 0);
  strictEqual(program.view.getUint32(OUT + 4, true), 1);
  strictEqual(program.call("fd_prestat_get", ROOT + 1, OUT), ERRNO.EBADF);
  const root = program.open(".", { oflags: DIRECTORY });
  deepStrictEqual(program.list(root), [".", "..", "workspace", "tmp", "mnt", "dev"]);
  ok(program.list(program.open("dev")).includes("null"));
});

Deno.test("a file is made, written, read, sought and cut", () => {
  using world = new World();
  const program = new Program(world);
  const fd = program.open("workspace/a", { oflags: CREATE, rights: READ | WRITE });
  strictEqual(program.write(fd, "hello"), 0);
  strictEqual(program.call("fd_seek", fd, -4n, 1, OUT), 0);
  strictEqual(program.read(fd), "ello");
  strictEqual(program.read(fd), "");
  strictEqual(program.read(fd, 2, 1n), "el");
  strictEqual(program.write(fd, "J", 0n), 0);
  strictEqual(program.call("fd_seek", fd, -1n, 2, OUT), 0);
  strictEqual(program.call("fd_tell", fd, OUT), 0);
  strictEqual(program.view.getBigUint64(OUT, true), 4n);
  strictEqual(program.call("fd_seek", fd, -9n, 1, OUT), ERRNO.EINVAL);
  strictEqual(program.call("fd_filestat_set_size", fd, 3n), 0);
  strictEqual(program.call("fd_close", fd), 0);
  strictEqual(program.call("fd_close", fd), ERRNO.EBADF);
  strictEqual(world.read("workspace/a"), "Jel");
});

Deno.test("several pieces are filled in turn", () => {
  using world = new World();
  world.write("workspace/a", "abcdefg");
  const program = new Program(world);
  const fd = program.open("workspace/a");
  program.pieces([BUFFER, 2], [BUFFER + 10, 0], [BUFFER + 20, 10]);
  strictEqual(program.call("fd_read", fd, LIST, 3, OUT), 0);
  strictEqual(program.view.getUint32(OUT, true), 7);
  strictEqual(new TextDecoder().decode(new Uint8Array(program.memory.buffer, BUFFER + 20, 5)), "cdefg");
});

Deno.test("opening heeds create, exclusive, truncate, append and what the program may do", () => {
  using world = new World();
  world.write("workspace/a", "text");
  world.write("fixed/a", "text");
  const program = new Program(world);
  strictEqual(program.open("workspace/a", { oflags: CREATE | EXCLUSIVE, rights: WRITE }), -ERRNO.EEXIST);
  strictEqual(program.open("workspace/none"), -ERRNO.ENOENT);
  strictEqual(program.open("workspace/a", { oflags: DIRECTORY }), -ERRNO.ENOTDIR);
  strictEqual(program.open("workspace", { rights: WRITE }), -ERRNO.EISDIR);
  strictEqual(program.open("mnt/fixed/b", { oflags: CREATE, rights: WRITE }), -ERRNO.EROFS);
  const more = program.open("workspace/a", { rights: WRITE, flags: APPEND });
  strictEqual(program.write(more, " more"), 0);
  strictEqual(world.read("workspace/a"), "text more");
  program.pieces([BUFFER, 1]);
  strictEqual(program.call("fd_read", more, LIST, 1, OUT), ERRNO.EBADF);
  program.open("workspace/a", { oflags: TRUNCATE, rights: WRITE });
  strictEqual(world.read("workspace/a"), "");
  strictEqual(program.write(program.open("workspace/a"), "x"), ERRNO.EBADF);
});

Deno.test("paths go from any open directory and never out of the root", () => {
  using world = new World();
  Deno.mkdirSync(`${world.path}/workspace/d`);
  world.write("tmp/a", "there");
  world.link(`${world.path}/outside/secret`, "workspace/escape");
  const program = new Program(world);
  const inner = program.open("workspace/d", { oflags: DIRECTORY });
  strictEqual(program.read(program.open("../../tmp/a", { from: inner })), "there");
  strictEqual(program.open("../../../../outside/secret", { from: inner }), -ERRNO.ENOENT);
  strictEqual(program.open("workspace/escape"), -ERRNO.ENOENT);
  strictEqual(program.open("etc/passwd"), -ERRNO.ENOENT);
  strictEqual(program.open("none"), -ERRNO.ENOENT);
  strictEqual(program.open("none", { oflags: CREATE, rights: WRITE }), -ERRNO.EACCES);
  strictEqual(program.open("a", { from: program.open("tmp/a") }), -ERRNO.ENOTDIR);
});

Deno.test("links are made, read, followed or not", () => {
  using world = new World();
  world.write("tmp/a", "there");
  const program = new Program(world);
  strictEqual(program.call("path_symlink", ...program.text("/tmp/a", 2048), ROOT, ...program.text("workspace/l")), 0);
  strictEqual(program.path("path_readlink", "workspace/l", BUFFER, 4, OUT), 0);
  strictEqual(program.view.getUint32(OUT, true), 4);
  strictEqual(program.read(program.open("workspace/l")), "there");
  strictEqual(program.open("workspace/l", { lookup: 0 }), -ERRNO.ELOOP);
  strictEqual((program.stat("workspace/l") as { type: number }).type, 4);
  strictEqual((program.stat("workspace/l", 0) as { type: number }).type, 7);
  const to = program.text("tmp/b", 2048);
  strictEqual(program.call("path_link", ROOT, 0, ...program.text("tmp/a"), ROOT, ...to), 0);
  strictEqual(world.read("tmp/b"), "there");
  strictEqual(program.path("path_rename", "tmp/b", ROOT, ...program.text("tmp/c", 2048)), 0);
  strictEqual(program.path("path_rename", "tmp/c", ROOT, ...program.text("workspace/c", 2048)), ERRNO.EXDEV);
  strictEqual(program.path("path_unlink_file", "tmp/c"), 0);
});

Deno.test("directories are made, listed in parts of any size, and removed", () => {
  using world = new World();
  const program = new Program(world);
  strictEqual(program.path("path_create_directory", "workspace/d"), 0);
  strictEqual(program.path("path_create_directory", "workspace/d"), ERRNO.EEXIST);
  const names = Array.from({ length: 50 }, (_, index) => `file${index}`);
  for (const name of names) world.write(`workspace/d/${name}`, "");
  const fd = program.open("workspace/d");
  for (const room of [40, 100, 4096]) {
    deepStrictEqual(program.list(fd, room).sort(), [".", "..", ...names].sort());
  }
  strictEqual(program.path("path_remove_directory", "workspace/d"), ERRNO.ENOTEMPTY);
  strictEqual(program.path("path_unlink_file", "workspace/d"), ERRNO.EISDIR);
  for (const name of names) Deno.removeSync(`${world.path}/workspace/d/${name}`);
  strictEqual(program.path("path_remove_directory", "workspace/d"), 0);
});

Deno.test("times are set by path and by number", () => {
  using world = new World();
  world.write("workspace/a", "");
  const program = new Program(world);
  const [at, length] = program.text("workspace/a");
  const second = 1_000_000_000n;
  strictEqual(program.call("path_filestat_set_times", ROOT, FOLLOW, at, length, 5n * second, 7n * second, 5), 0);
  strictEqual((program.stat("workspace/a") as { mtime: number }).mtime, 7000);
  const fd = program.open("workspace/a", { rights: WRITE });
  strictEqual(program.call("fd_filestat_set_times", fd, 0n, 9n * second, 4), 0);
  strictEqual((program.stat("workspace/a") as { mtime: number }).mtime, 9000);
  strictEqual(program.call("fd_filestat_set_times", fd, 0n, 0n, 12), ERRNO.EINVAL);
});

Deno.test("devices swallow, give zeros, chance and the standard streams", () => {
  using world = new World();
  const program = new Program(world, { stdin: (max) => new TextEncoder().encode("input").subarray(0, max) });
  const null_ = program.open("dev/null", { rights: READ | WRITE });
  strictEqual(program.write(null_, "gone"), 0);
  strictEqual(program.read(null_), "");
  strictEqual(program.read(program.open("workspace/../dev/zero"), 3), "\0\0\0");
  strictEqual(program.read(program.open("dev/stdin"), 3), "inp");
  strictEqual(program.write(program.open("dev/stdout", { rights: WRITE }), "out"), 0);
  strictEqual(program.write(program.open("dev/full", { rights: WRITE }), "out"), ERRNO.ENOSPC);
  deepStrictEqual(program.printed, ["out"]);
  strictEqual(program.open("dev/sda"), -ERRNO.ENOENT);
  strictEqual(program.path("path_unlink_file", "dev/null"), ERRNO.EPERM);
  strictEqual((program.stat("dev/null") as { type: number }).type, 2);
});

Deno.test("standard streams cannot be sought", () => {
  using world = new World();
  const program = new Program(world);
  strictEqual(program.write(1, "one"), 0);
  strictEqual(program.call("fd_seek", 1, 0n, 0, OUT), ERRNO.ESPIPE);
  deepStrictEqual(program.printed, ["one"]);
});

Deno.test("a number is given to another file", () => {
  using world = new World();
  world.write("workspace/a", "");
  const program = new Program(world);
  const fd = program.open("workspace/a", { rights: WRITE });
  strictEqual(program.call("fd_renumber", fd, 1), 0);
  strictEqual(program.write(1, "to the file"), 0);
  strictEqual(world.read("workspace/a"), "to the file");
  strictEqual(program.call("fd_renumber", 1, 100_000), ERRNO.EBADF);
});

Deno.test("one file has several numbers, by /dev/fd and by duplicate, and is closed with the last", () => {
  using world = new World();
  world.write("workspace/a", "abcdef");
  const program = new Program(world, { firstFile: 64 });
  const fd = program.open("workspace/a");
  strictEqual(fd, 64);
  const other = program.open(`dev/fd/${fd}`);
  program.wasi.duplicate(fd, 0);
  strictEqual(program.read(fd, 2) + program.read(other, 2), "abcd");
  strictEqual(program.call("fd_close", fd) + program.call("fd_close", other), 0);
  strictEqual(program.read(0), "ef");
  strictEqual(program.open("dev/fd/99"), -ERRNO.EBADF);
});

Deno.test("no more than 512 files are open at once, and closing makes room", () => {
  using world = new World();
  world.write("workspace/a", "");
  const program = new Program(world);
  let last = 0;
  while (last >= 0) last = program.open("workspace/a");
  strictEqual(last, -ERRNO.EMFILE);
  strictEqual(program.call("fd_close", 200), 0);
  strictEqual(program.open("workspace/a"), 200);
  program.wasi.close();
});

Deno.test("addresses outside of the memory and texts that are none are refused", () => {
  using world = new World();
  const program = new Program(world);
  strictEqual(program.call("fd_prestat_get", ROOT, -4), ERRNO.EFAULT);
  program.pieces([-8, 100]);
  strictEqual(program.call("fd_write", 1, LIST, 1, OUT), ERRNO.EFAULT);
  strictEqual(program.call("fd_write", 1, LIST, 1_000_000, OUT), ERRNO.EINVAL);
  strictEqual(program.call("random_get", 0, -1), ERRNO.EFAULT);
  new Uint8Array(program.memory.buffer).set([0xff, 0xfe], TEXT);
  strictEqual(program.call("path_unlink_file", ROOT, TEXT, 2), ERRNO.EILSEQ);
  strictEqual(program.path("path_unlink_file", "a\0b"), ERRNO.EINVAL);
  strictEqual(program.path("path_unlink_file", "x".repeat(5000)), ERRNO.ENAMETOOLONG);
});

Deno.test("memory that has grown is seen", () => {
  using world = new World();
  const program = new Program(world);
  strictEqual(program.write(1, "a"), 0);
  program.memory.grow(1);
  strictEqual(program.write(1, "b"), 0);
  deepStrictEqual(program.printed, ["a", "b"]);
});

Deno.test("arguments and variables are handed over", () => {
  using world = new World();
  const program = new Program(world, { args: ["prog", "ä"], env: { A: "1" } });
  strictEqual(program.call("args_sizes_get", OUT, OUT + 4), 0);
  deepStrictEqual([program.view.getUint32(OUT, true), program.view.getUint32(OUT + 4, true)], [2, 8]);
  strictEqual(program.call("args_get", LIST, BUFFER), 0);
  strictEqual(new TextDecoder().decode(new Uint8Array(program.memory.buffer, BUFFER, 8)), "prog\0ä\0");
  strictEqual(program.view.getUint32(LIST + 4, true), BUFFER + 5);
  strictEqual(program.call("environ_get", LIST, BUFFER), 0);
  strictEqual(new TextDecoder().decode(new Uint8Array(program.memory.buffer, BUFFER, 4)), "A=1\0");
});

Deno.test("polling sleeps until the first clock, and not when something can be read", () => {
  using world = new World();
  const slept: number[] = [];
  const program = new Program(world, { sleep: (ms) => slept.push(ms) > 0 });
  const subscribe = (index: number, type: number, value: bigint) => {
    const at = TEXT + index * 48;
    program.view.setBigUint64(at, BigInt(index), true);
    program.view.setUint8(at + 8, type);
    program.view.setUint32(at + 16, 0, true);
    if (type === 0) program.view.setBigUint64(at + 24, value, true);
  };
  subscribe(0, 0, 5_000_000n);
  subscribe(1, 0, 9_000_000n);
  strictEqual(program.call("poll_oneoff", TEXT, BUFFER, 2, OUT), 0);
  deepStrictEqual([slept, program.view.getUint32(OUT, true)], [[5], 1]);
  subscribe(1, 1, 0n);
  strictEqual(program.call("poll_oneoff", TEXT, BUFFER, 2, OUT), 0);
  deepStrictEqual([slept, program.view.getUint32(OUT, true)], [[5], 1]);
  strictEqual(program.view.getBigUint64(BUFFER, true), 1n);
  strictEqual(program.call("poll_oneoff", TEXT, BUFFER, 0, OUT), ERRNO.EINVAL);
});

Deno.test("an interrupt ends a sleep, and a check that throws ends the program", () => {
  using world = new World();
  const program = new Program(world, { sleep: () => false });
  program.view.setBigUint64(TEXT + 24, 5_000_000n, true);
  strictEqual(program.call("poll_oneoff", TEXT, BUFFER, 1, OUT), ERRNO.EINTR);
  const checked = new Program(world, {
    check() {
      throw new Error("stop");
    },
  });
  throws(() => checked.call("sched_yield"), /stop/);
});

Deno.test("clocks go on, and a program ends with its code", () => {
  using world = new World();
  const program = new Program(world);
  strictEqual(program.call("clock_time_get", 0, 0n, OUT), 0);
  ok(Math.abs(Number(program.view.getBigUint64(OUT, true)) / 1e6 - Date.now()) < 1000);
  strictEqual(program.call("clock_time_get", 9, 0n, OUT), ERRNO.EINVAL);
  throws(() => program.call("proc_exit", 7), (error) => error instanceof Exit && error.code === 7);
  strictEqual(program.call("sock_send", 0), ERRNO.ENOTSUP);
});

Deno.test("with a working directory, names that the root does not hold are meant from there", () => {
  using world = new World();
  world.write("workspace/a", "here");
  world.write("tmp/a", "there");
  const program = new Program(world, { cwd: "/workspace" });
  strictEqual(program.read(program.open("a")), "here");
  strictEqual(program.read(program.open("./a")), "here");
  strictEqual(program.read(program.open("../tmp/a")), "there");
  strictEqual(program.read(program.open("tmp/a")), "there");
  ok(program.list(program.open(".")).includes("a"));
  program.wasi.settle();
  strictEqual(program.open("a"), -ERRNO.ENOENT);
});
