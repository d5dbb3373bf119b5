// Event, EventTarget, AbortSignal and AbortController.
class Event {
  #stopped = false;
  constructor(type, { bubbles = false, cancelable = false, composed = false } = {}) {
    Object.assign(this, {
      type: `${type}`,
      bubbles,
      cancelable,
      composed,
      defaultPrevented: false,
      timeStamp: host("now"),
    });
    this.target = this.currentTarget = null;
  }
  preventDefault() {
    if (this.cancelable) this.defaultPrevented = true;
  }
  stopPropagation() {}
  stopImmediatePropagation() {
    this.#stopped = true;
  }
  static stopped(event) {
    return event.#stopped;
  }
  composedPath() {
    return this.target ? [this.target] : [];
  }
}
const { stopped } = Event;
delete Event.stopped;

class CustomEvent extends Event {
  constructor(type, options = {}) {
    super(type, options);
    this.detail = options.detail ?? null;
  }
}

class EventTarget {
  #listeners = new Map();
  addEventListener(type, listener, options) {
    if (!listener) return;
    const { once = false, signal } = typeof options === "object" && options !== null ? options : {};
    if (signal?.aborted) return;
    const list = this.#listeners.get(type) ?? [];
    if (list.some((each) => each.listener === listener)) return;
    this.#listeners.set(type, [...list, { listener, once }]);
    signal?.addEventListener("abort", () => this.removeEventListener(type, listener), { once: true });
  }
  removeEventListener(type, listener) {
    this.#listeners.set(type, (this.#listeners.get(type) ?? []).filter((each) => each.listener !== listener));
  }
  dispatchEvent(event) {
    event.target = event.currentTarget = this;
    for (const { listener, once } of this.#listeners.get(event.type) ?? []) {
      if (once) this.removeEventListener(event.type, listener);
      if (typeof listener === "function") listener.call(this, event);
      else listener.handleEvent(event);
      if (stopped(event)) break;
    }
    return !event.defaultPrevented;
  }
}

const aborted = () => new DOMException("This operation was aborted", "AbortError");
const MAKE = Symbol("make");

class AbortSignal extends EventTarget {
  #reason;
  #aborted = false;
  onabort = null;
  constructor(key) {
    if (key !== MAKE) throw Object.assign(new TypeError("Illegal constructor"), { code: "ERR_ILLEGAL_CONSTRUCTOR" });
    super();
  }
  get aborted() {
    return this.#aborted;
  }
  get reason() {
    return this.#reason;
  }
  throwIfAborted() {
    if (this.#aborted) throw this.#reason;
  }
  static stop(signal, reason) {
    if (signal.#aborted) return;
    signal.#aborted = true;
    signal.#reason = reason === undefined ? aborted() : reason;
    const event = new Event("abort");
    signal.onabort?.(event);
    signal.dispatchEvent(event);
  }
  static abort(reason) {
    const signal = new AbortSignal(MAKE);
    stop(signal, reason);
    return signal;
  }
  static timeout(ms) {
    const signal = new AbortSignal(MAKE);
    const reason = () => new DOMException("The operation was aborted due to timeout", "TimeoutError");
    require("timers").setTimeout(() => stop(signal, reason()), ms).unref();
    return signal;
  }
  static any(signals) {
    const signal = new AbortSignal(MAKE);
    for (const each of signals) {
      if (each.aborted) stop(signal, each.reason);
      else each.addEventListener("abort", () => stop(signal, each.reason), { once: true });
    }
    return signal;
  }
}
const { stop } = AbortSignal;
delete AbortSignal.stop;

class AbortController {
  #signal = new AbortSignal(MAKE);
  get signal() {
    return this.#signal;
  }
  abort(reason) {
    stop(this.#signal, reason);
  }
}

for (const Kind of [Event, EventTarget, AbortSignal, AbortController]) {
  core.hidden(Kind.prototype, Symbol.toStringTag, Kind.name);
}
Object.assign(exports, { Event, CustomEvent, EventTarget, AbortSignal, AbortController });
