// deno-lint-ignore-file eqeqeq -- loosely equal is what is asked
// assert.
const { inspect } = require("internal/inspect");
const { equal: same } = require("internal/equal");

class AssertionError extends Error {
  constructor({ message, actual, expected, operator }) {
    super(message);
    Object.assign(this, { generatedMessage: false, code: "ERR_ASSERTION", actual, expected, operator });
  }
}

core.hidden(AssertionError.prototype, "name", "AssertionError");

function fail(given, fallback, detail) {
  if (given instanceof Error) throw given;
  const error = new AssertionError({ ...detail, message: given ?? fallback });
  error.generatedMessage = given === undefined;
  throw error;
}

const shown = (value) => inspect(value, { depth: 5 });
const check = (holds, message, words, operator, actual, expected) => {
  if (!holds) fail(message, `${words}\n\n${shown(actual)} !== ${shown(expected)}\n`, { actual, expected, operator });
};

function ok(...args) {
  const [value, message] = args;
  if (value) return;
  const fallback = args.length === 0
    ? "No value argument passed to `assert.ok()`"
    : "The expression evaluated to a falsy value";
  fail(message, fallback, { actual: value, expected: true, operator: "==" });
}

/** Whether an error is as expected. */
function matches(error, expected) {
  if (expected === undefined) return true;
  if (typeof expected === "function") {
    if (expected.prototype !== undefined && error instanceof expected) return true;
    return expected.prototype instanceof Error ? false : expected.call({}, error) === true;
  }
  if (expected instanceof RegExp) return expected.test(`${error}`);
  return Object.keys(expected).every((key) =>
    expected[key] instanceof RegExp && typeof error[key] === "string"
      ? expected[key].test(error[key])
      : same(error[key], expected[key], true)
  );
}

function judge(thrown, expected, message, operator) {
  const wanted = typeof expected === "string" ? undefined : expected;
  const text = typeof expected === "string" ? expected : message;
  if (!thrown) fail(text, "Missing expected exception.", { operator, expected: wanted });
  if (matches(thrown.error, wanted)) return;
  if (typeof wanted === "function" && wanted.prototype instanceof Error) throw thrown.error;
  fail(text, "The error does not match what was expected.", { actual: thrown.error, expected: wanted, operator });
}

function caught(act) {
  try {
    act();
    return null;
  } catch (error) {
    return { error };
  }
}

async function caughtLater(act) {
  try {
    await (typeof act === "function" ? act() : act);
    return null;
  } catch (error) {
    return { error };
  }
}

const assert = Object.assign((...args) => ok(...args), {
  AssertionError,
  ok,
  fail: (message = "Failed") => fail(message, message, { operator: "fail" }),
  equal: (a, b, message) =>
    check(a == b || Number.isNaN(a) && Number.isNaN(b), message, "Expected values to be loosely equal:", "==", a, b),
  notEqual: (a, b, message) => check(a != b, message, "Expected values to be loosely unequal:", "!=", a, b),
  strictEqual: (a, b, message) =>
    check(Object.is(a, b), message, "Expected values to be strictly equal:", "strictEqual", a, b),
  notStrictEqual: (a, b, message) =>
    check(!Object.is(a, b), message, "Expected values to be strictly unequal:", "notStrictEqual", a, b),
  deepEqual: (a, b, message) =>
    check(same(a, b, false), message, "Expected values to be loosely deep-equal:", "deepEqual", a, b),
  notDeepEqual: (a, b, message) =>
    check(!same(a, b, false), message, "Expected values not to be loosely deep-equal:", "notDeepEqual", a, b),
  deepStrictEqual: (a, b, message) =>
    check(same(a, b, true), message, "Expected values to be strictly deep-equal:", "deepStrictEqual", a, b),
  notDeepStrictEqual: (a, b, message) =>
    check(!same(a, b, true), message, "Expected values not to be strictly deep-equal:", "notDeepStrictEqual", a, b),
  match: (text, pattern, message) =>
    check(pattern.test(text), message, "The input did not match the regular expression:", "match", text, pattern),
  doesNotMatch: (text, pattern, message) =>
    check(
      !pattern.test(text),
      message,
      "The input was expected to not match the regular expression:",
      "doesNotMatch",
      text,
      pattern,
    ),
  throws: (act, expected, message) => judge(caught(act), expected, message, "throws"),
  doesNotThrow: (act, message) => {
    const thrown = caught(act);
    if (thrown) {
      fail(
        typeof message === "string" ? message : undefined,
        `Got unwanted exception.\nActual message: "${thrown.error?.message}"`,
        { actual: thrown.error, operator: "doesNotThrow" },
      );
    }
  },
  rejects: async (act, expected, message) => judge(await caughtLater(act), expected, message, "rejects"),
  doesNotReject: async (act, message) => {
    const thrown = await caughtLater(act);
    if (thrown) {
      fail(message, `Got unwanted rejection.\nActual message: "${thrown.error?.message}"`, {
        actual: thrown.error,
        operator: "doesNotReject",
      });
    }
  },
  ifError: (value) => {
    if (value !== null && value !== undefined) throw value;
  },
});
assert.strict = Object.assign((...args) => ok(...args), assert, {
  equal: assert.strictEqual,
  notEqual: assert.notStrictEqual,
  deepEqual: assert.deepStrictEqual,
  notDeepEqual: assert.notDeepStrictEqual,
});
assert.strict.strict = assert.strict;
module.exports = assert;
