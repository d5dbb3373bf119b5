// The web's ReadableStream: pieces that are pulled from a source or pushed by it.
class Reader {
  #stream;
  constructor(stream) {
    this.#stream = stream;
    this.closed = stream.whenClosed;
  }
  read() {
    return this.#stream.take();
  }
  releaseLock() {
    this.#stream.locked = false;
  }
  cancel(reason) {
    return this.#stream.cancel(reason);
  }
}

class ReadableStream {
  #queue = [];
  #waiting = [];
  #closed = false;
  #failure;
  #source;
  #pulling = false;
  #settle;
  locked = false;

  constructor(source = {}) {
    this.#source = source;
    core.hidden(this, "whenClosed", new Promise((resolve) => this.#settle = resolve));
    const controller = {
      desiredSize: 1,
      enqueue: (piece) => this.#put(piece),
      close: () => this.#end(),
      error: (reason) => this.#fail(reason),
    };
    core.hidden(this, "controller", controller);
    source.start?.(controller);
  }

  static from(items) {
    const iterator = items[Symbol.asyncIterator]?.() ?? items[Symbol.iterator]();
    return new ReadableStream({
      async pull(controller) {
        const { value, done } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    });
  }

  #put(piece) {
    const next = this.#waiting.shift();
    if (next) next.resolve({ value: piece, done: false });
    else this.#queue.push(piece);
  }

  #end() {
    this.#closed = true;
    for (const { resolve } of this.#waiting.splice(0)) resolve({ value: undefined, done: true });
    this.#settle();
  }

  #fail(reason) {
    this.#failure = { reason };
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }

  take() {
    if (this.#queue.length > 0) return Promise.resolve({ value: this.#queue.shift(), done: false });
    if (this.#failure) return Promise.reject(this.#failure.reason);
    if (this.#closed) return Promise.resolve({ value: undefined, done: true });
    const taken = new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    this.#pull();
    return taken;
  }

  #pull() {
    if (this.#pulling || !this.#source.pull) return;
    this.#pulling = true;
    Promise.resolve(this.#source.pull(this.controller)).then(
      () => {
        this.#pulling = false;
        if (this.#waiting.length > 0 && !this.#closed) this.#pull();
      },
      (error) => this.#fail(error),
    );
  }

  getReader() {
    if (this.locked) throw new TypeError("ReadableStream is locked");
    this.locked = true;
    return new Reader(this);
  }

  async cancel(reason) {
    this.#queue = [];
    this.#end();
    await this.#source.cancel?.(reason);
  }

  tee() {
    const reader = this.getReader();
    const both = [0, 1].map(() => new ReadableStream({}));
    (async () => {
      for (let each = await reader.read(); !each.done; each = await reader.read()) {
        for (const stream of both) stream.controller.enqueue(each.value);
      }
      for (const stream of both) stream.controller.close();
    })();
    return both;
  }

  async *values() {
    const reader = this.getReader();
    try {
      for (let each = await reader.read(); !each.done; each = await reader.read()) yield each.value;
    } finally {
      reader.releaseLock();
    }
  }

  [Symbol.asyncIterator]() {
    return this.values();
  }
}
core.hidden(ReadableStream.prototype, "take", ReadableStream.prototype.take);
core.hidden(ReadableStream.prototype, Symbol.toStringTag, "ReadableStream");

exports.ReadableStream = ReadableStream;
