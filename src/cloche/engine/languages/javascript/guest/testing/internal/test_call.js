// Calls the function of a test or a hook: as a promise or with a callback, within its time.
const { AbortController } = require("internal/events_web");

/** Why a test has failed, and what was thrown. */
class TestFailure {
  constructor(failureType, message, cause) {
    this.failureType = failureType;
    this.message = message;
    this.cause = cause;
  }

  static of(error, failureType) {
    if (error instanceof TestFailure) return error;
    const text = error instanceof Error ? error.message : undefined;
    return new TestFailure(failureType, text, { thrown: error });
  }
}

/** Settles as the function does; a function that takes `wanted` arguments ends by calling the last one. */
function invoke(fn, self, args, wanted) {
  return new Promise((resolve, reject) => {
    const called = fn.length === wanted;
    const done = (error) => error ? reject(error) : resolve();
    const result = called ? fn.call(self, ...args, done) : fn.call(self, ...args);
    const later = result !== null && typeof result === "object" &&
      typeof result.then === "function";
    if (called && later) {
      throw new TestFailure(
        "callbackAndPromisePresent",
        "passed a callback but also returned a Promise",
      );
    }
    if (!called) resolve(result);
  });
}

/** The same within a number of milliseconds; `stop` is called with a function that ends the wait. */
async function within(ms, failure, act, stop = () => {}) {
  let timer;
  const end = new Promise((resolve, reject) => {
    stop(resolve);
    if (Number.isFinite(ms)) timer = setTimeout(() => reject(failure()), ms);
  });
  try {
    return await Promise.race([act(), end]);
  } finally {
    clearTimeout(timer);
  }
}

async function callTest(test, context) {
  const { fn, timeout, harness } = test;
  const abort = new AbortController();
  context.signal = abort.signal;
  const late = () => {
    const failure = new TestFailure(
      "testTimeoutFailure",
      `test timed out after ${timeout}ms`,
    );
    abort.abort(failure);
    return failure;
  };
  const act = () => {
    harness.stack.push(test);
    try {
      return invoke(fn, context, [context], 2);
    } finally {
      harness.stack.pop();
    }
  };
  await within(timeout, late, act, (stop) => test.stop = stop);
}

async function runHook({ fn, timeout }, kind, context) {
  if (typeof fn !== "function") return;
  const late = () =>
    new TestFailure(
      "testTimeoutFailure",
      `${kind} hook timed out after ${timeout}ms`,
    );
  try {
    await within(timeout, late, () => invoke(fn, context, [context], 2));
  } catch (error) {
    throw error instanceof TestFailure ? error : TestFailure.of(error, "hookFailed");
  }
}

Object.assign(exports, { TestFailure, callTest, runHook });
