import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import create from "pyodide-asm";
import { PlatformFiles } from "../platform/deno/files.ts";
import { changeFile } from "../platform/deno/platform.ts";
import { pathExists, World } from "../testing/harness_test.ts";
import { LIBRARY, startPyodide } from "../languages/python/pyodide/start.ts";
import type { Pyodide } from "../languages/python/pyodide/types.ts";
import { FolderFiles } from "./folder.ts";
import { Quota } from "./quota.ts";

const LIMIT = 32 << 20;
const assets = Deno.env.get("CLOCHE_ASSETS") ?? "";

/** One Python for all tests, as starting one takes two seconds; each test has a folder of its own in each mount. */
const world = new World(LIMIT);
const python = await start();
globalThis.addEventListener("unload", () => world[Symbol.dispose]());
let tests = 0;

async function start(): Promise<Pyodide> {
  const wasm = Deno.readFileSync(`${assets}/node_modules/pyodide/pyodide.asm.wasm`);
  const library = { target: LIBRARY, host: `${assets}/python`, readOnly: true };
  const none = new Quota(new SharedArrayBuffer(8), 0);
  const folders = [new FolderFiles(library, new PlatformFiles(changeFile), none), ...world.folders];
  const pyodide = await startPyodide({ create, module: await WebAssembly.compile(wasm), folders, archives: {} });
  pyodide.runPython("import errno, json, mmap, os, shutil, stat, sys\nsys.dont_write_bytecode = True");
  return pyodide;
}

/** A test in an empty working directory below /workspace; it gets its path on the host. */
function test(name: string, act: (host: string) => void | Promise<void>): void {
  Deno.test(name, async () => {
    const folder = `test${++tests}`;
    Deno.mkdirSync(`${world.path}/workspace/${folder}`);
    python.runPython(`os.chdir("/workspace/${folder}")`);
    await act(`${world.path}/workspace/${folder}`);
  });
}

/** The value of the last line, through JSON. */
function py<T>(code: string): T {
  const lines = code.trim().split("\n");
  const last = lines.pop();
  return JSON.parse(python.runPython(`${lines.join("\n")}\njson.dumps(${last})`) as string);
}

/** The name of the errno that the code fails with. */
function fault(code: string): string {
  const body = code.trim().split("\n").map((line) => `    ${line}`).join("\n");
  return py(`
try:
${body}
    fault = "none"
except OSError as error:
    fault = errno.errorcode[error.errno]
fault`);
}

test("what the host makes is seen at once", (host) => {
  deepStrictEqual(py("os.listdir()"), []);
  strictEqual(py("os.path.exists('a')"), false);
  Deno.writeTextFileSync(`${host}/a`, "one");
  strictEqual(py("open('a').read()"), "one");
  Deno.writeTextFileSync(`${host}/a`, "longer than before");
  strictEqual(py("open('a').read()"), "longer than before");
  strictEqual(py("os.path.getsize('a')"), 18);
  deepStrictEqual(py("os.listdir()"), ["a"]);
});

test("what the host removes is gone at once", (host) => {
  Deno.writeTextFileSync(`${host}/a`, "one");
  strictEqual(py("os.path.exists('a')"), true);
  Deno.removeSync(`${host}/a`);
  strictEqual(py("os.path.exists('a')"), false);
  strictEqual(fault("open('a')"), "ENOENT");
  deepStrictEqual(py("os.listdir()"), []);
});

test("a file may become a directory and the other way round", (host) => {
  Deno.writeTextFileSync(`${host}/a`, "file");
  deepStrictEqual(py("[os.path.isfile('a'), os.path.isdir('a')]"), [true, false]);
  Deno.removeSync(`${host}/a`);
  Deno.mkdirSync(`${host}/a`);
  Deno.writeTextFileSync(`${host}/a/inside`, "x");
  deepStrictEqual(py("[os.path.isfile('a'), os.path.isdir('a')]"), [false, true]);
  strictEqual(py("open('a/inside').read()"), "x");
  Deno.removeSync(`${host}/a`, { recursive: true });
  Deno.writeTextFileSync(`${host}/a`, "file again");
  strictEqual(py("open('a').read()"), "file again");
});

test("what Python writes is on the host", (host) => {
  py(`
with open("a", "wb") as f: count = f.write(bytes(range(256)))
count`);
  deepStrictEqual(Deno.readFileSync(`${host}/a`), Uint8Array.from({ length: 256 }, (_, i) => i));
});

