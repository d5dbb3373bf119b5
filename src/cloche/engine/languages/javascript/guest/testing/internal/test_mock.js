// mock: functions that record their calls, and replaced methods, which are put back.
const { coded, wrongType } = require("internal/errors");

const NAMES = ["setTimeout", "setInterval", "setImmediate"];
const CLEARS = {
  setTimeout: "clearTimeout",
  setInterval: "clearInterval",
  setImmediate: "clearImmediate",
};

/** The record of one mocked function. */
class MockFunctionContext {
  #calls = [];
  #once = new Map();
  #act;
  #left;
  #original;
  #restore;

  constructor(act, original, times, restore) {
    this.#act = act;
    this.#original = original;
    this.#left = times;
    this.#restore = restore;
  }

  get calls() {
    return [...this.#calls];
  }
  callCount() {
    return this.#calls.length;
  }
  mockImplementation(act) {
    if (typeof act !== "function") {
      throw wrongType("implementation", "of type function", act);
    }
    this.#act = act;
  }
  mockImplementationOnce(act, onCall = this.#calls.length) {
    if (typeof act !== "function") {
      throw wrongType("implementation", "of type function", act);
    }
    this.#once.set(onCall, act);
  }
  resetCalls() {
    this.#calls = [];
  }
  restore() {
    this.#act = this.#original;
    this.#restore?.();
  }

  /** What the next call runs. */
  next() {
    const at = this.#calls.length;
    const once = this.#once.get(at);
    this.#once.delete(at);
    const act = once ?? (at < this.#left ? this.#act : this.#original);
    return act;
  }
  record(call) {
    this.#calls.push(call);
  }
}

function makeMock(original, act, times, restore) {
  const context = new MockFunctionContext(act, original, times, restore);
  const record = (call, run) => {
    try {
      call.result = run();
      return call.result;
    } catch (error) {
      call.error = error;
      throw error;
    } finally {
      context.record(call);
    }
  };
  const blank = (args, target, self) => ({
    arguments: args,
    error: undefined,
    result: undefined,
    stack: new Error(),
    target,
    this: self,
  });
  return new Proxy(original, {
    apply(_, self, args) {
      const run = context.next();
      return record(
        blank(args, undefined, self),
        () => Reflect.apply(run, self, args),
      );
    },
    construct(_, args, target) {
      const run = context.next();
      const call = blank(args, target, undefined);
      return record(
        call,
        () => call.this = Reflect.construct(run, args, target),
      );
    },
    get: (target, name, self) => name === "mock" ? context : Reflect.get(target, name, self),
  });
}

class MockTracker {
  #mocks = [];
  #timers;

  get timers() {
    return this.#timers ??= new MockTimers();
  }

  fn(original = () => {}, act = original, options = {}) {
    if (typeof original !== "function") {
      [original, act, options] = [() => {}, () => {}, original ?? {}];
    }
    if (typeof act !== "function") [act, options] = [original, act ?? {}];
    const mocked = makeMock(original, act, options.times ?? Infinity);
    this.#mocks.push(mocked.mock);
    return mocked;
  }

  method(object, name, act, options = {}) {
    if (typeof act !== "function") [act, options] = [undefined, act ?? options];
    const { getter = false, setter = false, times = Infinity } = options;
    const found = findProperty(object, name);
    const field = getter ? "get" : setter ? "set" : "value";
    const original = found?.[field];
    if (typeof original !== "function") {
      throw coded(
        TypeError,
        "ERR_INVALID_ARG_VALUE",
        `The argument 'methodName' must be a method. Received ${typeof original}`,
      );
    }
    const own = Object.getOwnPropertyDescriptor(object, name);
    const restore = () => own ? Object.defineProperty(object, name, own) : delete object[name];
    const mocked = makeMock(original, act ?? original, times, restore);
    Object.defineProperty(object, name, {
      ...found,
      configurable: true,
      [field]: mocked,
    });
    this.#mocks.push(mocked.mock);
    return mocked;
  }

  getter(object, name, act, options) {
    if (typeof act !== "function") {
      return this.method(object, name, { ...act, getter: true });
    }
    return this.method(object, name, act, { ...options, getter: true });
  }
  setter(object, name, act, options) {
    if (typeof act !== "function") {
      return this.method(object, name, { ...act, setter: true });
    }
    return this.method(object, name, act, { ...options, setter: true });
  }

  restoreAll() {
    for (const each of this.#mocks.toReversed()) each.restore();
    this.#timers?.reset();
  }
  reset() {
    this.restoreAll();
    this.#mocks = [];
  }
}

function findProperty(object, name) {
  for (
    let at = object;
    at !== null && at !== undefined;
    at = Object.getPrototypeOf(at)
  ) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found) return found;
  }
  return undefined;
}

/** Timers and the date, moved on by hand. */
class MockTimers {
  #now = 0;
  #last = 0;
  #timers = new Map();
  #saved;

