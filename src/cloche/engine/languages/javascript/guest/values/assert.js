// deno-lint-ignore-file eqeqeq -- loosely equal is what is asked
// assert.
const { inspect } = require("internal/inspect");
const { equal: same } = require("internal/equal");
const { coded, wrongType } = require("internal/errors");

class AssertionError extends Error {
  constructor({ message, actual, expected, operator }) {
    super(message ?? describe(operator, actual, expected));
    const generatedMessage = message === undefined;
    Object.assign(this, {
      generatedMessage,
      code: "ERR_ASSERTION",
      actual,
      expected,
      operator,
    });
  }
}

core.hidden(AssertionError.prototype, "name", "AssertionError");

/** Loaded by the first failure. */
const messages = () => require("internal/assertion_messages");

const MESSAGES = {
  "==": (a, b) => `${inspect(a)} == ${inspect(b)}`,
  "!=": (a, b) => `${inspect(a)} != ${inspect(b)}`,
  strictEqual: (a, b) => messages().differ("Expected values to be strictly equal:", a, b),
  notStrictEqual: (a) =>
    typeof a === "object" && a !== null
      ? messages().alike('Expected "actual" not to be reference-equal to "expected":', a)
      : messages().alike('Expected "actual" to be strictly unequal to:', a),
  deepEqual: (a, b) => messages().differLoosely(a, b),
  notDeepEqual: (_, b) => messages().alike('Expected "actual" not to be loosely deep-equal to:', b, ""),
  deepStrictEqual: (a, b) => messages().differ("Expected values to be strictly deep-equal:", a, b),
  notDeepStrictEqual: (a) => messages().alike('Expected "actual" not to be strictly deep-equal to:', a),
  match: (text, pattern) => `The input did not match the regular expression ${pattern}. Input:\n\n${inspect(text)}\n`,
  doesNotMatch: (text, pattern) =>
    `The input was expected to not match the regular expression ${pattern}. Input:\n\n${inspect(text)}\n`,
};

const describe = (operator, actual, expected) => MESSAGES[operator]?.(actual, expected) ?? "Failed";

function fail(message, detail) {
  if (message instanceof Error) throw message;
  throw new AssertionError({ ...detail, message });
}

/** An assertion about two values; `holds` compares them. */
const compare = (operator, holds) => (...args) => {
  const [actual, expected, message] = args;
  if (args.length < 2) {
    throw coded(
      TypeError,
      "ERR_MISSING_ARGS",
      'The "actual" and "expected" arguments must be specified',
    );
  }
  if (!holds(actual, expected)) fail(message, { actual, expected, operator });
};

/** Fails with the message, or else with a text that counts as generated. */
function failWith(message, fallback, detail) {
  if (message !== undefined) fail(message, detail);
  const error = new AssertionError({ ...detail, message: fallback });
  error.generatedMessage = true;
  throw error;
}

function ok(...args) {
  const [value, message] = args;
  if (value) return;
  const fallback = args.length === 0
    ? "No value argument passed to `assert.ok()`"
    : "The expression evaluated to a falsy value";
  failWith(message, fallback, { actual: value, expected: true, operator: "==" });
}

const isErrorClass = (value) =>
  typeof value === "function" &&
  (value === Error || value.prototype instanceof Error);

/** Why an error is not as expected; nothing if it is. */
function mismatch(error, expected) {
  if (expected === undefined) return null;
  if (isErrorClass(expected)) {
    if (error instanceof expected) return null;
    const begin = `The error is expected to be an instance of "${expected.name}". Received `;
    if (!(error instanceof Error)) {
      return `${begin}"${inspect(error, { depth: -1 })}"`;
    }
    return `${begin}"${error.constructor?.name ?? error.name}"\n\nError message:\n\n${error.message}`;
  }
  if (typeof expected === "function") {
    if (expected.prototype !== undefined && error instanceof expected) {
      return null;
    }
    const name = expected.name ? `"${expected.name}" ` : "";
    const begin = `The ${name}validation function is expected to return "true". Received `;
    const answer = expected.call({}, error);
    return answer === true ? null : `${begin}${inspect(answer)}\n\nCaught error:\n\n${error}`;
  }
  if (expected instanceof RegExp) {
    return expected.test(`${error}`) ? null : MESSAGES.match(`${error}`, expected);
  }
  return compareFields(error, expected);
}

