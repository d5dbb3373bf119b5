// Formats texts with %s and the like, for console.log and util.format.
const { inspect, primitive } = require("internal/inspect");

/** Node's placeholders: %s %d %i %f %j %o %O %c %%. */
function format(...args) {
  return formatWithOptions({}, ...args);
}

const plain = (value) =>
  typeof value === "object" && value !== null && !(value instanceof Error) &&
    Object.prototype.toString === value.toString
    ? inspect(value, { depth: 0 })
    : typeof value === "bigint" || typeof value === "symbol" || Object.is(value, -0)
    ? primitive(value)
    : typeof value === "object" && value !== null && Object.hasOwn(Object(value.constructor), "prototype") &&
        !Object.hasOwn(value, "toString") && builtinText(value)
    ? inspect(value, { depth: 0 })
    : String(value);
const builtinText = (value) => Array.isArray(value) || value instanceof Map || value instanceof Set;

const FORMATS = {
  s: plain,
  d: (value) => typeof value === "bigint" ? `${value}n` : typeof value === "symbol" ? "NaN" : primitive(Number(value)),
  i: (value) => typeof value === "bigint" ? `${value}n` : typeof value === "symbol" ? "NaN" : String(parseInt(value)),
  f: (value) => typeof value === "symbol" ? "NaN" : String(parseFloat(value)),
  j: (value) => {
    try {
      return JSON.stringify(value) ?? "undefined";
    } catch {
      return "[Circular]";
    }
  },
  o: (value) => inspect(value, { showHidden: true, depth: 4 }),
  O: (value, options) => inspect(value, options),
  c: () => "",
};

function formatWithOptions(options, ...args) {
  if (args.length === 1 && typeof args[0] === "string") return args[0];
  let used = 0;
  const parts = [];
  if (typeof args[0] === "string") {
    used = 1;
    parts.push(args[0].replace(/%([sdifjoOc%])/g, (all, kind) => {
      if (kind === "%") return args.length > 1 ? "%" : all;
      return used < args.length ? FORMATS[kind](args[used++], options) : all;
    }));
  }
  for (const value of args.slice(used)) parts.push(typeof value === "string" ? value : inspect(value, options));
  return parts.join(" ");
}

Object.assign(exports, { format, formatWithOptions });
