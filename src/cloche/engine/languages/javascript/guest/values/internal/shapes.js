// The kind of an object, and how objects of that kind are shown.
const { keyText, primitive } = require("internal/quoting");
const TypedArray = Object.getPrototypeOf(Uint8Array);
const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

function constructorName(value) {
  for (let at = value; at !== null; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, "constructor");
    if (typeof found?.value === "function" && found.value.name !== "" && isInstance(value, found.value)) {
      return found.value.name;
    }
  }
  return null;
}

function isInstance(value, constructor) {
  try {
    return value instanceof constructor;
  } catch {
    return false;
  }
}

function prefixOf(name, tag, fallback, size = "") {
  const base = name === null ? `[${fallback}${size}: null prototype] ` : `${name}${size} `;
  return tag !== "" && name !== tag ? `${base}[${tag}] ` : base;
}

function more(count) {
  return `... ${count} more item${count > 1 ? "s" : ""}`;
}

function listEntries(value, inspector) {
  return (depth) => {
    const limit = inspector.options.maxArrayLength ?? Infinity;
    const parts = [];
    let index = 0;
    for (; index < value.length && parts.length < limit; index++) {
      if (Object.hasOwn(value, index)) {
        parts.push(inspector.show(value[index], depth));
        continue;
      }
      let end = index;
      while (end < value.length && !Object.hasOwn(value, end)) end++;
      parts.push(`<${end - index} empty item${end - index > 1 ? "s" : ""}>`);
      index = end - 1;
    }
    if (index < value.length) parts.push(more(value.length - index));
    return parts;
  };
}

function pairEntries(pairs, inspector) {
  return (depth) => {
    const limit = inspector.options.maxArrayLength ?? Infinity;
    const all = [...pairs];
    const parts = all.slice(0, limit).map((each) =>
      Array.isArray(each.pair)
        ? `${inspector.show(each.pair[0], depth)} => ${inspector.show(each.pair[1], depth)}`
        : inspector.show(each.value, depth)
    );
    return all.length > limit ? [...parts, more(all.length - limit)] : parts;
  };
}

function functionForm(value, name, tag) {
  const source = Function.prototype.toString.call(value);
  const own = typeof value.name === "string" && value.name !== "" ? value.name : "";
  if (/^class\b/.test(source)) {
    const base = Object.getPrototypeOf(value);
    const up = typeof base === "function" && base.name ? ` extends ${base.name}` : base === null ? " extends null" : "";
    return { name, prefix: "", alone: `[class ${own || "(anonymous)"}${up}]` };
  }
  const kind = tag && tag !== "Function" ? tag : "Function";
  return { name, prefix: "", alone: own ? `[${kind}: ${own}]` : `[${kind} (anonymous)]` };
}

function errorForm(value, name, inspector) {
  const head = () => value.message === "" ? String(value.name) : `${value.name}: ${value.message}`;
  let text;
  try {
    text = typeof value.stack === "string" && value.stack !== "" ? value.stack : `[${head()}]`;
    // A name that was set after the stack was taken.
    const said = String(value.name);
    if (said !== "" && !text.split("\n")[0].includes(said)) text = text.replace(/^[A-Za-z]*Error/, said);
    if (!/\n {4}at /.test(text) && !text.startsWith("[")) text = `[${text}]`;
  } catch {
    text = "[Error]";
  }
  const indent = " ".repeat(inspector.indent ?? 0);
  if (indent) text = text.replaceAll("\n", `\n${indent}`);
  const hides = ["stack", "message", "name"].filter((key) => Object.hasOwn(value, key));
  const form = { name: name ?? "Error", prefix: "", alone: text, hides, kind: "Error" };
  const extra = ["cause", "errors"].filter((key) => Object.hasOwn(value, key) && !Object.keys(value).includes(key));
  if (extra.length > 0) {
    form.entries = (depth) => extra.map((key) => `[${key}]: ${inspector.show(value[key], depth)}`);
  }
  return form;
}

const boxed = { Number, String, Boolean, BigInt, Symbol };

/** Objects that are shown in brackets. */
function listForm(value, inspector, name, prefix) {
  const entries = listEntries(value, inspector);
  return { name, kind: name, prefix, braces: ["[", "]"], indexed: true, count: value.length, entries };
}