test("unflushed writes reach the host when the file is closed", (host) => {
  python.runPython("f = open('a', 'w'); _ = f.write('text')");
  strictEqual(Deno.readTextFileSync(`${host}/a`), "");
  python.runPython("f.flush(); os.fsync(f.fileno())");
  strictEqual(Deno.readTextFileSync(`${host}/a`), "text");
  python.runPython("f.close()");
});

test("appending goes to the end, also when the host has moved it", (host) => {
  python.runPython("f = open('a', 'a'); _ = f.write('one'); f.flush()");
  Deno.writeTextFileSync(`${host}/a`, "HOST", { append: true });
  python.runPython("_ = f.write('two'); f.close()");
  strictEqual(Deno.readTextFileSync(`${host}/a`), "oneHOSTtwo");
  strictEqual(py("open('a', 'a').tell()"), 10);
});

test("seeking works from start, here and end, and not before the start", () => {
  deepStrictEqual(
    py(`
with open("a", "w+b") as f:
    f.write(b"0123456789")
    seen = [f.seek(2), f.read(2).decode(), f.seek(3, 1), f.read(1).decode(), f.seek(-2, 2), f.read().decode()]
    seen += [f.seek(20), f.write(b"!"), f.seek(0, 2)]
seen + [os.path.getsize("a")]`),
    [2, "23", 7, "7", 8, "89", 20, 1, 21, 21],
  );
  strictEqual(fault("with open('a', 'rb', buffering=0) as f: f.seek(-1)"), "EINVAL");
});

test("holes read as zeros", (host) => {
  python.runPython("with open('a', 'wb') as f: _ = f.seek(1000), f.write(b'x')");
  const data = Deno.readFileSync(`${host}/a`);
  deepStrictEqual([data.length, data[0], data[999], data[1000]], [1001, 0, 0, 120]);
});

test("files are truncated by path, by descriptor and by opening", (host) => {
  Deno.writeTextFileSync(`${host}/a`, "0123456789");
  python.runPython("os.truncate('a', 5)");
  strictEqual(Deno.readTextFileSync(`${host}/a`), "01234");
  python.runPython("with open('a', 'r+') as f: _ = f.truncate(2)");
  strictEqual(Deno.readTextFileSync(`${host}/a`), "01");
  python.runPython("os.truncate('a', 4)");
  strictEqual(Deno.readTextFileSync(`${host}/a`), "01\0\0");
  python.runPython("open('a', 'w').close()");
  strictEqual(Deno.readTextFileSync(`${host}/a`), "");
});

test("opening obeys exclusive creation and the file's absence", () => {
  strictEqual(fault("open('a', 'r+')"), "ENOENT");
  strictEqual(fault("open('a', 'x').close()"), "none");
  strictEqual(fault("open('a', 'x')"), "EEXIST");
  strictEqual(fault("open('.', 'w')"), "EISDIR");
  strictEqual(fault("open('a/b', 'w')"), "ENOTDIR");
  strictEqual(fault("os.read(os.open('a', os.O_WRONLY), 1)"), "EBADF");
});

test("new files and directories get their modes", (host) => {
  const mode = (name: string) => (Deno.statSync(`${host}/${name}`).mode ?? 0) & 0o777;
  python.runPython(
    "os.close(os.open('a', os.O_CREAT | os.O_WRONLY, 0o600)); os.mkdir('d', 0o700); open('b', 'w').close()",
  );
  deepStrictEqual([mode("a"), mode("d"), mode("b") & 0o600], [0o600, 0o700, 0o600]);
});

test("duplicated descriptors share position and file until the last is closed", () => {
  deepStrictEqual(
    py(`
fd = os.open("a", os.O_CREAT | os.O_RDWR)
other = os.dup(fd)
os.write(fd, b"one")
os.write(other, b"two")
os.close(fd)
os.lseek(other, 0, 0)
text = os.read(other, 100).decode()
os.close(other)
text`),
    "onetwo",
  );
  strictEqual(fault("os.read(other, 1)"), "EBADF");
});

test("an open file survives removal and renaming", (host) => {
  python.runPython("f = open('a', 'w+'); _ = f.write('text'); f.flush(); os.remove('a')");
  strictEqual(pathExists(`${host}/a`), false);
  deepStrictEqual(py("[f.seek(0), f.read()]"), [0, "text"]);
  python.runPython("f.close(); g = open('b', 'w'); os.rename('b', 'c'); _ = g.write('moved'); g.close()");
  strictEqual(Deno.readTextFileSync(`${host}/c`), "moved");
});

