// The three standard streams.
const { Readable, Writable } = require("stream");
const input = require("internal/input");

class Output extends Writable {
  constructor(fd) {
    super({ decodeStrings: false });
    this.fd = fd;
    this.isTTY = false;
    this.columns = 80;
    this.rows = 24;
  }
  write(data, encoding, callback) {
    const done = typeof encoding === "function" ? encoding : callback;
    const text = typeof data === "string" && typeof encoding === "string" && !/^utf-?8$/i.test(encoding)
      ? Buffer.from(data, encoding)
      : data;
    if (typeof text !== "string" && !(text instanceof Uint8Array)) {
      throw require("internal/errors").wrongType(
        "chunk",
        "of type string or an instance of Buffer or Uint8Array",
        data,
      );
    }
    host("print", this.fd, text);
    if (done) globalThis.process.nextTick(done);
    return true;
  }
  _write(chunk, encoding, callback) {
    this.write(chunk, encoding);
    callback();
  }
  end(data, ...rest) {
    if (data !== undefined && typeof data !== "function") this.write(data);
    const done = [data, ...rest].find((each) => typeof each === "function");
    if (done) globalThis.process.nextTick(done);
    return this;
  }
  _destroy() {}
  destroy() {
    return this;
  }
  getColorDepth() {
    return 1;
  }
  hasColors() {
    return false;
  }
  getWindowSize() {
    return [80, 24];
  }
  clearLine() {
    return true;
  }
  cursorTo() {
    return true;
  }
  moveCursor() {
    return true;
  }
}

/** Reads only when there is a listener. */
class Input extends Readable {
  constructor() {
    super({ highWaterMark: 65536 });
    this.fd = 0;
    this.isTTY = false;
  }
  _read() {
    input.next().then((data) => this.push(data), (error) => this.destroy(error));
  }
  setRawMode() {
    return this;
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
}

exports.openInput = () => {
  input.reset();
  return new Input();
};
core.lazy(exports, "stdout", () => new Output(1));
core.lazy(exports, "stderr", () => new Output(2));
