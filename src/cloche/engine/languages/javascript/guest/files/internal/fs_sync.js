// The synchronous operations on files.
const { Buffer } = require("buffer");
const path = require("path");
const { coded, system, wrongType } = require("internal/errors");
const { constants, Dirent, FOLDER, Stats } = require("internal/fs_stat");

const STDIN = 0;

/** Calls the host; the error of a failure says what was tried. */
function act(syscall, name, args, shown = args[0], target = undefined) {
  try {
    return host(name, ...args);
  } catch (error) {
    throw system(error, syscall, shown, target);
  }
}

function toPath(value, name = "path") {
  let text = value;
  if (value?.href !== undefined && value?.protocol === "file:") {
    text = require("url").fileURLToPath(value);
  } else if (value instanceof Uint8Array) text = Buffer.from(value).toString();
  if (typeof text !== "string") throw wrongType(name, "of type string or an instance of Buffer or URL", value);
  if (text.includes("\0")) {
    throw coded(TypeError, "ERR_INVALID_ARG_VALUE", `The argument '${name}' must be a string without null bytes`);
  }
  return path.resolve(text);
}

const optionsOf = (options, fallback) =>
  typeof options === "string" ? { ...fallback, encoding: options } : { ...fallback, ...options };
const encoded = (data, encoding) => {
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return encoding && encoding !== "buffer" ? buffer.toString(encoding) : buffer;
};
const bytesOf = (data, encoding) => {
  if (typeof data === "string") return Buffer.from(data, encoding ?? "utf8");
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw wrongType("data", "of type string or an instance of Buffer, TypedArray, or DataView", data);
};
const modeOf = (mode, fallback) => typeof mode === "string" ? parseInt(mode, 8) : mode ?? fallback;
const seconds = (time) => time instanceof Date ? time.getTime() : Number(time) * 1000;

const FLAGS = { rs: "r", "rs+": "r+", xw: "wx", xa: "ax", as: "a", sr: "r" };
function flagOf(flag) {
  if (typeof flag !== "number") return FLAGS[flag] ?? flag;
  const { O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = constants;
  const x = flag & O_EXCL ? "x" : "";
  const plus = flag & O_RDWR ? "+" : "";
  if (flag & O_APPEND) return `a${x}${plus}`;
  if (flag & O_CREAT || flag & O_TRUNC) return `w${x}${plus}`;
  return flag & (O_RDWR | O_WRONLY) ? "r+" : "r";
}

function readFile(file, options) {
  const { encoding, flag = "r" } = optionsOf(options);
  if (file === STDIN || file === "/dev/stdin") return encoded(require("internal/input").readAll(), encoding);
  if (file === "/dev/null") return encoded(new Uint8Array(0), encoding);
  if (typeof file === "number") return encoded(readRest(file), encoding);
  const name = toPath(file);
  if (flag !== "r") closing(open(name, flag), () => undefined);
  try {
    return encoded(host("readFile", name), encoding);
  } catch (error) {
    throw system(error, error.code === "EISDIR" ? "read" : "open", error.code === "EISDIR" ? undefined : given(file));
  }
}

const given = (file) => typeof file === "string" ? file : toPath(file);

function readRest(fd) {
  const parts = [];
  for (let part; (part = act("read", "read", [fd, 65536, null], undefined)).length > 0;) parts.push(part);
  return Buffer.concat(parts);
}

function closing(fd, work) {
  try {
    return work(fd);
  } finally {
    close(fd);
  }
}

function writeFile(file, data, options) {
  const { encoding, flag = "w", mode } = optionsOf(options);
  const bytes = bytesOf(data, encoding);
  if (file === 1 || file === 2 || file === "/dev/stdout" || file === "/dev/stderr") {
    return void host("print", file === 2 || file === "/dev/stderr" ? 2 : 1, bytes);
  }
  if (file === "/dev/null") return;
  if (typeof file === "number") return void act("write", "write", [file, bytes, null], undefined);
  act("open", "writeFile", [toPath(file), bytes, flagOf(flag), modeOf(mode, 0o666)], given(file));
}

function open(file, flag = "r", mode = undefined) {
  return act("open", "open", [toPath(file), flagOf(flag), modeOf(mode, 0o666)], given(file));
}

function close(fd) {
  if (fd > 2) act("close", "close", [fd], undefined);
}

function read(fd, buffer, offset, length, position) {
  const options = typeof offset === "object" && offset !== null ? offset : { offset, length, position };
  const start = options.offset ?? 0;
  const count = options.length ?? buffer.byteLength - start;
  const data = fd === STDIN
    ? require("internal/input").take(count)
    : act("read", "read", [fd, count, options.position ?? null], undefined);
  new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).set(data, start);
  return data.length;
}