test("a file is mapped into memory for reading", (host) => {
  const data = Uint8Array.from({ length: 200_000 }, (_, i) => i * 31);
  Deno.writeFileSync(`${host}/a`, data);
  deepStrictEqual(
    py(`
with open("a", "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as m:
    seen = [len(m), m[0], m[199_999], m.find(bytes([31 * 5 % 256, 31 * 6 % 256]))]
seen`),
    [200_000, 0, data[199_999], 5],
  );
});

test("changes of mapped memory reach the file, those of a private copy do not", (host) => {
  Deno.writeTextFileSync(`${host}/a`, "0123456789");
  python.runPython(`
with open("a", "r+b") as f:
    m = mmap.mmap(f.fileno(), 0)
    m[2:4] = b"AB"
    m.flush()
    m[0:1] = b"X"
    m.close()
    private = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_COPY)
    private[0:3] = b"zzz"
    private.close()
`);
  strictEqual(Deno.readTextFileSync(`${host}/a`), "X1AB456789");
});

test("mapping works beyond the first page", (host) => {
  const page = py<number>("mmap.ALLOCATIONGRANULARITY");
  const data = new Uint8Array(2 * page).fill(1);
  data.fill(2, page);
  Deno.writeFileSync(`${host}/a`, data);
  python.runPython(`
with open("a", "r+b") as f, mmap.mmap(f.fileno(), 10, offset=${page}) as m:
    first = m[0]
    m[9] = 7
`);
  strictEqual(py("first"), 2);
  deepStrictEqual([Deno.readFileSync(`${host}/a`)[page + 9], Deno.statSync(`${host}/a`).size], [7, 2 * page]);
});

test("a mapped file that was opened for appending keeps its length", (host) => {
  Deno.writeTextFileSync(`${host}/a`, "0123456789");
  python.runPython(`
with open("a", "a+b") as f, mmap.mmap(f.fileno(), 0) as m:
    m[0:1] = b"X"
    m.flush()
`);
  strictEqual(Deno.readTextFileSync(`${host}/a`), "X123456789");
});

test("renaming replaces, moves directories and keeps what it cannot move", (host) => {
  python.runPython(`
open("a", "w").write("a"); open("b", "w").write("b")
os.rename("a", "b")
os.makedirs("d/e"); open("d/e/f", "w").write("deep")
os.rename("d", "moved")
os.rename("moved/e/f", "up")
`);
  strictEqual(Deno.readTextFileSync(`${host}/b`), "a");
  strictEqual(Deno.readTextFileSync(`${host}/up`), "deep");
  deepStrictEqual(py("[os.path.exists('d'), os.listdir('moved')]"), [false, ["e"]]);
  strictEqual(fault("os.rename('b', 'moved')"), "EISDIR");
  strictEqual(fault("os.rename('none', 'x')"), "ENOENT");
  strictEqual(fault("os.rename('moved', 'moved/e/x')"), "EINVAL");
});

test("renaming across folders is refused as between devices, and shutil.move copies", () => {
  python.runPython("open('a', 'w').write('across')");
  strictEqual(fault("os.rename('a', '/mnt/data/a')"), "EXDEV");
  python.runPython("shutil.move('a', '/mnt/data/a')");
  strictEqual(world.read("data/a"), "across");
  strictEqual(py("os.path.exists('a')"), false);
});

test("whole directories are removed, and moved across folders", (host) => {
  python.runPython("os.makedirs('d/e'); open('d/e/f', 'w').write('x'); shutil.move('d', '/tmp/d')");
  strictEqual(world.read("tmp/d/e/f"), "x");
  strictEqual(pathExists(`${host}/d`), false);
  python.runPython("os.symlink('/workspace', '/tmp/d/link'); shutil.rmtree('/tmp/d')");
  strictEqual(pathExists(`${world.path}/tmp/d`), false);
  strictEqual(pathExists(host), true);
});

test("renaming a file to its own name gives nothing back to the quota", () => {
  python.runPython("open('a', 'w').write('0123456789')");
  const before = world.counted;
  python.runPython("os.rename('a', 'a')");
  deepStrictEqual([py("os.path.getsize('a')"), world.counted], [10, before]);
});

test("os.walk finds five hundred files", (host) => {
  for (let d = 0; d < 10; d++) {
    Deno.mkdirSync(`${host}/d${d}/deep`, { recursive: true });
    for (let f = 0; f < 50; f++) Deno.writeTextFileSync(`${host}/d${d}/${f < 25 ? "" : "deep/"}f${f}`, `${d}`);
  }
  deepStrictEqual(
    py(`
found = [os.path.join(where, name) for where, _, names in os.walk(".") for name in names]
[len(found), len(set(found)), sum(os.path.getsize(path) for path in found)]`),
    [500, 500, 500],
  );
});

