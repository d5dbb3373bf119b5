// Writable streams.
const EventEmitter = require("events");
const { Buffer } = require("buffer");
const { callable } = require("internal/callable");

const tick = (act) => globalThis.process.nextTick(act);

function init(stream, options) {
  core.hidden(stream, "_writable", {
    queue: [],
    size: 0,
    busy: false,
    corked: 0,
    objects: Boolean(options.objectMode ?? options.writableObjectMode),
    decode: options.decodeStrings !== false,
    high: options.highWaterMark ?? (options.objectMode ? 16 : 65536),
    drain: false,
    ending: false,
    finalized: false,
  });
  stream.writable = true;
  stream.writableEnded = false;
  stream.writableFinished = false;
  for (const name of ["write", "writev", "final"]) if (options[name]) stream[`_${name}`] = options[name];
  if (options.destroy) stream._destroy = options.destroy;
}

/** A stream that is only writable. */
function begin(stream, options = {}) {
  EventEmitter.call(stream);
  stream.destroyed = false;
  init(stream, options);
}

class Methods extends EventEmitter {
  get writableLength() {
    return this._writable.size;
  }

  get writableHighWaterMark() {
    return this._writable.high;
  }

  get writableNeedDrain() {
    return this._writable.drain;
  }

  get writableObjectMode() {
    return this._writable.objects;
  }

  _write(chunk, encoding, callback) {
    if (this._writev) return this._writev([{ chunk, encoding }], callback);
    callback(
      require("internal/errors").coded(Error, "ERR_METHOD_NOT_IMPLEMENTED", "The _write() method is not implemented"),
    );
  }

  write(chunk, encoding, callback) {
    if (chunk === null) {
      throw require("internal/errors").coded(
        TypeError,
        "ERR_STREAM_NULL_VALUES",
        "May not write null values to stream",
      );
    }
    const state = this._writable;
    const done = typeof encoding === "function" ? encoding : callback;
    if (state.ending || this.destroyed) {
      const error = Object.assign(new Error("write after end"), { code: "ERR_STREAM_WRITE_AFTER_END" });
      tick(() => {
        done?.(error);
        this.emit("error", error);
      });
      return false;
    }
    const plain = state.objects || typeof chunk !== "string" || !state.decode;
    const data = plain ? chunk : Buffer.from(chunk, typeof encoding === "string" ? encoding : "utf8");
    const size = state.objects ? 1 : data.length;
    state.queue.push({
      data,
      size,
      encoding: plain && typeof chunk === "string" ? encoding ?? "utf8" : "buffer",
      done,
    });
    state.size += size;
    this._pump();
    state.drain = state.size >= state.high;
    return !state.drain;
  }

  _pump() {
    const state = this._writable;
    if (state.busy || state.corked > 0 || this.destroyed) return;
    const all = state.queue.splice(0, this._writev ? Infinity : 1);
    if (all.length === 0) return this._rest();
    state.busy = true;
    let sync = true;
    const written = (error) => {
      state.busy = false;
      for (const { size, done } of all) {
        state.size -= size;
        done?.(error ?? null);
      }
      if (error) return this.destroy(error);
      if (sync) tick(() => this._pump());
      else this._pump();
    };
    if (all.length === 1) this._write(all[0].data, all[0].encoding, written);
    else this._writev(all.map(({ data, encoding }) => ({ chunk: data, encoding })), written);
    sync = false;
  }

  /** Everything has been written. */
  _rest() {
    const state = this._writable;
    if (state.drain) {
      state.drain = false;
      this.emit("drain");
    }
    if (!state.ending || state.finalized) return;
    state.finalized = true;
    const finish = (error) => {
      if (error) return this.destroy(error);
      this.writableFinished = true;
      this.writable = false;
      tick(() => {
        this.emit("finish");
        if (!this._readable || this.readableEnded) this.destroy();
      });
    };
    if (this._final) this._final(finish);
    else finish();
  }

  end(chunk, encoding, callback) {
    const done = [chunk, encoding, callback].find((each) => typeof each === "function");
    if (chunk !== undefined && chunk !== null && typeof chunk !== "function") {
      this.write(chunk, typeof encoding === "string" ? encoding : undefined);
    }
    if (done) this.once("finish", done);
    this._writable.ending = true;
    this._writable.corked = 0;
    this.writableEnded = true;
    tick(() => this._pump());
    return this;
  }

  cork() {
    this._writable.corked++;
  }

  uncork() {
    this._writable.corked = Math.max(0, this._writable.corked - 1);
    this._pump();
  }

  setDefaultEncoding() {
    return this;
  }

  pipe() {
    throw Object.assign(new Error("Cannot pipe, not readable"), { code: "ERR_STREAM_CANNOT_PIPE" });
  }

  destroy(error) {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.writable = false;
    const done = (failure) =>
      tick(() => {
        if (failure) this.emit("error", failure);
        this.emit("close");
      });
    if (this._destroy) this._destroy(error ?? null, (failure) => done(failure ?? error));
    else done(error);
    return this;
  }
}

Object.assign(exports, { Writable: callable("Writable", Methods, EventEmitter, begin), init });
