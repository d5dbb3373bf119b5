// Readable streams.
const EventEmitter = require("events");
const { Buffer } = require("buffer");
const { callable } = require("internal/callable");

const tick = (act) => globalThis.process.nextTick(act);

function init(stream, options = {}) {
  EventEmitter.call(stream);
  const hide = (name, value) => core.hidden(stream, name, value);
  hide("_readable", {
    buffer: [],
    size: 0,
    objects: Boolean(options.objectMode ?? options.readableObjectMode),
    high: options.highWaterMark ?? (options.objectMode ? 16 : 65536),
    ended: false,
    endEmitted: false,
    flowing: null,
    reading: false,
    decoder: null,
    scheduled: false,
  });
  stream.readable = true;
  stream.destroyed = false;
  stream.readableEnded = false;
  if (options.read) stream._read = options.read;
  if (options.destroy) stream._destroy = options.destroy;
  if (options.encoding) stream.setEncoding(options.encoding);
  hide("autoDestroy", options.autoDestroy !== false);
}

class Methods extends EventEmitter {
  static from(source, options) {
    const items = typeof source === "string" || source instanceof Uint8Array ? [source] : source;
    const iterator = items[Symbol.asyncIterator]?.() ?? items[Symbol.iterator]();
    return new Readable({
      objectMode: true,
      ...options,
      read() {
        Promise.resolve(iterator.next()).then(({ value, done }) => {
          if (done) return this.push(null);
          Promise.resolve(value).then((each) => this.push(each), (error) => this.destroy(error));
        }, (error) => this.destroy(error));
      },
    });
  }

  get readableFlowing() {
    return this._readable.flowing;
  }

  get readableLength() {
    return this._readable.size;
  }

  get readableObjectMode() {
    return this._readable.objects;
  }

  get readableHighWaterMark() {
    return this._readable.high;
  }

  _read() {}

  setEncoding(encoding) {
    const { StringDecoder } = require("string_decoder");
    this._readable.decoder = new StringDecoder(encoding);
    return this;
  }

  push(chunk, encoding) {
    const state = this._readable;
    state.reading = false;
    if (chunk === null) {
      const last = state.decoder?.end();
      if (last) this._add(last);
      state.ended = true;
    } else {
      const data = typeof chunk === "string" && !state.objects && !state.decoder ? Buffer.from(chunk, encoding) : chunk;
      const text = state.decoder && typeof data !== "string" ? state.decoder.write(data) : data;
      if (state.objects || text.length > 0) this._add(text);
    }
    this._schedule();
    return state.size < state.high;
  }

  unshift(chunk) {
    this._readable.buffer.unshift(chunk);
    this._readable.size += this._readable.objects ? 1 : chunk.length;
    this._schedule();
  }

  _add(data) {
    this._readable.buffer.push(data);
    this._readable.size += this._readable.objects ? 1 : data.length;
  }

  _schedule() {
    const state = this._readable;
    if (state.scheduled) return;
    state.scheduled = true;
    tick(() => {
      state.scheduled = false;
      this._flow();
    });
  }

  _flow() {
    const state = this._readable;
    while (state.flowing && state.buffer.length > 0 && !this.destroyed) {
      const data = state.buffer.shift();
      state.size -= state.objects ? 1 : data.length;
      this.emit("data", data);
    }
    if (this.destroyed) return;
    if (
      !state.flowing && this.listenerCount("readable") > 0 &&
      (state.buffer.length > 0 || state.ended && !state.endEmitted)
    ) {
      this.emit("readable");
    }
    if (state.ended && state.buffer.length === 0) return this._end();
    this._fill();
  }

  _fill() {
    const state = this._readable;
    const wanted = state.flowing || this.listenerCount("readable") > 0 || state.pulled;
    if (!wanted || state.reading || state.ended || this.destroyed || state.size >= state.high) return;
    state.reading = true;
    this._read(state.high);
  }

  _end() {
    const state = this._readable;
    if (state.endEmitted) return;
    // Without a listener the end has not been reported.
    if (!state.flowing && this.listenerCount("readable") === 0 && !state.pulled) return;
    state.endEmitted = true;
    this.readable = false;
    this.readableEnded = true;
    this.emit("end");
    if (this.autoDestroy && (!this._writable || this.writableFinished)) this.destroy();
  }

  on(name, listener) {
    super.on(name, listener);
    if (name === "data" && this._readable.flowing !== false) this.resume();
    if (name === "readable") this._schedule();
    return this;
  }

  read(count) {
    const state = this._readable;
    state.pulled = true;
    if (state.buffer.length === 0) {
      this._schedule();
      return null;
    }
    if (state.objects) {
      state.size--;
      this._schedule();
      return state.buffer.shift();
    }
    const text = typeof state.buffer[0] === "string";
    const all = text ? state.buffer.join("") : Buffer.concat(state.buffer);
    if (count !== undefined && count > all.length && !state.ended) return null;
    const part = count === undefined ? all : text ? all.slice(0, count) : all.subarray(0, count);
    const rest = text ? all.slice(part.length) : all.subarray(part.length);
    state.buffer = rest.length > 0 ? [rest] : [];
    state.size = rest.length;
    this._schedule();
    return part;
  }

  resume() {
    this._readable.flowing = true;
    this._schedule();
    return this;
  }

  pause() {
    this._readable.flowing = false;
    return this;
  }

  isPaused() {
    return this._readable.flowing === false;
  }

  pipe(target, { end = true } = {}) {
    this.on("data", (data) => {
      if (target.write(data) === false) {
        this.pause();
        target.once("drain", () => this.resume());
      }
    });
    if (end && target !== globalThis.process.stdout && target !== globalThis.process.stderr) {
      this.once("end", () => target.end());
    }
    target.emit?.("pipe", this);
    return target;
  }

  unpipe() {
    this.removeAllListeners("data");
    return this.pause();
  }

  destroy(error) {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.readable = false;
    const done = (failure) => {
      tick(() => {
        if (failure) this.emit("error", failure);
        this.emit("close");
      });
    };
    if (this._destroy) this._destroy(error ?? null, (failure) => done(failure ?? error));
    else done(error);
    return this;
  }

  async *[Symbol.asyncIterator]() {
    const state = this._readable;
    let failure = null;
    let wake = () => {};
    const stir = () => wake();
    this.on("readable", stir);
    this.once("end", stir);
    this.once("close", stir);
    this.once("error", (error) => {
      failure = error;
      stir();
    });
    try {
      for (;;) {
        const chunk = this.destroyed ? null : this.read();
        if (chunk !== null) {
          yield chunk;
          continue;
        }
        if (failure) throw failure;
        if (state.endEmitted || this.destroyed) return;
        await new Promise((resolve) => wake = resolve);
      }
    } finally {
      this.removeListener("readable", stir);
      if (!this.destroyed) this.destroy();
    }
  }

  async toArray() {
    const all = [];
    for await (const each of this) all.push(each);
    return all;
  }

  map(act) {
    return Readable.from(mapped(this, act));
  }

  filter(act) {
    return Readable.from(filtered(this, act));
  }

  async forEach(act) {
    for await (const each of this) await act(each);
  }
}

async function* mapped(stream, act) {
  for await (const each of stream) yield await act(each);
}

async function* filtered(stream, act) {
  for await (const each of stream) if (await act(each)) yield each;
}

const Readable = callable("Readable", Methods, EventEmitter, init);

Object.assign(exports, { Readable, init });
