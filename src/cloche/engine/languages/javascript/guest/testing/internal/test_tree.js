// Tests and suites: what runs when, and what becomes of it.
const { callTest, runHook, TestFailure } = require("internal/test_call");
const { TestContext } = require("internal/test_context");
const { describeError } = require("internal/test_reporters");

const PENDING = "Promise resolution is still pending but the event loop has already resolved";
const UNFINISHED = "test did not finish before its parent and was cancelled";
const now = () => host("now");
const since = (began) => Math.round((now() - began) * 1e6) / 1e6;
const many = (count) => `${count} subtest${count === 1 ? "" : "s"} failed`;

/** The place in the user's code that called us, as [file, line, column]. */
function callerPlace() {
  const [, frame = ""] = new Error().stack.split("\n");
  const found = /\(?((?:\/|<|\[)[^()]*):(\d+):(\d+)\)?$/.exec(
    frame.replace(/^\s*at /, ""),
  );
  return found ? [found[1], Number(found[2]), Number(found[3])] : undefined;
}

/** A place for tests: the root, a suite, or a test with subtests. */
class Group {
  constructor(harness, parent) {
    this.harness = harness;
    this.parent = parent;
    this.nesting = parent?.parent ? parent.nesting + 1 : 0;
    this.children = [];
    this.waiting = [];
    this.active = 0;
    this.concurrency = 1;
    this.hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
    this.reported = 0;
    this.finished = false;
    this.error = undefined;
    this.runsOnly = false;
  }

  add(Kind, name, options, fn) {
    const child = new Kind(this, name, options, fn);
    child.number = this.children.push(child);
    if (this.finished) child.cancel(UNFINISHED);
    else if (!(this instanceof Suite)) {
      this.waiting.push(child);
      Promise.resolve().then(() => this.startWaiting());
    }
    return child.done;
  }

  addHook(kind, fn, options = {}) {
    this.hooks[kind].push({
      fn,
      timeout: options.timeout ?? Infinity,
      ran: false,
    });
  }

  startWaiting() {
    while (this.active < this.concurrency && this.waiting.length > 0) {
      const child = this.waiting.shift();
      this.active++;
      child.run().then(() => {
        this.active--;
        this.startWaiting();
      });
    }
  }

  /** Runs the hooks that come before all tests of this group, once. */
  prepare() {
    return this.prepared ??= this.runHooks("before", this.makeContext());
  }

  async runHooks(kind, context) {
    for (const hook of this.hooks[kind]) {
      if (kind === "before" || kind === "after") {
        if (hook.ran) continue;
        hook.ran = true;
      }
      await runHook(hook, kind, context);
    }
  }

  makeContext() {
    return undefined;
  }

  /** Whether its events may be reported: everything before it has been. */
  get isNext() {
    return !this.parent ||
      this.parent.isNext && this.parent.children[this.parent.reported] === this;
  }

  /** Reports finished children in their order. */
  flush() {
    if (!this.isNext) return;
    for (;;) {
      const child = this.children[this.reported];
      if (!child) return;
      child.flush();
      if (!child.finished) return;
      child.report();
      this.reported++;
    }
  }

  cancelChildren(why) {
    this.waiting = [];
    for (const child of this.children) {
      if (!child.finished) child.cancel(why);
    }
  }

  /** How many children have failed. */
  get failures() {
    return this.children.filter((child) => child.error && !child.isTodo).length;
  }

  /** The innermost test that runs now. */
  running() {
    for (const child of this.children) {
      if (child.started && !child.finished) return child.running() ?? child;
    }
    return undefined;
  }
}

class Root extends Group {
  constructor(harness, settings) {
    super(harness, undefined);
    this.settings = settings;
    this.runsOnly = settings.only;
    this.name = "<root>";
  }

  cancelAll() {
    this.cancelChildren(PENDING);
  }

  /** Starts what comes after all tests. */
  close() {
    this.closed ??= this.runHooks("after", undefined).catch((error) => this.error = error);
  }
}

class Item extends Group {
  constructor(parent, name, options, fn) {
    super(parent.harness, parent);
    this.name = `${name}`;
    this.fn = typeof fn === "function" ? fn : () => {};
    this.place = callerPlace();
    this.skip = options.skip || false;
    this.todo = options.todo || false;
    this.isOnly = options.only === true;
    this.timeout = options.timeout ?? parent.timeout ??
      this.root.settings.timeout;
    this.concurrency = readConcurrency(options.concurrency, parent);
    this.signal = options.signal;
    this.plan = options.plan;
    this.notes = [];
    this.done = new Promise((resolve) => this.resolve = resolve);
    this.duration = 0;
  }

  get root() {
    return this.parent instanceof Root ? this.parent : this.parent.root;
  }

  get isTodo() {
    return this.todo !== false;
  }

  fail(error) {
    this.error ??= error;
  }

  end() {
    if (this.finished) return;
    this.finished = true;
    this.duration = this.started === undefined ? 0 : since(this.started);
    this.parent.flush();
    this.resolve();
  }

  cancel(why) {
    this.cancelChildren(UNFINISHED);
    this.fail(new TestFailure("cancelledByParent", why));
    this.stop?.();
    this.end();
  }

  announce() {
    if (this.announced) return;
    this.announced = true;
    if (this.parent instanceof Item) this.parent.announce();
    this.harness.emit("test:start", { name: this.name, nesting: this.nesting });
  }

  report() {
    const { name, nesting, number, error, skip, todo, harness } = this;
    this.announce();
    if (this.children.length > 0) {
      harness.emit("test:plan", {
        nesting: nesting + 1,
        count: this.children.length,
      });
    }
    const type = this instanceof Suite ? "suite" : "test";
    const kind = error?.failureType;
    const [file, line, column] = this.place ?? [];
    const data = {
      name,
      nesting,
      testNumber: number,
      skip,
      todo,
      file,
      line,
      column,
    };
    data.details = {
      duration_ms: this.duration,
      type,
      failureType: kind,
      ...(error ? describeError(error) : {}),
    };
    data.parent = this.children.length > 0;
    countResult(harness.counts, data, error !== undefined);
    if (
      error && type === "suite" && kind !== "subtestsFailed" && !this.isTodo
    ) harness.broken = true;
    harness.emit(error ? "test:fail" : "test:pass", data);
    for (const message of this.notes) {
      harness.emit("test:diagnostic", { nesting, message });
    }
  }
}

/** Why a test is left out; false if it is not. */
function reasonToSkip(item) {
  if (item.skip !== false && item.skip !== undefined) return item.skip;
  const { patterns, skipped } = item.root.settings;
  const names = [];
  for (let at = item; at instanceof Item; at = at.parent) names.push(at.name);
  const matches = (list) => list.some((pattern) => names.some((name) => pattern.test(name)));
  if (patterns.length > 0 && !matches(patterns)) {
    return "test name does not match pattern";
  }
  if (skipped.length > 0 && matches(skipped)) {
    return "test name matches skip pattern";
  }
  if (item.parent.runsOnly && !item.isOnly && !hasOnly(item)) {
    return "'only' option not set";
  }
  return false;
}

const hasOnly = (item) => item.children.some((child) => child.isOnly || hasOnly(child));

class Test extends Item {
  async run() {
    if (this.finished) return;
    this.skip = reasonToSkip(this);
    if (this.skip !== false) return this.end();
    try {
      await this.parent.prepare();
      if (this.finished) return;
      this.started = now();
      const context = this.context = new TestContext(this);
      await this.wrap(context);
    } catch (error) {
      this.fail(TestFailure.of(error, "testCodeFailure"));
    }
    this.end();
  }

  async wrap(context) {
    const groups = this.ancestors();
    try {
      for (const group of groups) await group.runHooks("beforeEach", context);
      await callTest(this, context);
      if (this.finished) return;
      this.cancelChildren(UNFINISHED);
      if (!this.error && this.failures > 0) {
        this.fail(new TestFailure("subtestsFailed", many(this.failures)));
      }
      if (!this.error) context.checkPlan();
    } catch (error) {
      this.fail(TestFailure.of(error, "testCodeFailure"));
      this.cancelChildren(UNFINISHED);
    }
    await this.settle(async () => {
      for (const group of groups.toReversed()) {
        await group.runHooks("afterEach", context);
      }
      await this.runHooks("after", context);
    });
    context.close();
  }

  /** Runs what follows a test; its failure is the test's, unless that has failed already. */
  async settle(act) {
    try {
      await act();
    } catch (error) {
      this.fail(TestFailure.of(error, "hookFailed"));
    }
  }

  /** The groups around it, outermost first. */
  ancestors() {
    const found = [];
    for (let at = this.parent; at; at = at.parent) found.unshift(at);
    return found;
  }

  makeContext() {
    return this.context;
  }

  interrupt(error, kind) {
    this.fail(TestFailure.of(error, kind));
    this.stop?.();
  }
}

class Suite extends Item {
  constructor(parent, name, options, fn) {
    super(parent, name, options, fn);
    this.runsOnly = parent.runsOnly;
    if (this.skip !== false) return;
    this.harness.stack.push(this);
    try {
      this.body = this.fn({ name: this.name, signal: undefined });
    } catch (error) {
      this.fail(TestFailure.of(error, "testCodeFailure"));
    } finally {
      this.harness.stack.pop();
    }
    // A suite that is marked itself runs all of its tests, unless some of these are marked.
    if (this.isOnly && !hasOnly(this)) this.runsOnly = false;
  }

  async run() {
    if (this.finished) return;
    if (this.skip !== false) return this.end();
    if (this.parent.runsOnly && !this.isOnly && !hasOnly(this)) {
      this.skip = "'only' option not set";
      return this.end();
    }
    this.started = now();
    try {
      await this.body;
      await this.parent.prepare();
      if (this.error) throw this.error;
      await this.prepare();
      await this.runChildren();
    } catch (error) {
      this.fail(TestFailure.of(error, "hookFailed"));
      this.cancelChildren(UNFINISHED);
    }
    try {
      await this.runHooks("after", this.makeContext());
    } catch (error) {
      this.fail(TestFailure.of(error, "hookFailed"));
    }
    if (this.failures > 0) {
      this.fail(new TestFailure("subtestsFailed", many(this.failures)));
    }
    this.end();
  }

  async runChildren() {
    this.waiting = [...this.children];
    const all = this.children.map((child) => child.done);
    this.startWaiting();
    await Promise.all(all);
  }

  makeContext() {
    return { name: this.name, signal: undefined };
  }

  interrupt(error, kind) {
    this.fail(TestFailure.of(error, kind));
  }
}

/** Adds one result to the counts of a run. */
function countResult(counts, { skip, todo, details }, failed) {
  if (details.type === "suite") return void counts.suites++;
  counts.tests++;
  if (skip !== false) counts.skipped++;
  else if (todo !== false) counts.todo++;
  else if (
    ["cancelledByParent", "testTimeoutFailure"].includes(details.failureType)
  ) counts.cancelled++;
  else if (failed) counts.failed++;
  else counts.passed++;
}

function readConcurrency(given, parent) {
  if (given === true) return Infinity;
  if (typeof given === "number") return Math.max(given, 1);
  return parent instanceof Suite && given === undefined ? parent.concurrency : 1;
}

Object.assign(exports, { Root, Suite, Test, countResult });
