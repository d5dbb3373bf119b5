// What a test's function gets: its name, subtests, hooks, notes and assertions.
const { TestFailure } = require("internal/test_call");
const { MockTracker } = require("internal/test_mock");

class TestContext {
  #test;
  #made = 0;
  #assert;
  #mock;

  constructor(test) {
    this.#test = test;
  }

  get name() {
    return this.#test.name;
  }

  get fullName() {
    const names = [];
    for (let at = this.#test; at?.parent; at = at.parent) {
      names.unshift(at.name);
    }
    return names.join(" > ");
  }

  get filePath() {
    return this.#test.place?.[0];
  }

  get error() {
    return this.#test.error;
  }

  get passed() {
    return this.#test.finished && !this.#test.error;
  }

  get mock() {
    return this.#mock ??= new MockTracker();
  }

  /** The assertions, counted for `plan`. */
  get assert() {
    if (this.#assert) return this.#assert;
    const all = require("assert");
    const counted = (act) => (...args) => {
      this.#made++;
      return act(...args);
    };
    const names = Object.keys(all).filter((name) => typeof all[name] === "function" && name !== "AssertionError");
    this.#assert = Object.fromEntries(
      names.map((name) => [name, counted(all[name])]),
    );
    return this.#assert;
  }

  test(name, options, fn) {
    const { Test } = require("internal/test_tree");
    this.#made++;
    const [text, given, act] = typeof name === "function"
      ? [name.name || "<anonymous>", options ?? {}, name]
      : typeof options === "function"
      ? [name, {}, options]
      : [name, options ?? {}, fn];
    return this.#test.add(Test, text, given, act);
  }

  before(fn, options) {
    this.#test.addHook("before", fn, options);
  }
  after(fn, options) {
    this.#test.addHook("after", fn, options);
  }
  beforeEach(fn, options) {
    this.#test.addHook("beforeEach", fn, options);
  }
  afterEach(fn, options) {
    this.#test.addHook("afterEach", fn, options);
  }

  diagnostic(message) {
    this.#test.notes.push(`${message}`);
  }
  plan(count) {
    this.#test.plan = count;
  }
  runOnly(value) {
    this.#test.runsOnly = value === true;
  }
  skip(message) {
    this.#test.skip = message || true;
  }
  todo(message) {
    this.#test.todo = message || true;
  }

  async waitFor(condition, { interval = 50, timeout = 1000 } = {}) {
    const end = host("now") + timeout;
    for (;;) {
      try {
        return await condition();
      } catch (error) {
        if (host("now") >= end) {
          throw Object.assign(new Error("waitFor() timed out"), {
            cause: error,
          });
        }
      }
      await new Promise((resolve) => setTimeout(resolve, interval));
    }
  }

  checkPlan() {
    const { plan } = this.#test;
    if (plan === undefined || plan === this.#made) return;
    throw new TestFailure(
      "testCodeFailure",
      `plan expected ${plan} assertions but received ${this.#made}`,
    );
  }

  /** Takes back what the test has replaced. */
  close() {
    this.#mock?.restoreAll();
  }
}

exports.TestContext = TestContext;
