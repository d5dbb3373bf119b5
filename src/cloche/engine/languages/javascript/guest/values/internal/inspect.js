// Formats values as text, in lines and columns as Node does.
const { keyText, primitive } = require("internal/quoting");
const { describe } = require("internal/shapes");

const CUSTOM = Symbol.for("nodejs.util.inspect.custom");
/** Lists with more items than this are printed in columns. */
const SHORT = 6;
const GAP = 2;
const DEFAULTS = {
  depth: 2,
  colors: false,
  showHidden: false,
  customInspect: true,
  compact: 3,
  breakLength: 80,
  maxArrayLength: 100,
  maxStringLength: 10000,
  sorted: false,
  getters: false,
};

class Inspector {
  constructor(options) {
    this.options = options;
    this.seen = [];
    this.circular = new Map();
    this.indent = 0;
    /** The depth of the current object. */
    this.latest = 0;
  }

  show(value, depth) {
    if (typeof value !== "object" && typeof value !== "function" || value === null) {
      return typeof value === "string" ? this.string(value) : primitive(value, this.options);
    }
    const custom = this.custom(value, depth);
    if (custom !== undefined) return custom;
    if (this.seen.includes(value)) {
      if (!this.circular.has(value)) this.circular.set(value, this.circular.size + 1);
      return `[Circular *${this.circular.get(value)}]`;
    }
    return this.object(value, depth);
  }

  /** Long texts are split at their line breaks. */
  string(value) {
    const { breakLength, compact, maxStringLength } = this.options;
    const long = value.length > 16 && value.length > breakLength - this.indent - 4;
    if (
      compact === true || !long || maxStringLength !== null && value.length > maxStringLength || !value.includes("\n")
    ) {
      return primitive(value, this.options);
    }
    const lines = value.split(/(?<=\n)/).map((line) => primitive(line, this.options));
    return lines.join(` +\n${" ".repeat(this.indent + GAP)}`);
  }

  custom(value, depth) {
    if (!this.options.customInspect) return undefined;
    const act = value[CUSTOM];
    if (typeof act !== "function" || act === inspect) return undefined;
    const left = this.options.depth === null ? null : this.options.depth - depth;
    const result = act.call(value, left, { ...this.options, depth: left, stylize: (text) => `${text}` }, inspect);
    if (result === value) return undefined;
    return typeof result === "string"
      ? result.replaceAll("\n", `\n${" ".repeat(this.indent)}`)
      : this.show(result, depth);
  }

  object(value, depth) {
    const shape = describe(value, this);
    const keys = this.keys(value, shape);
    if (shape.alone !== undefined && keys.length === 0 && !shape.entries) return shape.alone;
    if (shape.count === 0 && keys.length === 0) return this.join([], shape, depth, value);
    if (this.options.depth !== null && depth > this.options.depth) {
      return `[${shape.name ?? `${shape.kind}: null prototype`}]`;
    }
    this.seen.push(value);
    this.latest = depth;
    const parts = this.nested(() => [
      ...(shape.entries?.(depth + 1) ?? []),
      ...keys.map((key) => this.property(value, key, depth + 1)),
    ]);
    this.seen.pop();
    return this.join(parts, shape, depth, value);
  }

  nested(act) {
    this.indent += GAP;
    try {
      return act();
    } finally {
      this.indent -= GAP;
    }
  }

  keys(value, shape) {
    const symbols = Object.getOwnPropertySymbols(value);
    const shown = symbols.filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
    const all = this.options.showHidden ? Reflect.ownKeys(value) : [...Object.keys(value), ...shown];
    const named = shape.indexed ? all.filter((key) => typeof key === "symbol" || !/^(0|[1-9]\d*)$/.test(key)) : all;
    const left = shape.hides ? named.filter((key) => !shape.hides.includes(key)) : named;
    if (this.options.sorted) left.sort(typeof this.options.sorted === "function" ? this.options.sorted : undefined);
    return left;
  }

