// util.
const { format, formatWithOptions } = require("internal/format");
const { inspect } = require("internal/inspect");
const types = require("util/types");
const { wrongType } = require("internal/errors");

const CUSTOM = Symbol.for("nodejs.util.promisify.custom");

function promisify(act) {
  if (typeof act !== "function") throw wrongType("original", "of type function", act);
  if (act[CUSTOM]) return act[CUSTOM];
  const promised = function (...args) {
    return new Promise((resolve, reject) =>
      act.call(this, ...args, (error, ...values) => error ? reject(error) : resolve(values[0]))
    );
  };
  return Object.defineProperties(promised, Object.getOwnPropertyDescriptors(act));
}
promisify.custom = CUSTOM;

const setTimeoutPromise = (ms, value) => require("timers/promises").setTimeout(ms, value);
core.hidden(require("timers").setTimeout, CUSTOM, setTimeoutPromise);

const warned = new Set();

Object.assign(exports, {
  format,
  formatWithOptions,
  inspect,
  promisify,
  types,
  callbackify: (act) => (...args) => {
    const callback = args.pop();
    act(...args).then((value) => callback(null, value), (error) => callback(error));
  },
  deprecate: (act, message, code) =>
    function (...args) {
      if (!warned.has(code ?? message)) globalThis.process.emitWarning(message, "DeprecationWarning");
      warned.add(code ?? message);
      return new.target ? Reflect.construct(act, args, new.target) : act.apply(this, args);
    },
  inherits(child, parent) {
    Object.defineProperty(child, "super_", { value: parent, writable: true, configurable: true });
    Object.setPrototypeOf(child.prototype, parent.prototype);
  },
  isDeepStrictEqual: (a, b) => require("internal/equal").equal(a, b, true),
  // deno-lint-ignore no-control-regex -- they are what is looked for
  stripVTControlCharacters: (text) => text.replace(/\u001b\[[\d;?]*[ -/]*[@-~]|\u001b\].*?(?:\u0007|\u001b\\)/g, ""),
  toUSVString: (text) => `${text}`.toWellFormed(),
  styleText: (_style, text) => text,
  debuglog: () => Object.assign(() => {}, { enabled: false }),
  debug: () => Object.assign(() => {}, { enabled: false }),
  getSystemErrorName: (number) => `E${number}`,
  aborted: (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
  parseArgs: (config) => require("internal/parse_args").parseArgs(config),
  isArray: Array.isArray,
  isString: (value) => typeof value === "string",
  isFunction: (value) => typeof value === "function",
  isError: (value) => value instanceof Error,
  isRegExp: types.isRegExp,
  isDate: types.isDate,
  isObject: (value) => typeof value === "object" && value !== null,
  isPrimitive: (value) => typeof value !== "object" && typeof value !== "function" || value === null,
  isUndefined: (value) => value === undefined,
  isNullOrUndefined: (value) => value === undefined || value === null,
});
for (const name of ["TextEncoder", "TextDecoder"]) {
  core.lazy(exports, name, () => require("internal/encoding")[name], true);
}
