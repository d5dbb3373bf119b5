// Message channels: two ports in one program; a posted message arrives later, as a copy.
const { Event, EventTarget } = require("internal/events_web");
const { structuredClone } = require("internal/clone");

class MessageEvent extends Event {
  constructor(type, { data = null, origin = "", lastEventId = "", source = null, ports = [], ...init } = {}) {
    super(type, init);
    Object.assign(this, { data, origin, lastEventId, source, ports });
  }
}

let join;
class MessagePort extends EventTarget {
  #other = null;
  #listener = null;
  static {
    join = (a, b) => ([a.#other, b.#other] = [b, a]);
  }
  get onmessage() {
    return this.#listener;
  }
  set onmessage(listener) {
    if (this.#listener) this.removeEventListener("message", this.#listener);
    this.#listener = typeof listener === "function" ? listener : null;
    if (this.#listener) this.addEventListener("message", this.#listener);
  }
  postMessage(message) {
    const [other, data] = [this.#other, structuredClone(message)];
    if (other) setTimeout(() => other.#other && other.dispatchEvent(new MessageEvent("message", { data })), 0);
  }
  start() {}
  close() {
    if (this.#other) this.#other.#other = null;
    this.#other = null;
  }
  ref() {}
  unref() {}
}

class MessageChannel {
  port1 = new MessagePort();
  port2 = new MessagePort();
  constructor() {
    join(this.port1, this.port2);
  }
}

Object.assign(exports, { MessageChannel, MessagePort, MessageEvent });
