// Writes objects as JSON if they are plain data, and calls none of their code: no getter, no toJSON, no proxy trap.
const { getPrototypeOf, keys, hasOwn } = Object;
const { isArray } = Array;
const { stringify } = JSON;
const { isFinite } = Number;
const { prototype: PLAIN } = Object;
const { prototype: LIST } = Array;
const getter = Function.prototype.call.bind(PLAIN.__lookupGetter__);
const [LENGTH, DEPTH, VALUES] = host("dataLimits");

/** Null if it is not plain data, or too large. */
exports.write = (value) => {
  let [left, room] = [VALUES, LENGTH];
  const isData = (value, depth) => {
    if (typeof value === "number") return isFinite(value);
    if (typeof value === "string") return (room -= value.length) >= 0;
    if (typeof value === "boolean" || value === null) return true;
    if (typeof value !== "object" || depth === DEPTH || host("isProxy", value)) return false;
    return isArray(value) ? isList(value, depth + 1) : isObject(value, depth + 1);
  };
  const isList = (value, depth) => {
    const { length } = value;
    if ((left -= length) < 0 || getPrototypeOf(value) !== LIST) return false;
    for (let index = 0; index < length; index++) {
      if (!hasOwn(value, index) || getter(value, index) !== undefined || !isData(value[index], depth)) return false;
    }
    return true;
  };
  const isObject = (value, depth) => {
    const proto = getPrototypeOf(value);
    if (proto !== null && proto !== PLAIN) return false;
    const names = keys(value);
    if ((left -= names.length) < 0) return false;
    for (let index = 0; index < names.length; index++) {
      const name = names[index];
      if ((room -= name.length) < 0 || getter(value, name) !== undefined || !isData(value[name], depth)) return false;
    }
    return true;
  };
  // A program may have added a toJSON to all lists and objects.
  if ("toJSON" in PLAIN || hasOwn(LIST, "toJSON") || getPrototypeOf(LIST) !== PLAIN || !isData(value, 0)) return null;
  const text = stringify(value);
  return text.length <= LENGTH ? text : null;
};