  enable({ apis = [...NAMES, "Date"], now = 0 } = {}) {
    if (this.#saved) {
      throw coded(
        Error,
        "ERR_INVALID_STATE",
        "Invalid state: MockTimers is already enabled!",
      );
    }
    this.#now = Number(now);
    this.#saved = {};
    const replace = (name, value) => {
      this.#saved[name] = globalThis[name];
      globalThis[name] = value;
    };
    for (const name of NAMES.filter((each) => apis.includes(each))) {
      replace(
        name,
        (act, ms, ...args) =>
          this.#add(
            act,
            name === "setImmediate" ? [-1, ms, ...args] : [ms, ...args],
            name,
          ),
      );
      replace(CLEARS[name], (id) => void this.#timers.delete(Number(id)));
    }
    if (apis.includes("Date")) replace("Date", this.#makeDate(globalThis.Date));
  }

  #add(act, [ms, ...args], name) {
    const wait = Number(ms) >= 1 ? Number(ms) : name === "setImmediate" ? 0 : 1;
    const id = ++this.#last;
    this.#timers.set(id, {
      id,
      act,
      args,
      due: this.#now + wait,
      every: name === "setInterval" ? wait : undefined,
    });
    const handle = {
      ref: () => handle,
      unref: () => handle,
      hasRef: () => true,
    };
    handle[Symbol.toPrimitive] = () => id;
    return handle;
  }

  #makeDate(Real) {
    const current = () => this.#now;
    return class Date extends Real {
      constructor(...args) {
        super(...args.length === 0 ? [current()] : args);
      }
      static now() {
        return current();
      }
    };
  }

  #first() {
    let first;
    for (const timer of this.#timers.values()) {
      if (!first || timer.due < first.due) first = timer;
    }
    return first;
  }

  tick(ms = 1) {
    this.#require();
    const end = this.#now + Number(ms);
    for (
      let next = this.#first();
      next && next.due <= end;
      next = this.#first()
    ) {
      this.#now = next.due;
      if (next.every === undefined) this.#timers.delete(next.id);
      else next.due += next.every;
      next.act(...next.args);
    }
    this.#now = end;
  }
  runAll() {
    this.#require();
    const last = Math.max(
      this.#now,
      ...[...this.#timers.values()].map(({ due }) => due),
    );
    this.tick(last - this.#now);
  }
  setTime(time) {
    this.#require();
    this.#now = Number(time);
  }
  reset() {
    if (this.#saved) Object.assign(globalThis, this.#saved);
    this.#saved = undefined;
    this.#timers.clear();
  }
  [Symbol.dispose]() {
    this.reset();
  }

  #require() {
    if (this.#saved) return;
    throw coded(
      Error,
      "ERR_INVALID_STATE",
      "Invalid state: You should enable MockTimers first by calling the .enable function",
    );
  }
}

Object.assign(exports, { MockTracker });
