// deno-lint-ignore-file eqeqeq -- loosely equal is what is asked
// Deep equality.
const kindOf = (value) => Object.prototype.toString.call(value);
const isObject = (value) => typeof value === "object" && value !== null;

function equal(a, b, strict, seen = new Map()) {
  if (!isObject(a) || !isObject(b)) {
    if (typeof a === "function" || typeof b === "function") return a === b;
    return strict ? Object.is(a, b) : a == b || Number.isNaN(a) && Number.isNaN(b);
  }
  if (a === b) return true;
  if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (kindOf(a) !== kindOf(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  if (seen.get(a) === b) return true;
  seen.set(a, b);
  return insides(a, b, strict, seen) && sameKeys(a, b, strict, seen);
}

function insides(a, b, strict, seen) {
  if (a instanceof Date) return a.getTime() === b.getTime() || Number.isNaN(a.getTime()) && Number.isNaN(b.getTime());
  if (a instanceof RegExp) return `${a}` === `${b}` && a.lastIndex === b.lastIndex;
  if (a instanceof Error) return a.message === b.message && a.name === b.name;
  if (a instanceof Number || a instanceof String || a instanceof Boolean) return Object.is(a.valueOf(), b.valueOf());
  if (a instanceof Set) {
    return a.size === b.size &&
      [...a].every((each) => b.has(each) || [...b].some((other) => equal(each, other, strict, seen)));
  }
  if (a instanceof Map) {
    return a.size === b.size &&
      [...a].every(([key, value]) =>
        b.has(key)
          ? equal(value, b.get(key), strict, seen)
          : [...b].some(([other, held]) =>
            isObject(key) && equal(key, other, strict, seen) && equal(value, held, strict, seen)
          )
      );
  }
  if (a instanceof ArrayBuffer) return equal(new Uint8Array(a), new Uint8Array(b), strict, seen);
  return !Array.isArray(a) || a.length === b.length;
}

function sameKeys(a, b, strict, seen) {
  const [left, right] = [Object.keys(a), Object.keys(b)];
  if (left.length !== right.length) return false;
  const symbols = (object) =>
    Object.getOwnPropertySymbols(object).filter((key) => Object.prototype.propertyIsEnumerable.call(object, key));
  if (strict && symbols(a).length !== symbols(b).length) return false;
  const keys = strict ? [...left, ...symbols(a)] : left;
  return keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key], strict, seen));
}

exports.equal = equal;
