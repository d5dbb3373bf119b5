// diagnostics_channel: channels by name, and the five that trace an operation.
const channels = new Map();

class Channel {
  #subscribers = [];
  #stores = new Map();

  constructor(name) {
    this.name = name;
  }

  get hasSubscribers() {
    return this.#subscribers.length > 0 || this.#stores.size > 0;
  }

  subscribe(subscription) {
    if (typeof subscription !== "function") {
      throw wrongType("subscription", "of type function", subscription);
    }
    this.#subscribers = [...this.#subscribers, subscription];
  }

  unsubscribe(subscription) {
    const at = this.#subscribers.indexOf(subscription);
    if (at < 0) return false;
    this.#subscribers = this.#subscribers.toSpliced(at, 1);
    return true;
  }

  bindStore(store, transform = (data) => data) {
    this.#stores.set(store, transform);
  }

  unbindStore(store) {
    return this.#stores.delete(store);
  }

  publish(data) {
    for (const subscription of this.#subscribers) {
      quietly(() => subscription(data, this.name));
    }
  }

  runStores(data, act, self, ...args) {
    let run = () => {
      this.publish(data);
      return Reflect.apply(act, self, args);
    };
    for (const [store, transform] of this.#stores) {
      const inner = run;
      run = () => store.run(transform(data), inner);
    }
    return run();
  }
}

/** What a subscriber throws is not the publisher's business. */
function quietly(act) {
  try {
    act();
  } catch (error) {
    process.nextTick(() => {
      throw error;
    });
  }
}

function wrongType(name, wanted, value) {
  const error = new TypeError(
    `The "${name}" argument must be ${wanted}. Received ${typeof value}`,
  );
  return Object.assign(error, { code: "ERR_INVALID_ARG_TYPE" });
}

function channel(name) {
  if (typeof name !== "string" && typeof name !== "symbol") {
    throw wrongType("channel", "of type string or symbol", name);
  }
  if (!channels.has(name)) channels.set(name, new Channel(name));
  return channels.get(name);
}

const EVENTS = ["start", "end", "asyncStart", "asyncEnd", "error"];

class TracingChannel {
  constructor(names) {
    for (const event of EVENTS) {
      this[event] = typeof names === "string" ? channel(`tracing:${names}:${event}`) : names[event];
    }
  }

  get hasSubscribers() {
    return EVENTS.some((event) => this[event].hasSubscribers);
  }

  subscribe(handlers) {
    for (const event of EVENTS) {
      if (handlers[event]) this[event].subscribe(handlers[event]);
    }
  }

  unsubscribe(handlers) {
    const wanted = EVENTS.filter((event) => handlers[event]);
    return wanted.map((event) => this[event].unsubscribe(handlers[event]))
      .every(Boolean);
  }

  traceSync(act, context = {}, self, ...args) {
    if (!this.hasSubscribers) return Reflect.apply(act, self, args);
    return this.start.runStores(context, () => {
      try {
        return context.result = Reflect.apply(act, self, args);
      } catch (error) {
        this.#failed(context, error);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }

  tracePromise(act, context = {}, self, ...args) {
    if (!this.hasSubscribers) return Reflect.apply(act, self, args);
    return this.start.runStores(context, () => {
      try {
        return Promise.resolve(Reflect.apply(act, self, args)).then(
          (result) => this.#settled(context, () => context.result = result),
          (error) =>
            this.#settled(context, () => {
              this.#failed(context, error);
              throw error;
            }),
        );
      } catch (error) {
        this.#failed(context, error);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }

  traceCallback(act, position = -1, context = {}, self, ...args) {
    if (!this.hasSubscribers) return Reflect.apply(act, self, args);
    const at = position < 0 ? args.length + position : position;
    const callback = args[at];
    if (typeof callback !== "function") {
      throw wrongType("callback", "of type function", callback);
    }
    args[at] = (...answer) => {
      const [error, result] = answer;
      if (error) this.#failed(context, error);
      else context.result = result;
      return this.asyncStart.runStores(context, () => {
        try {
          return Reflect.apply(callback, self, answer);
        } finally {
          this.asyncEnd.publish(context);
        }
      });
    };
    return this.start.runStores(context, () => {
      try {
        return Reflect.apply(act, self, args);
      } catch (error) {
        this.#failed(context, error);
        throw error;
      } finally {
        this.end.publish(context);
      }
    });
  }

  #settled(context, finish) {
    try {
      return finish();
    } finally {
      this.asyncStart.publish(context);
      this.asyncEnd.publish(context);
    }
  }

  #failed(context, error) {
    context.error = error;
    this.error.publish(context);
  }
}

Object.assign(exports, {
  Channel,
  TracingChannel,
  channel,
  hasSubscribers: (name) => channels.get(name)?.hasSubscribers ?? false,
  subscribe: (name, subscription) => channel(name).subscribe(subscription),
  unsubscribe: (name, subscription) => channel(name).unsubscribe(subscription),
  tracingChannel: (names) => new TracingChannel(names),
});
