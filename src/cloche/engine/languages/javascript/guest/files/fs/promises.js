// deno-lint-ignore-file require-await -- what fails at once is to be a rejection
// fs/promises.
const sync = require("internal/fs_sync");
const { constants } = require("internal/fs_stat");

const promised = (name) =>
  async function (...args) {
    return await sync[name](...args);
  };

for (const name of Object.keys(sync)) exports[name] = promised(name);
for (const name of ["exists", "close", "read", "write", "fstat", "fsync", "fdatasync", "ftruncate", "futimes"]) {
  delete exports[name];
}

/** An open file. */
class FileHandle extends require("events") {
  constructor(fd) {
    super();
    this.fd = fd;
  }
  async read(...args) {
    const given = ArrayBuffer.isView(args[0]) ? args : [args[0]?.buffer ?? Buffer.alloc(16384), args[0]];
    return { bytesRead: sync.read(this.fd, ...given), buffer: given[0] };
  }
  async write(data, ...args) {
    return { bytesWritten: sync.write(this.fd, data, ...args), buffer: data };
  }
  async readFile(options) {
    return sync.readFile(this.fd, options);
  }
  async writeFile(data, options) {
    return sync.writeFile(this.fd, data, options);
  }
  async appendFile(data, options) {
    return sync.writeFile(this.fd, data, options);
  }
  async stat(options) {
    return sync.fstat(this.fd, options);
  }
  async truncate(size) {
    return sync.ftruncate(this.fd, size);
  }
  async sync() {
    return sync.fsync(this.fd);
  }
  async datasync() {
    return sync.fsync(this.fd);
  }
  createReadStream(options) {
    return require("fs").createReadStream(null, { ...options, fd: this.fd });
  }
  createWriteStream(options) {
    return require("fs").createWriteStream(null, { ...options, fd: this.fd });
  }
  async *readLines(options) {
    yield* require("readline").createInterface({ input: this.createReadStream(options) });
  }
  async close() {
    if (this.fd >= 0) sync.close(this.fd);
    this.fd = -1;
    this.emit("close");
  }
  async [Symbol.asyncDispose]() {
    await this.close();
  }
}

exports.open = async (...args) => new FileHandle(sync.open(...args));
exports.constants = constants;