function write(fd, data, offset, length, position) {
  if (typeof data === "string") {
    const bytes = Buffer.from(data, typeof length === "string" ? length : "utf8");
    return put(fd, bytes, typeof offset === "number" ? offset : null);
  }
  const options = typeof offset === "object" && offset !== null ? offset : { offset, length, position };
  const bytes = bytesOf(data);
  const start = options.offset ?? 0;
  return put(fd, bytes.subarray(start, start + (options.length ?? bytes.length - start)), options.position ?? null);
}

function put(fd, bytes, position) {
  if (fd === 1 || fd === 2) return host("print", fd, bytes), bytes.length;
  return act("write", "write", [fd, bytes, position], undefined);
}

function stat(file, options) {
  return look("stat", file, options, true);
}

function lstat(file, options) {
  return look("lstat", file, options, false);
}

function look(syscall, file, options, follow) {
  try {
    return new Stats(host("stat", toPath(file), follow), options?.bigint);
  } catch (error) {
    if (error.code === "ENOENT" && options?.throwIfNoEntry === false) return undefined;
    throw system(error, syscall, given(file));
  }
}

function exists(file) {
  try {
    host("stat", toPath(file), true);
    return true;
  } catch {
    return false;
  }
}

function access(file, mode = 0) {
  const [, bits] = act("access", "stat", [toPath(file), true], given(file));
  if (mode & 1 && !(bits & 0o111)) {
    throw system({ code: "EACCES", message: "EACCES: permission denied" }, "access", given(file));
  }
}

function readdir(folder, options) {
  const { withFileTypes, recursive, encoding } = optionsOf(options);
  const root = toPath(folder);
  const found = [];
  const walk = (here, prefix) => {
    const entries = act("scandir", "list", [here], prefix === "" ? given(folder) : here);
    const pairs = Array.from({ length: entries.length / 2 }, (_, at) => [entries[2 * at], entries[2 * at + 1]]);
    for (const [name, kind] of pairs.sort(([a], [b]) => a < b ? -1 : 1)) {
      const text = prefix + name;
      found.push(withFileTypes ? new Dirent(name, here, kind) : encoding === "buffer" ? Buffer.from(text) : text);
      if (recursive && kind === FOLDER) walk(path.join(here, name), `${text}/`);
    }
  };
  walk(root, "");
  return found;
}

function mkdir(folder, options) {
  const { recursive, mode } = typeof options === "object" && options !== null ? options : { mode: options };
  const name = toPath(folder);
  if (!recursive) return act("mkdir", "mkdir", [name, modeOf(mode, 0o777)], given(folder));
  const missing = [];
  for (let at = name; !exists(at); at = path.dirname(at)) missing.unshift(at);
  if (missing.length === 0 && !stat(name).isDirectory()) {
    throw system({ code: "EEXIST", message: "EEXIST: file already exists" }, "mkdir", given(folder));
  }
  for (const each of missing) act("mkdir", "mkdir", [each, modeOf(mode, 0o777)], each);
  return missing[0];
}

function rmdir(folder, options) {
  if (options?.recursive) return rm(folder, { recursive: true, force: true });
  act("rmdir", "rmdir", [toPath(folder)], given(folder));
}

function unlink(file) {
  act("unlink", "unlink", [toPath(file)], given(file));
}

