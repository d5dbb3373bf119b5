// querystring.

const escape = (text) => encodeURIComponent(`${text}`);
const unescape = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
const plain = (value) => ["string", "number", "bigint", "boolean"].includes(typeof value) ? `${value}` : "";

function stringify(object, separator = "&", equals = "=", { encodeURIComponent: encode = escape } = {}) {
  return Object.entries(object ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each) => `${encode(name)}${equals}${encode(plain(each))}`)
  ).join(separator);
}

function parse(text, separator = "&", equals = "=", { decodeURIComponent: decode = unescape, maxKeys = 1000 } = {}) {
  const found = Object.create(null);
  const parts = `${text}`.split(separator).filter((part) => part !== "");
  for (const part of maxKeys > 0 ? parts.slice(0, maxKeys) : parts) {
    const at = part.indexOf(equals);
    const name = decode((at < 0 ? part : part.slice(0, at)).replaceAll("+", " "));
    const value = at < 0 ? "" : decode(part.slice(at + equals.length).replaceAll("+", " "));
    if (!(name in found)) found[name] = value;
    else found[name] = Array.isArray(found[name]) ? [...found[name], value] : [found[name], value];
  }
  return found;
}

Object.assign(exports, { parse, stringify, escape, unescape, decode: parse, encode: stringify });
