// Strings, keys and other simple values as source text.
const IDENTIFIER = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
const LONGEST = 10000;
const ESCAPES = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\v": "\\v", "\\": "\\\\" };
const hex = (char) => `\\x${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

function quote(text) {
  const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !/[`]|\$\{/.test(text) ? "`" : "'";
  // deno-lint-ignore no-control-regex
  const body = text.replace(/[\x00-\x1f\x7f-\x9f\\]/g, (char) => ESCAPES[char] ?? hex(char))
    .replace(
      /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  return mark + (mark === "'" ? body.replaceAll("'", "\\'") : body) + mark;
}

function primitive(value, options) {
  if (typeof value === "string") {
    const limit = options === undefined ? LONGEST : options.maxStringLength ?? Infinity;
    if (value.length <= limit) return quote(value);
    const more = value.length - limit;
    return `${quote(value.slice(0, limit))}... ${more} more character${more > 1 ? "s" : ""}`;
  }
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "symbol") return Symbol.prototype.toString.call(value);
  return Object.is(value, -0) ? "-0" : String(value);
}

function keyText(key) {
  if (typeof key === "symbol") return `[${Symbol.prototype.toString.call(key)}]`;
  return IDENTIFIER.test(key) ? key : quote(key);
}

Object.assign(exports, { keyText, primitive, quote });
