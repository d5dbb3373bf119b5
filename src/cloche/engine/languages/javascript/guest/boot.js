// Evaluated first in every context: defines the functions that the host calls, and the guest's globals.
(function (host) {
  const core = {
    host,
    handlers: new Map(),
    ticks: [],
    /** Files whose positions the host maps. */
    moved: new Set(),
  };
  const modules = new Map();
  const { stringify } = JSON;

  /** Our own modules, loaded on first use. */
  core.builtin = (name) => {
    const known = modules.get(name);
    if (known) return known.exports;
    const module = { exports: {}, id: name, loaded: false };
    modules.set(name, module);
    host("builtin", name).call(undefined, module, module.exports, core.builtin, host, core);
    module.loaded = true;
    return module.exports;
  };

  const hidden = (object, name, value) =>
    Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
  core.hidden = hidden;

  /** A property that loads its module when it is first read. */
  core.lazy = (object, name, load, enumerable = false) =>
    Object.defineProperty(object, name, {
      configurable: true,
      enumerable,
      get() {
        const value = load();
        Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable });
        return value;
      },
      set(value) {
        Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable });
      },
    });

  // Stacks as Node writes them, in the user's own positions.
  const INTERNAL = /^(node:|native$|<)/;
  const frameOf = (site) => {
    let file = site.getFileName();
    if (!file || site.isNative() || INTERNAL.test(file) && !file.startsWith("<cell")) return null;
    let line = site.getLineNumber();
    let column = site.getColumnNumber();
    if (core.moved.has(file)) [line, column] = host("place", file, line, column);
    if (file.startsWith("<cell")) file = "<cell>";
    const name = site.getFunctionName();
    const place = `${file}:${line}:${column}`;
    return name && name !== "<eval>" && name !== "<anonymous>" ? `    at ${name} (${place})` : `    at ${place}`;
  };
  const KINDS = { TypeError, RangeError, SyntaxError };
  const headOf = (error) => {
    try {
      const { name, message } = error;
      return message === "" ? `${name}` : `${name}: ${message}`;
    } catch {
      return "Error";
    }
  };
  /** Leaves the constructors of an error's own classes out of its stack. */
  const ownNames = (error) => {
    const names = [];
    for (let at = Object.getPrototypeOf(error); at && at !== Error.prototype; at = Object.getPrototypeOf(at)) {
      names.push(Object.getOwnPropertyDescriptor(at, "constructor")?.value?.name);
    }
    return names;
  };
  Error.prepareStackTrace = (error, sites) => {
    const names = ownNames(error);
    const from = names.length > 0 ? sites.findIndex((site) => !names.includes(site.getFunctionName())) : 0;
    const frames = sites.slice(Math.max(from, 0)).map(frameOf).filter((frame) => frame !== null);
    return [headOf(error), ...frames].join("\n");
  };

  // Callbacks of the host, by the number that it gave when the work began.
  core.start = (what, question, body, act) => {
    const id = host("start", what, JSON.stringify(question), body ?? null);
    core.handlers.set(id, act);
    return id;
  };
  /** The same as a promise of [data, bytes]. */
  core.ask = (what, question, body) =>
    new Promise((resolve, reject) =>
      core.start(what, question, body, (failure, data, bytes) => failure ? reject(failure) : resolve([data, bytes]))
    );

  hidden(globalThis, "global", globalThis);
  const table = [
    ["console", "console", true],
    ["process", "process", true],
    ["buffer", "Buffer"],
    ["timers", "setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate"],
    ["internal/events_web", "Event EventTarget CustomEvent AbortController AbortSignal"],
    ["url", "URL URLSearchParams"],
    ["internal/encoding", "TextEncoder TextDecoder"],
    ["internal/clone", "structuredClone"],
    ["internal/fetch", "fetch Headers Request Response FormData Blob File"],
    ["internal/streams_web", "ReadableStream"],
    ["internal/channel", "MessageChannel MessagePort MessageEvent"],
    ["internal/webcrypto", "crypto", true],
    ["internal/intl", "Intl", true],
  ];
  for (const [module, names, whole] of table) {
    for (const name of names.split(" ")) {
      core.lazy(globalThis, name, () => whole ? core.builtin(module) : core.builtin(module)[name]);
    }
  }
  hidden(globalThis, "print", (...values) => globalThis.console.log(...values));
  core.lazy(globalThis, "require", () => core.builtin("internal/modules").require);
  core.lazy(globalThis, "module", () => core.builtin("internal/modules").main);
  core.lazy(globalThis, "exports", () => core.builtin("internal/modules").main.exports);
  const placeMain = () => {
    core.lazy(globalThis, "__filename", () => core.builtin("internal/modules").main.filename);
    core.lazy(globalThis, "__dirname", () => core.builtin("internal/modules").main.path);
  };
  placeMain();
  // Local forms of numbers and dates.
  const local = (proto, name, kind, options) =>
    hidden(proto, name, function (locales = "en-US", given = options) {
      return new (core.builtin("internal/intl")[kind])(locales, given).format(this.valueOf());
    });
  const [day, time] = [{ year: "numeric", month: "numeric", day: "numeric" }, {
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }];
  local(Number.prototype, "toLocaleString", "NumberFormat");
  local(BigInt.prototype, "toLocaleString", "NumberFormat");
  local(Date.prototype, "toLocaleDateString", "DateTimeFormat", day);
  local(Date.prototype, "toLocaleTimeString", "DateTimeFormat", time);
  local(Date.prototype, "toLocaleString", "DateTimeFormat", { ...day, ...time });

  // Lets modules that the host generates reach the values that they export.
  Object.defineProperty(globalThis, Symbol.for("cloche"), {
    value: Object.freeze({
      load: (path) => core.builtin("internal/modules").load(path),
      main: (path) => core.builtin("internal/modules").runMain(path),
      meta: () => core.builtin("internal/modules").meta(),
      landed: (namespace) => core.landed = namespace,
      /** Whether a thrown value is what the top level of a cell returns. */
      get returned() {
        return core.returned === true;
      },
      set returned(_value) {
        core.returned = true;
      },
    }),
  });

  return {
    /** Called when the host has finished some work. */
    settle(id, failure, data, bytes, more) {
      const act = core.handlers.get(id);
      if (!more) core.handlers.delete(id);
      if (!act) return;
      let error = null;
      if (failure !== null) {
        const [name, message, code] = JSON.parse(failure);
        error = name === "TypeError" ? new TypeError(message) : new Error(message);
        if (code) error.code = code;
      }
      act(error, data === null ? undefined : JSON.parse(data), bytes);
    },
    runTicks() {
      for (const act of core.ticks.splice(0)) act();
    },
    /** Runs one timer that is due: returns 0 if it did, otherwise the milliseconds until the next, or -1 if there is none. */
    timer: (now) => core.timer ? core.timer(now) : -1,
    /** Drops all pending work. */
    rest() {
      core.dropTimers?.();
      core.forgive?.();
      core.handlers.clear();
      core.ticks.length = 0;
      core.returned = false;
    },
    /** Sets the arguments and the name of the next cell. */
    introduce(json) {
      const [argv, main] = JSON.parse(json);
      core.setArguments?.(argv);
      core.setMain?.(main);
      placeMain();
    },
    mark: (file) => void core.moved.add(file),
    /** Shows numbers without loading a module. */
    show: (value) =>
      Number.isFinite(value) && !Object.is(value, -0) ? `${value}` : core.builtin("internal/report").show(value),
    /** The value as JSON, if it is plain data. */
    data(value) {
      if (typeof value === "object" && value !== null) return core.builtin("internal/data").write(value);
      const plain = typeof value === "boolean" || Number.isFinite(value) || typeof value === "string" || value === null;
      return plain ? stringify(value) : null;
    },
    returned() {
      const returned = core.returned === true;
      core.returned = false;
      return returned;
    },
    plain: (value) => typeof value === "string" ? value : core.builtin("internal/inspect").inspect(value),
    describe: (reason) => core.builtin("internal/report").describe(reason),
    keysOf: (path) => core.builtin("internal/modules").keysOf(path),
    // Only a program that has used `process` can have set handlers.
    emit: (name, code) => core.leave?.(name, code),
    rejected: (reason) => core.rejected?.(reason) ?? false,
    signal: (number) => core.signal?.(number),
    uncaught: (reason) => core.uncaught?.(reason) ?? false,
    /** Makes an error of the guest, for a failure in the host. */
    error(name, message, code, frame) {
      const error = new (KINDS[name] ?? Error)(message);
      if (code) error.code = code;
      if (frame) core.hidden(error, "stack", `${error.name}: ${message}\n${frame}`);
      return error;
    },
    setEnv: (json) => core.setEnv?.(JSON.parse(json)),
    complete: (chain, prefix) => core.builtin("internal/complete").members(chain, prefix),
  };
});
