// Streams: Readable, Writable, Duplex, Transform, pipeline, finished.
const { callable } = require("internal/callable");
const readable = require("internal/readable");
const writable = require("internal/writable");
const EventEmitter = require("events");

const { Readable } = readable;
const { Writable } = writable;

const Stream = callable(
  "Stream",
  class {
    pipe(target) {
      return Readable.prototype.pipe.call(this, target);
    }
  },
  EventEmitter,
  (stream) => EventEmitter.call(stream),
);

function begin(stream, options = {}) {
  readable.init(stream, options);
  writable.init(stream, options);
  stream.allowHalfOpen = options.allowHalfOpen !== false;
  stream.once("end", () => {
    if (!stream.allowHalfOpen && !stream.writableEnded) stream.end();
  });
}

const Duplex = callable("Duplex", class {}, Readable, begin);
for (const [name, found] of Object.entries(Object.getOwnPropertyDescriptors(Writable.prototype))) {
  if (name !== "constructor" && !(name in Readable.prototype)) Object.defineProperty(Duplex.prototype, name, found);
}

class Transforming {
  _transform(_chunk, _encoding, callback) {
    callback(new Error("The _transform() method is not implemented"));
  }
  _write(chunk, encoding, callback) {
    this._transform(chunk, encoding, (error, data) => {
      if (error) return callback(error);
      if (data !== undefined && data !== null) this.push(data);
      callback();
    });
  }
  _final(callback) {
    const done = (error, data) => {
      if (error) return callback(error);
      if (data !== undefined && data !== null) this.push(data);
      this.push(null);
      callback();
    };
    if (this._flush) this._flush(done);
    else done();
  }
  _read() {}
}

function beginTransform(stream, options = {}) {
  begin(stream, options);
  if (options.transform) stream._transform = options.transform;
  if (options.flush) stream._flush = options.flush;
}

const Transform = callable("Transform", Transforming, Duplex, beginTransform);
const PassThrough = callable(
  "PassThrough",
  class {
    _transform(chunk, _encoding, callback) {
      callback(null, chunk);
    }
  },
  Transform,
  beginTransform,
);

/** Calls back when a stream has finished or failed. */
function finished(stream, options, callback) {
  const act = typeof options === "function" ? options : callback;
  let over = false;
  const report = (error) => {
    if (over) return;
    over = true;
    act(error ?? null);
  };
  const waits = new Set();
  if (stream.readable !== undefined && options?.readable !== false && stream._readable) waits.add("end");
  if (stream._writable && options?.writable !== false) waits.add("finish");
  const reached = (name) => () => {
    waits.delete(name);
    if (waits.size === 0) report();
  };
  stream.on("end", reached("end"));
  stream.on("finish", reached("finish"));
  stream.on("error", report);
  stream.on(
    "close",
    () =>
      report(
        waits.size > 0 ? Object.assign(new Error("Premature close"), { code: "ERR_STREAM_PREMATURE_CLOSE" }) : null,
      ),
  );
  if (stream.readableEnded) reached("end")();
  if (stream.writableFinished) reached("finish")();
  return () => {
    over = true;
  };
}

function asStream(part, before) {
  if (typeof part === "function") return Readable.from(part(before));
  if (typeof part?.pipe === "function" || typeof part?.write === "function") return part;
  return Readable.from(part);
}

function pipeline(...parts) {
  const callback = typeof parts.at(-1) === "function" ? parts.pop() : undefined;
  return join(parts.length === 1 && Array.isArray(parts[0]) ? parts[0] : parts, callback);
}

function join(parts, callback) {
  const streams = [];
  for (const part of parts) streams.push(asStream(part, streams.at(-1)));
  let over = false;
  const end = (error) => {
    if (over) return;
    over = true;
    if (error) { for (const stream of streams) stream.destroy?.(); }
    callback?.(error ?? undefined);
  };
  streams.forEach((stream, index) => {
    stream.on("error", end);
    const next = streams[index + 1];
    if (next && typeof parts[index + 1] !== "function") stream.pipe(next);
  });
  const last = streams.at(-1);
  if (typeof parts.at(-1) === "function") last.resume();
  finished(last, end);
  return last;
}

module.exports = Object.assign(Stream, {
  Stream,
  Readable,
  Writable,
  Duplex,
  Transform,
  PassThrough,
  pipeline,
  join,
  finished,
  isReadable: (stream) => Boolean(stream?.readable),
  addAbortSignal: (signal, stream) => {
    signal.addEventListener("abort", () => stream.destroy(signal.reason));
    return stream;
  },
});
core.lazy(module.exports, "promises", () => require("stream/promises"), true);
