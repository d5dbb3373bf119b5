// Files as streams.
const { Readable, Writable } = require("stream");
const sync = require("internal/fs_sync");

const optionsOf = (options) => typeof options === "string" ? { encoding: options } : options ?? {};

class ReadStream extends Readable {
  constructor(path, options) {
    const given = optionsOf(options);
    super({ highWaterMark: given.highWaterMark ?? 65536, encoding: given.encoding });
    this.path = path;
    this.bytesRead = 0;
    core.hidden(this, "at", given.start);
    core.hidden(this, "end", given.end ?? Infinity);
    this._open(path, given);
  }
  _open(path, { fd, flags = "r" }) {
    try {
      this.fd = typeof fd === "number" ? fd : fd?.fd ?? sync.open(path, flags);
      globalThis.process.nextTick(() => {
        this.emit("open", this.fd);
        this.emit("ready");
      });
    } catch (error) {
      globalThis.process.nextTick(() => this.destroy(error));
    }
  }
  _read(size) {
    if (this.fd === undefined) return;
    const left = this.end - (this.at ?? this.bytesRead) + 1;
    const buffer = Buffer.alloc(Math.max(0, Math.min(size, left)));
    try {
      const count = sync.read(this.fd, buffer, 0, buffer.length, this.at ?? null);
      if (this.at !== undefined) this.at += count;
      this.bytesRead += count;
      this.push(count === 0 ? null : buffer.subarray(0, count));
    } catch (error) {
      this.destroy(error);
    }
  }
  _destroy(error, callback) {
    if (this.fd > 2) sync.close(this.fd);
    this.fd = undefined;
    callback(error);
  }
  close(callback) {
    if (callback) this.once("close", callback);
    this.destroy();
  }
}

class WriteStream extends Writable {
  constructor(path, options) {
    const given = optionsOf(options);
    super({ highWaterMark: given.highWaterMark });
    this.path = path;
    this.bytesWritten = 0;
    ReadStream.prototype._open.call(this, path, { flags: "w", ...given });
  }
  _write(chunk, _encoding, callback) {
    try {
      this.bytesWritten += sync.write(this.fd, chunk);
      callback();
    } catch (error) {
      callback(error);
    }
  }
  _destroy(error, callback) {
    if (this.fd > 2) sync.close(this.fd);
    this.fd = undefined;
    callback(error);
  }
  close(callback) {
    if (callback) this.once("close", callback);
    this.end();
  }
}

Object.assign(exports, { ReadStream, WriteStream });
