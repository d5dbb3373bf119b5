// Objects as JSON, where they are plain data. Nothing of their own is called: no getter, no toJSON, no trap of a proxy.
const { getOwnPropertyDescriptor, getPrototypeOf, keys, hasOwn } = Object;
const { isArray } = Array;
const { stringify } = JSON;
const { isFinite } = Number;
const LENGTH = 256 * 1024;
const DEPTH = 50;
const VALUES = 50000;

/** Null where it is no data, or too much. */
exports.write = (value) => {
  let left = VALUES;
  const own = (object, key) => {
    const found = getOwnPropertyDescriptor(object, key);
    return found && hasOwn(found, "value") ? found.value : undefined;
  };
  /** Undefined where it is no data. */
  const part = (value, depth) => {
    if (typeof value === "string") return value.length <= LENGTH ? stringify(value) : undefined;
    if (typeof value === "number") return isFinite(value) ? stringify(value) : undefined;
    if (typeof value === "boolean" || value === null) return `${value}`;
    if (typeof value !== "object" || depth === DEPTH || host("isProxy", value)) return undefined;
    return isArray(value) ? list(value, depth) : object(value, depth);
  };
  const list = (value, depth) => {
    if ((left -= value.length) < 0 || getPrototypeOf(value) !== Array.prototype) return undefined;
    let text = "";
    for (let index = 0; index < value.length; index++) {
      const item = part(own(value, index), depth + 1);
      if (item === undefined) return undefined;
      text += index === 0 ? item : `,${item}`;
    }
    return `[${text}]`;
  };
  const object = (value, depth) => {
    const proto = getPrototypeOf(value);
    if (proto !== null && proto !== Object.prototype) return undefined;
    const names = keys(value);
    if ((left -= names.length) < 0) return undefined;
    let text = "";
    for (let index = 0; index < names.length; index++) {
      const item = part(own(value, names[index]), depth + 1);
      if (item === undefined) return undefined;
      text += `${index === 0 ? "" : ","}${stringify(names[index])}:${item}`;
    }
    return `{${text}}`;
  };
  const text = part(value, 0);
  return text !== undefined && text.length <= LENGTH ? text : null;
};