function rm(file, { recursive = false, force = false } = {}) {
  const found = look("rm", file, { throwIfNoEntry: !force }, false);
  if (!found) return;
  if (!found.isDirectory()) return unlink(file);
  if (!recursive) {
    throw coded(Error, "ERR_FS_EISDIR", `Path is a directory: rm returned EISDIR (is a directory) ${given(file)}`);
  }
  for (const name of readdir(file)) rm(path.join(toPath(file), name), { recursive, force });
  rmdir(file);
}

function rename(from, to) {
  const [source, target] = [toPath(from, "oldPath"), toPath(to, "newPath")];
  try {
    host("rename", source, target);
  } catch (error) {
    throw system(error, "rename", given(from), given(to));
  }
}

function copyFile(from, to, mode = 0) {
  if (mode & constants.COPYFILE_EXCL && exists(to)) {
    throw system({ code: "EEXIST", message: "EEXIST: file already exists" }, "copyfile", given(from), given(to));
  }
  const [, bits] = act("copyfile", "stat", [toPath(from), true], given(from), given(to));
  act("copyfile", "writeFile", [toPath(to), host("readFile", toPath(from)), "w", bits & 0o777], given(from), given(to));
}

function cp(from, to, options = {}) {
  const found = stat(from);
  if (options.filter && !options.filter(given(from), given(to))) return;
  if (!found.isDirectory()) {
    mkdir(path.dirname(toPath(to)), { recursive: true });
    if (options.force === false && exists(to)) return;
    return copyFile(from, to);
  }
  if (!options.recursive) {
    throw coded(Error, "ERR_FS_EISDIR", `Recursive option not enabled, cannot copy a directory: ${given(from)}`);
  }
  mkdir(to, { recursive: true });
  for (const name of readdir(from)) cp(path.join(toPath(from), name), path.join(toPath(to), name), options);
}

function mkdtemp(prefix) {
  for (;;) {
    const tail = Array.from(host("random", 6), (byte) => "abcdefghijklmnopqrstuvwxyz0123456789"[byte % 36]).join("");
    const name = `${prefix}${tail}`;
    if (!exists(name)) return mkdir(name), name;
  }
}

function truncate(file, size = 0) {
  closing(open(file, "r+"), (fd) => ftruncate(fd, size));
}

function ftruncate(fd, size = 0) {
  act("ftruncate", "ftruncate", [fd, size], undefined);
}

function utimes(file, atime, mtime) {
  act("utime", "utimes", [toPath(file), seconds(atime), seconds(mtime)], given(file));
}

const realpath = Object.assign((file) => act("realpath", "realpath", [toPath(file)], given(file)), {
  native: (file) => act("realpath", "realpath", [toPath(file)], given(file)),
});

Object.assign(exports, {
  readFile,
  writeFile,
  appendFile: (file, data, options) => writeFile(file, data, { flag: "a", ...optionsOf(options) }),
  open,
  close,
  read,
  write,
  stat,
  lstat,
  fstat: (fd, options) =>
    new Stats(fd < 3 ? [3, 0o600, 0, 0, 0, fd, 1] : act("fstat", "fstat", [fd], undefined), options?.bigint),
  exists,
  access,
  readdir,
  mkdir,
  rmdir,
  unlink,
  rm,
  rename,
  copyFile,
  cp,
  mkdtemp,
  truncate,
  ftruncate,
  utimes,
  futimes: () => {},
  fsync: (fd) => act("fsync", "fsync", [fd], undefined),
  fdatasync: (fd) => act("fdatasync", "fsync", [fd], undefined),
  chmod: (file, mode) => act("chmod", "chmod", [toPath(file), modeOf(mode, 0o666)], given(file)),
  chown: () => {},
  link: (from, to) => act("link", "link", [toPath(from), toPath(to)], given(from), given(to)),
  symlink: (target, file) => act("symlink", "symlink", [`${target}`, toPath(file)], `${target}`, given(file)),
  readlink: (file) => act("readlink", "readlink", [toPath(file)], given(file)),
  realpath,
});
