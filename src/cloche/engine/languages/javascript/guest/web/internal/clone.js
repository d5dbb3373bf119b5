// structuredClone.
const fail = (value) => {
  const text = typeof value === "symbol" ? value.toString() : typeof value === "function" ? `${value}` : "#<Object>";
  return new DOMException(`${text} could not be cloned.`, "DataCloneError");
};
const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

function clone(value, seen) {
  if (typeof value === "function" || typeof value === "symbol") throw fail(value);
  if (typeof value !== "object" || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const [made, fill] = shell(value);
  seen.set(value, made);
  fill?.((each) => clone(each, seen));
  return made;
}

/** An empty value of the same kind, and a function that fills it. */
function shell(value) {
  if (value instanceof Date) return [new Date(value.getTime())];
  if (value instanceof RegExp) return [new RegExp(value.source, value.flags)];
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return [Object(value.valueOf())];
  if (value instanceof ArrayBuffer) return [value.slice(0)];
  if (ArrayBuffer.isView(value)) return [viewOf(value)];
  if (value instanceof Map) {
    const made = new Map();
    return [made, (copy) => [...value].forEach(([key, held]) => made.set(copy(key), copy(held)))];
  }
  if (value instanceof Set) {
    const made = new Set();
    return [made, (copy) => [...value].forEach((each) => made.add(copy(each)))];
  }
  if (value instanceof Error) return errorOf(value);
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) {
    throw fail(value);
  }
  const made = Array.isArray(value) ? new Array(value.length) : {};
  return [made, (copy) => Object.keys(value).forEach((key) => made[key] = copy(value[key]))];
}

function viewOf(value) {
  const buffer = value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength);
  if (value instanceof DataView) return new DataView(buffer);
  const Kind = globalThis[Object.prototype.toString.call(value).slice(8, -1)];
  return new Kind(buffer);
}

function errorOf(value) {
  const made = new (ERRORS[value.name] ?? Error)(value.message);
  core.hidden(made, "stack", value.stack);
  return [made, (copy) => {
    if ("cause" in value) core.hidden(made, "cause", copy(value.cause));
  }];
}

exports.structuredClone = (value) => clone(value, new Map());