/** Compares the fields that an object of expectations has; a pattern may stand for a text. */
function compareFields(error, expected) {
  const keys = expected instanceof Error ? [...Object.keys(expected), "name", "message"] : Object.keys(expected);
  const fits = (key) =>
    expected[key] instanceof RegExp && typeof error[key] === "string"
      ? expected[key].test(error[key])
      : same(error[key], expected[key], true);
  if (keys.every(fits)) return null;
  class Comparison {
    constructor(from, other) {
      for (const key of keys) {
        if (key in from) {
          this[key] = other && fits(key) ? other[key] : from[key];
        }
      }
    }
  }
  return messages().differ(
    "Expected values to be strictly deep-equal:",
    new Comparison(error),
    new Comparison(expected, error),
  );
}

function judge(thrown, expected, message, operator) {
  const wanted = typeof expected === "string" ? undefined : expected;
  const text = typeof expected === "string" ? expected : message;
  if (!thrown) {
    const kind = operator === "rejects" ? "rejection" : "exception";
    const name = wanted?.name ? ` (${wanted.name})` : "";
    const fallback = `Missing expected ${kind}${name}${text === undefined ? "." : `: ${text}`}`;
    failWith(text instanceof Error ? text : undefined, fallback, { operator, expected: wanted });
  }
  const why = mismatch(thrown.error, wanted);
  if (why !== null) {
    failWith(text, why, { actual: thrown.error, expected: wanted, operator });
  }
}

function caught(act) {
  if (typeof act !== "function") throw wrongType("fn", "of type function", act);
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

function judgeUnwanted(thrown, expected, message, operator) {
  if (!thrown) return;
  const text = typeof expected === "string" ? expected : message;
  const kind = operator === "doesNotReject" ? "rejection" : "exception";
  const begin = `Got unwanted ${kind}${text === undefined ? "." : `: ${text}`}`;
  const fallback = `${begin}\nActual message: "${thrown.error?.message}"`;
  failWith(undefined, fallback, { actual: thrown.error, expected, operator });
}

const isLoose = (a, b) => a == b || Number.isNaN(a) && Number.isNaN(b);

const assert = Object.assign((...args) => ok(...args), {
  AssertionError,
  ok,
  fail: (message) => failWith(message, "Failed", { operator: "fail" }),
  equal: compare("==", isLoose),
  notEqual: compare("!=", (a, b) => !isLoose(a, b)),
  strictEqual: compare("strictEqual", Object.is),
  notStrictEqual: compare("notStrictEqual", (a, b) => !Object.is(a, b)),
  deepEqual: compare("deepEqual", (a, b) => same(a, b, false)),
  notDeepEqual: compare("notDeepEqual", (a, b) => !same(a, b, false)),
  deepStrictEqual: compare("deepStrictEqual", (a, b) => same(a, b, true)),
  notDeepStrictEqual: compare(
    "notDeepStrictEqual",
    (a, b) => !same(a, b, true),
  ),
  match: compare("match", (text, pattern) => pattern.test(text)),
  doesNotMatch: compare("doesNotMatch", (text, pattern) => !pattern.test(text)),
  throws: (act, expected, message) => judge(caught(act), expected, message, "throws"),
  doesNotThrow: (act, expected, message) => judgeUnwanted(caught(act), expected, message, "doesNotThrow"),
  rejects: async (act, expected, message) => judge(await caughtLater(act), expected, message, "rejects"),
  doesNotReject: async (act, expected, message) =>
    judgeUnwanted(await caughtLater(act), expected, message, "doesNotReject"),
  ifError: (value) => {
    if (value === null || value === undefined) return;
    const text = value instanceof Error ? value.message || value.name : inspect(value);
    failWith(undefined, `ifError got unwanted exception: ${text}`, {
      actual: value,
      expected: null,
      operator: "ifError",
    });
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
