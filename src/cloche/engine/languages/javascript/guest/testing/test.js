// node:test: tests, suites and hooks of one program, run when its top level has been read.
const { Suite, Test } = require("internal/test_tree");
const { harness } = require("internal/test_harness");
const mock = require("internal/test_mock");

/** `(name, options, fn)`, each of which may be left out. */
function readArguments(name, options, fn) {
  if (typeof name === "function") {
    return [name.name || "<anonymous>", options ?? {}, name];
  }
  if (name !== null && typeof name === "object") {
    return [options?.name || "<anonymous>", name, options];
  }
  const text = typeof name === "string" && name !== "" ? name : undefined;
  if (typeof options === "function") {
    return [text ?? (options.name || "<anonymous>"), {}, options];
  }
  return [text ?? (fn?.name || "<anonymous>"), options ?? {}, fn];
}

const makeRunner = (Kind, more = {}) => (...args) => {
  const [name, options, fn] = readArguments(...args);
  return harness().add(Kind, name, { ...options, ...more }, fn);
};

function withVariants(Kind) {
  return Object.assign(makeRunner(Kind), {
    skip: makeRunner(Kind, { skip: true }),
    todo: makeRunner(Kind, { todo: true }),
    only: makeRunner(Kind, { only: true }),
  });
}

const hook = (kind) => (fn, options) => void harness().current().addHook(kind, fn, options);

const test = withVariants(Test);
const it = withVariants(Test);
const describe = withVariants(Suite);

Object.assign(test, {
  test,
  it,
  describe,
  suite: describe,
  before: hook("before"),
  after: hook("after"),
  beforeEach: hook("beforeEach"),
  afterEach: hook("afterEach"),
  mock: new mock.MockTracker(),
  assert: require("assert"),
});
core.lazy(test, "run", () => () => {
  throw require("internal/errors").coded(
    Error,
    "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
    "run() is not there; use `node --test FILES`",
  );
});
module.exports = test;