test("stat tells what the host knows", (host) => {
  Deno.writeTextFileSync(`${host}/a`, "x".repeat(1000));
  Deno.chmodSync(`${host}/a`, 0o640);
  Deno.utimeSync(`${host}/a`, 1_000_000_000, 1_100_000_000.25);
  Deno.linkSync(`${host}/a`, `${host}/b`);
  const seen = py<number[]>(
    "(lambda s: [s.st_size, s.st_mode, s.st_nlink, s.st_atime, s.st_mtime, s.st_ino])(os.stat('a'))",
  );
  deepStrictEqual(seen, [1000, 0o100640, 2, 1_000_000_000, 1_100_000_000.25, Deno.statSync(`${host}/a`).ino]);
  deepStrictEqual(py("[os.path.samefile('a', 'b'), stat.S_ISDIR(os.stat('.').st_mode)]"), [true, true]);
  deepStrictEqual(py("[os.fstat(f.fileno()).st_size for f in [open('a')]]"), [1000]);
});

test("an open directory can be asked for its state and synchronised", () => {
  strictEqual(
    py("(fd := os.open('.', os.O_RDONLY), stat.S_ISDIR(os.fstat(fd).st_mode), os.fsync(fd), os.close(fd))[1]"),
    true,
  );
});

test("links are made, read and followed in Python's namespace", (host) => {
  python.runPython(`
open("/mnt/data/target", "w").write("there")
os.symlink("/mnt/data/target", "link")
os.symlink("nowhere", "dangling")
os.symlink("loop", "loop")
`);
  strictEqual(Deno.readLinkSync(`${host}/link`), "/mnt/data/target");
  deepStrictEqual(py("[os.readlink('link'), open('link').read(), os.path.islink('link'), os.path.realpath('link')]"), [
    "/mnt/data/target",
    "there",
    true,
    "/mnt/data/target",
  ]);
  deepStrictEqual(py("[os.readlink('dangling'), os.path.exists('dangling'), os.path.lexists('dangling')]"), [
    "nowhere",
    false,
    true,
  ]);
  strictEqual(fault("open('loop')"), "ELOOP");
  strictEqual(fault("os.symlink('x', 'link')"), "EEXIST");
  strictEqual(fault("os.readlink('/mnt/data/target')"), "EINVAL");
  python.runPython("os.remove('link')");
  strictEqual(world.read("data/target"), "there");
});

test("links that the host planted do not lead out", (host) => {
  Deno.symlinkSync(`${world.path}/outside/secret`, `${host}/escape`);
  Deno.symlinkSync("../../outside", `${host}/up`);
  strictEqual(fault("open('escape')"), "ENOENT");
  strictEqual(fault("open('up/secret')"), "ENOENT");
  strictEqual(fault("os.listdir('up')"), "ENOENT");
  strictEqual(fault("open('escape', 'w')"), "ENOENT");
  strictEqual(world.read("outside/secret"), "secret");
});

test("a mode is never set on what a link leads to outside", (host) => {
  const secret = `${world.path}/outside/secret`;
  Deno.chmodSync(secret, 0o600);
  Deno.symlinkSync(secret, `${host}/escape`);
  python.runPython(`
for act in (lambda: os.chmod("escape", 0o666, follow_symlinks=False), lambda: os.chmod("escape", 0o666),
            lambda: os.lchmod("escape", 0o666), lambda: os.utime("escape", (1, 1), follow_symlinks=False)):
    try:
        act()
    except (OSError, NotImplementedError, AttributeError):
        pass
`);
  const { mode, mtime } = Deno.statSync(secret);
  strictEqual((mode ?? 0) & 0o777, 0o600);
  ok((mtime?.getTime() ?? 0) > 10_000);
});

test("chmod and utime reach the host", (host) => {
  python.runPython(
    "open('a', 'w').close(); os.chmod('a', 0o751); os.utime('a', (1000.5, 2000.25)); os.mkdir('d'); os.chmod('d', 0o711)",
  );
  const info = Deno.statSync(`${host}/a`);
  deepStrictEqual([(info.mode ?? 0) & 0o7777, info.atime?.getTime(), info.mtime?.getTime()], [
    0o751,
    1_000_500,
    2_000_250,
  ]);
  strictEqual((Deno.statSync(`${host}/d`).mode ?? 0) & 0o777, 0o711);
  python.runPython("with open('a') as f: os.fchmod(f.fileno(), 0o600)");
  strictEqual((Deno.statSync(`${host}/a`).mode ?? 0) & 0o777, 0o600);
});