function describe(value, inspector) {
  const name = constructorName(value);
  const tag = guarded(() => value[Symbol.toStringTag]);
  const label = typeof tag === "string" && tag !== "" ? tag : "";
  if (Array.isArray(value)) {
    const plain = name === "Array" && label === "";
    return listForm(
      value,
      inspector,
      name ?? "Array",
      plain ? "" : prefixOf(name, label, "Array", `(${value.length})`),
    );
  }
  if (typeof value === "function") return functionForm(value, name, name === "Function" ? label : name ?? label);
  if (value instanceof Error) return errorForm(value, name, inspector);
  const kind = tagOf(value);
  const form = formOf[kind] && guarded(() => formOf[kind](value, name, inspector));
  if (form) return { name: name ?? kind, kind, prefix: "", ...form };
  return otherForm(value, inspector, { name, label, kind });
}

function otherForm(value, inspector, { name, label, kind }) {
  if (value instanceof TypedArray) {
    const prefix = prefixOf(name, label === name ? "" : label, "TypedArray", `(${value.length})`);
    return listForm(value, inspector, name ?? "TypedArray", prefix);
  }
  if (kind in boxed && isBoxed(value, kind)) {
    const alone = `[${kind}: ${primitive(value.valueOf(), inspector.options)}]`;
    return { name, kind, prefix: "", alone, indexed: kind === "String" };
  }
  if (kind === "Arguments") return listForm(value, inspector, "Arguments", "[Arguments] ");
  const prefix = name === "Object" && label === "" ? "" : prefixOf(name, label === "Object" ? "" : label, "Object");
  return { name, kind: "Object", prefix, count: 0 };
}

function isBoxed(value, kind) {
  return guarded(() => (boxed[kind].prototype.valueOf.call(value), true)) === true;
}

/** An object that only its tag makes look like another kind is shown as a plain object. */
function guarded(act) {
  try {
    return act();
  } catch {
    return undefined;
  }
}

const asValues = (items) => Array.from(items, (value) => ({ value }));
const asPairs = (items) => Array.from(items, (pair) => ({ pair }));

const formOf = {
  Map: (value, name, inspector) => {
    const size = Object.getOwnPropertyDescriptor(Map.prototype, "size").get.call(value);
    const entries = pairEntries(asPairs(Map.prototype.entries.call(value)), inspector);
    return { prefix: prefixOf(name, "", "Map", `(${size})`), count: size, entries };
  },
  Set: (value, name, inspector) => {
    const size = Object.getOwnPropertyDescriptor(Set.prototype, "size").get.call(value);
    const entries = pairEntries(asValues(Set.prototype.values.call(value)), inspector);
    return { prefix: prefixOf(name, "", "Set", `(${size})`), count: size, entries };
  },
  Date: (value, name) => {
    const time = Date.prototype.getTime.call(value);
    const text = Number.isNaN(time) ? "Invalid Date" : Date.prototype.toISOString.call(value);
    return { alone: name === "Date" ? text : `${name} ${text}` };
  },
  RegExp: (value) => ({ alone: RegExp.prototype.toString.call(value) }),
  Promise: (value, name, inspector) => ({
    prefix: prefixOf(name, "", "Promise"),
    entries: (depth) => {
      const [state, result] = core.host("peek", value);
      if (state === 0) return ["<pending>"];
      return [state === 2 ? `<rejected> ${inspector.show(result, depth)}` : inspector.show(result, depth)];
    },
  }),
  WeakMap: (_value, name) => ({ prefix: prefixOf(name, "", "WeakMap"), entries: () => ["<items unknown>"] }),
  WeakSet: (_value, name) => ({ prefix: prefixOf(name, "", "WeakSet"), entries: () => ["<items unknown>"] }),
  WeakRef: (_value, name) => ({ prefix: prefixOf(name, "", "WeakRef"), entries: () => ["<ref>"] }),
  ArrayBuffer: (value, name) => ({
    prefix: prefixOf(name, "", "ArrayBuffer"),
    entries: () => {
      const bytes = new Uint8Array(value);
      const shown = Array.from(bytes.subarray(0, 50), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
      const rest = bytes.length > 50 ? ` ... ${bytes.length - 50} more byte${bytes.length > 51 ? "s" : ""}` : "";
      return [`[Uint8Contents]: <${shown}${rest}>`, `byteLength: ${bytes.length}`];
    },
  }),
  Module: (value, _name, inspector) => ({
    prefix: "[Module: null prototype] ",
    entries: (depth) => Object.keys(value).map((key) => `${keyText(key)}: ${inspector.show(value[key], depth)}`),
    hides: Object.keys(value),
  }),
};
formOf["Map Iterator"] = () => iterator("Map");
formOf["Set Iterator"] = () => iterator("Set");

function iterator(kind) {
  return { prefix: `[${kind} Iterator] `, entries: () => ["..."] };
}

Object.assign(exports, { describe, TypedArray });