  property(value, key, depth) {
    const found = Object.getOwnPropertyDescriptor(value, key);
    const name = found?.enumerable === false ? `[${String(key)}]` : keyText(key);
    if (!found || "value" in found) return `${name}: ${this.show(found ? found.value : value[key], depth)}`;
    return `${name}: ${found.get ? found.set ? "[Getter/Setter]" : "[Getter]" : "[Setter]"}`;
  }

  join(parts, shape, depth, value) {
    const mark = this.circular.has(value) ? `<ref *${this.circular.get(value)}> ` : "";
    const [open, close] = shape.braces ?? ["{", "}"];
    const base = shape.alone ?? "";
    const start = mark + (base === "" ? `${shape.prefix}${open}` : open);
    if (parts.length === 0) return base === "" ? `${start}${close}` : mark + base;
    const lead = base === "" ? start : `${base} ${start}`;
    const rows = shape.indexed && parts.length > SHORT && this.options.compact ? this.columns(parts, value) : parts;
    const flat = rows === parts && (this.options.compact === true || this.latest - depth < this.options.compact);
    if (flat && this.fits(parts, parts.length + this.indent + start.length + base.length + 10, base)) {
      const joined = parts.join(", ");
      if (!joined.includes("\n")) return `${lead} ${joined} ${close}`;
    }
    const indent = `\n${" ".repeat(this.indent)}`;
    return `${lead}${indent}  ${rows.join(`,${indent}  `)}${indent}${close}`;
  }

  fits(parts, start, base) {
    const total = parts.reduce((sum, part) => sum + part.length, parts.length + start);
    return total <= this.options.breakLength && !base.includes("\n");
  }

  /** Rows of a long list, each with as many items as fit. */
  columns(parts, value) {
    const { breakLength, maxArrayLength, compact } = this.options;
    const count = maxArrayLength !== null && maxArrayLength < parts.length ? parts.length - 1 : parts.length;
    const lengths = parts.slice(0, count).map((part) => part.length);
    const total = lengths.reduce((sum, length) => sum + length + GAP, 0);
    const longest = Math.max(...lengths);
    const widest = longest + GAP;
    if (widest * 3 + this.indent >= breakLength || !(total / widest > 5 || longest <= 6)) return parts;
    const biased = Math.max(widest - 3 - Math.sqrt(widest - total / parts.length), 1);
    const wide = Math.min(
      Math.round(Math.sqrt(2.5 * biased * count) / biased),
      Math.floor((breakLength - this.indent) / widest),
      Number(compact) * 4,
      15,
    );
    return wide <= 1 ? parts : [...laid(parts.slice(0, count), lengths, wide, value), ...parts.slice(count)];
  }
}

function laid(parts, lengths, wide, value) {
  const widths = Array.from(
    { length: wide },
    (_, column) => Math.max(...lengths.filter((_, index) => index % wide === column)) + GAP,
  );
  const numbers = parts.every((_, index) => typeof value[index] === "number" || typeof value[index] === "bigint");
  const rows = [];
  for (let at = 0; at < parts.length; at += wide) {
    const row = parts.slice(at, at + wide);
    rows.push(
      row.map((part, index) => {
        const last = index === row.length - 1;
        if (numbers) return last ? part.padStart(widths[index] - GAP) : `${part}, `.padStart(widths[index]);
        return last ? part : `${part}, `.padEnd(widths[index]);
      }).join(""),
    );
  }
  return rows;
}

function inspect(value, options, ...old) {
  // Its oldest form takes the options as separate arguments.
  const chosen = typeof options === "boolean" || old.length > 0 ? { showHidden: options, depth: old[0] } : options;
  const all = { ...DEFAULTS };
  for (const [key, each] of Object.entries(chosen ?? {})) if (each !== undefined) all[key] = each;
  for (const key of ["depth", "maxArrayLength", "maxStringLength"]) if (all[key] === Infinity) all[key] = null;
  return new Inspector(all).show(value, 0);
}
inspect.custom = CUSTOM;
inspect.defaultOptions = DEFAULTS;
inspect.colors = {};
inspect.styles = {};

Object.assign(exports, { inspect, primitive });
