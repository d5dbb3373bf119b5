// console, as Node has it, over the two streams of the program.
const { format } = require("internal/format");
const { inspect } = require("internal/inspect");

const counts = new Map();
const timers = new Map();
let indent = "";

/** Writes a line to a stream: 1 is stdout, 2 is stderr. */
const line = (stream, text) => {
  host("print", stream, `${indent === "" ? text : indent + text.replaceAll("\n", `\n${indent}`)}\n`);
};
const out = (...args) => line(1, format(...args));
const err = (...args) => line(2, format(...args));
const since = (label) => {
  const ms = host("now") - timers.get(label);
  return ms >= 1000 ? `${(ms / 1000).toFixed(3)}s` : `${Number(ms.toFixed(3))}ms`;
};
const known = (label, act) => timers.has(label) ? act() : err(`Warning: No such label '${label}'`);

function table(rows, columns) {
  if (typeof rows !== "object" || rows === null) return out(rows);
  const { grid } = require("internal/table");
  line(1, grid(rows, columns));
}

Object.assign(exports, {
  log: out,
  info: out,
  debug: out,
  error: err,
  warn: err,
  table,
  dir: (value, options) => line(1, inspect(value, { customInspect: false, ...options })),
  dirxml: out,
  trace: (...args) => {
    const stack = new Error().stack.split("\n").slice(1).join("\n");
    err(`Trace${args.length > 0 ? `: ${format(...args)}` : ""}\n${stack}`.trimEnd());
  },
  assert: (condition, ...args) => {
    if (condition) return;
    if (typeof args[0] === "string") err(`Assertion failed: ${args[0]}`, ...args.slice(1));
    else err(...(args.length > 0 ? ["Assertion failed:", ...args] : ["Assertion failed"]));
  },
  count: (label = "default") => {
    counts.set(`${label}`, (counts.get(`${label}`) ?? 0) + 1);
    out(`${label}: ${counts.get(`${label}`)}`);
  },
  countReset: (label = "default") => void counts.delete(`${label}`),
  group: (...args) => {
    if (args.length > 0) out(...args);
    indent += "  ";
  },
  groupCollapsed: (...args) => exports.group(...args),
  groupEnd: () => void (indent = indent.slice(2)),
  time: (label = "default") => void timers.set(`${label}`, host("now")),
  timeLog: (label = "default", ...args) => known(label, () => out(`${label}: ${since(label)}`, ...args)),
  timeEnd: (label = "default") =>
    known(label, () => {
      out(`${label}: ${since(label)}`);
      timers.delete(label);
    }),
  clear: () => {},
});
core.hidden(exports, "Console", function Console() {
  return exports;
});
