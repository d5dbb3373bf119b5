// EventEmitter.
const CAPTURE = Symbol.for("nodejs.rejection");

function EventEmitter() {
  if (!this._events) core.hidden(this, "_events", Object.create(null));
}
const proto = EventEmitter.prototype;
EventEmitter.defaultMaxListeners = 10;
EventEmitter.captureRejectionSymbol = CAPTURE;
EventEmitter.errorMonitor = Symbol("events.errorMonitor");

const listFor = (emitter, name) => {
  if (!Object.hasOwn(emitter, "_events") || !emitter._events) {
    core.hidden(emitter, "_events", Object.create(null));
  }
  return emitter._events[name] ?? [];
};

function check(listener) {
  if (typeof listener === "function") return;
  throw require("internal/errors").wrongType("listener", "of type function", listener);
}

function add(emitter, name, listener, front) {
  check(listener);
  const list = listFor(emitter, name);
  if (emitter._events.newListener) emitter.emit("newListener", name, listener.listener ?? listener);
  emitter._events[name] = front ? [listener, ...list] : [...list, listener];
  return emitter;
}

function onceOf(emitter, name, listener) {
  check(listener);
  const wrapped = function (...args) {
    emitter.removeListener(name, wrapped);
    return listener.apply(emitter, args);
  };
  wrapped.listener = listener;
  return wrapped;
}

Object.assign(proto, {
  on(name, listener) {
    return add(this, name, listener, false);
  },
  prependListener(name, listener) {
    return add(this, name, listener, true);
  },
  once(name, listener) {
    return this.on(name, onceOf(this, name, listener));
  },
  prependOnceListener(name, listener) {
    return add(this, name, onceOf(this, name, listener), true);
  },
  removeListener(name, listener) {
    const list = listFor(this, name);
    const at = list.findLastIndex((each) => each === listener || each.listener === listener);
    if (at < 0) return this;
    this._events[name] = list.toSpliced(at, 1);
    if (this._events[name].length === 0) delete this._events[name];
    if (this._events.removeListener) this.emit("removeListener", name, list[at].listener ?? listener);
    return this;
  },
  removeAllListeners(name) {
    const list = listFor(this, name);
    if (!this._events.removeListener) {
      if (name === undefined) core.hidden(this, "_events", Object.create(null));
      else delete this._events[name];
    } else if (name !== undefined) {
      for (const listener of list.toReversed()) this.removeListener(name, listener);
    } else {
      // Listeners for removals go last, so that they are called for all others.
      for (const each of Reflect.ownKeys(this._events)) if (each !== "removeListener") this.removeAllListeners(each);
      this.removeAllListeners("removeListener");
    }
    return this;
  },
  emit(name, ...args) {
    const list = listFor(this, name);
    if (name === "error") {
      for (const monitor of listFor(this, EventEmitter.errorMonitor)) monitor.apply(this, args);
      if (list.length === 0) throw unheard(args[0]);
    }
    for (const listener of list) listener.apply(this, args);
    return list.length > 0;
  },
  listenerCount(name, listener) {
    const list = listFor(this, name);
    return listener ? list.filter((each) => each === listener || each.listener === listener).length : list.length;
  },
  listeners(name) {
    return listFor(this, name).map((each) => each.listener ?? each);
  },
  rawListeners(name) {
    return [...listFor(this, name)];
  },
  eventNames() {
    listFor(this, "");
    return Reflect.ownKeys(this._events);
  },
  setMaxListeners(count) {
    if (typeof count !== "number" || !(count >= 0)) {
      throw require("internal/errors").outOfRange("setMaxListeners", ">= 0", count);
    }
    core.hidden(this, "_maxListeners", count);
    return this;
  },
  getMaxListeners() {
    return this._maxListeners ?? EventEmitter.defaultMaxListeners;
  },
});
proto.addListener = proto.on;
proto.off = proto.removeListener;

function unheard(reason) {
  if (reason instanceof Error) return reason;
  const { inspect } = require("internal/inspect");
  const error = new Error(`Unhandled error. (${typeof reason === "string" ? `'${reason}'` : inspect(reason)})`);
  error.code = "ERR_UNHANDLED_ERROR";
  error.context = reason;
  return error;
}

EventEmitter.once = (emitter, name, { signal } = {}) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    if (typeof emitter.addEventListener === "function") {
      return emitter.addEventListener(name, (event) => resolve([event]), { once: true });
    }
    const onError = (error) => {
      emitter.removeListener(name, onEvent);
      reject(error);
    };
    const onEvent = (...args) => {
      emitter.removeListener("error", onError);
      resolve(args);
    };
    emitter.once(name, onEvent);
    if (name !== "error") emitter.once("error", onError);
  });

EventEmitter.on = (emitter, name) => {
  const ready = [];
  const waiting = [];
  const take = (settle) => waiting.length > 0 ? settle(waiting.shift()) : ready.push(settle);
  const listener = (...args) => take(({ resolve }) => resolve({ value: args, done: false }));
  const failed = (error) => take(({ reject }) => reject(error));
  emitter.on(name, listener);
  if (name !== "error") emitter.on("error", failed);
  return {
    next: () =>
      new Promise((resolve, reject) =>
        ready.length > 0 ? ready.shift()({ resolve, reject }) : waiting.push({ resolve, reject })
      ),
    return() {
      emitter.removeListener(name, listener);
      emitter.removeListener("error", failed);
      for (const { resolve } of waiting.splice(0)) resolve({ value: undefined, done: true });
      return Promise.resolve({ value: undefined, done: true });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
};
EventEmitter.listenerCount = (emitter, name) => emitter.listenerCount(name);
EventEmitter.getEventListeners = (emitter, name) => emitter.listeners?.(name) ?? [];
EventEmitter.setMaxListeners = () => {};
EventEmitter.EventEmitter = EventEmitter;
module.exports = EventEmitter;