test("a pipe that the host has put there is listed, but not opened", async (host) => {
  await new Deno.Command("mkfifo", { args: [`${host}/pipe`] }).output();
  deepStrictEqual(py("os.listdir()"), ["pipe"]);
  strictEqual(fault("open('pipe')"), "EACCES");
  strictEqual(fault("open('pipe', 'r+')"), "EACCES");
  ok(fault("open('pipe', 'w')") !== "none");
  strictEqual(py("stat.S_ISREG(os.stat('pipe').st_mode)"), false);
});

test("every change in a read-only folder is refused", () => {
  world.write("fixed/a", "kept");
  Deno.mkdirSync(`${world.path}/fixed/d`);
  strictEqual(py("open('/mnt/fixed/a').read()"), "kept");
  const changes = [
    "open('/mnt/fixed/a', 'w')",
    "open('/mnt/fixed/a', 'a')",
    "open('/mnt/fixed/new', 'w')",
    "os.remove('/mnt/fixed/a')",
    "os.rmdir('/mnt/fixed/d')",
    "os.mkdir('/mnt/fixed/new')",
    "os.rename('/mnt/fixed/a', '/mnt/fixed/b')",
    "os.symlink('a', '/mnt/fixed/link')",
    "os.truncate('/mnt/fixed/a', 0)",
    "os.chmod('/mnt/fixed/a', 0o777)",
    "os.utime('/mnt/fixed/a')",
  ];
  for (const change of changes) strictEqual(fault(change), "EROFS", change);
  strictEqual(world.read("fixed/a"), "kept");
});

test("directories are made and removed", () => {
  strictEqual(fault("os.mkdir('d'); os.mkdir('d')"), "EEXIST");
  strictEqual(fault("os.mkdir('x/y')"), "ENOENT");
  python.runPython("open('d/f', 'w').close()");
  strictEqual(fault("os.rmdir('d')"), "ENOTEMPTY");
  strictEqual(fault("os.remove('d')"), "EISDIR");
  strictEqual(fault("os.rmdir('d/f')"), "ENOTDIR");
  strictEqual(fault("os.remove('d/f'); os.rmdir('d')"), "none");
  strictEqual(fault("os.rmdir('/workspace')"), "EBUSY");
  deepStrictEqual(py("os.listdir()"), []);
});

test("odd names are ordinary names, impossible ones an error", (host) => {
  for (const name of ["ä ö", "日本", "a\nb", "-rf", "...", "\\"]) {
    python.runPython(`open(${JSON.stringify(name)}, "w").write("x")`);
    strictEqual(Deno.readTextFileSync(`${host}/${name}`), "x");
  }
  strictEqual(fault("open('x' * 300, 'w')"), "ENAMETOOLONG");
});

test("a full quota is an error that Python understands, and room comes back", () => {
  const room = LIMIT - world.counted;
  strictEqual(fault(`open("a", "wb").write(b"x" * ${room + 1})`), "ENOSPC");
  python.runPython("os.remove('a')");
  strictEqual(world.counted, LIMIT - room);
  strictEqual(fault(`f = open("a", "wb", buffering=0); f.write(b"x" * ${room}); f.close()`), "none");
  strictEqual(
    fault("os.truncate('b', 1) if os.path.exists('b') else open('b', 'wb', buffering=0).write(b'x')"),
    "ENOSPC",
  );
  python.runPython("os.remove('a')");
  strictEqual(world.counted, LIMIT - room);
});

test("modules are imported from a folder", (host) => {
  Deno.writeTextFileSync(`${host}/cloche_probe.py`, "value = 41 + 1\n");
  strictEqual(
    py(`
sys.path.insert(0, os.getcwd())
import cloche_probe
sys.path.pop(0)
cloche_probe.value`),
    42,
  );
});

test("sqlite-like use works: many small writes and reads at positions", (host) => {
  python.runPython(`
with open("a", "w+b", buffering=0) as f:
    for i in range(500):
        f.seek((i * 7919) % 500 * 16)
        f.write(b"%016d" % ((i * 7919) % 500))
`);
  const text = Deno.readTextFileSync(`${host}/a`);
  strictEqual(text.length, 8000);
  for (let i = 0; i < 500; i++) strictEqual(Number(text.slice(i * 16, i * 16 + 16)), i);
});

Deno.test("errors that are not of the file system are not hidden", () => {
  throws(() => python.runPython("raise ValueError('mine')"), /mine/);
});
