// The root of a program's tests: runs them one after another, and reports what became of them.
const process = require("process");
const { Root } = require("internal/test_tree");
const { makeReporter } = require("internal/test_reporters");

let only;

/** The program's one harness, made by its first test. */
exports.harness = () => only ??= new Harness();

class Harness {
  constructor() {
    const { settings, forward } = readSettings();
    this.settings = settings;
    this.root = new Root(this, settings);
    /** The tests and suites whose functions run now, the innermost last. */
    this.stack = [this.root];
    this.counts = {
      tests: 0,
      suites: 0,
      passed: 0,
      failed: 0,
      cancelled: 0,
      skipped: 0,
      todo: 0,
    };
    this.began = host("now");
    if (forward) {
      this.emit = (type, data) => host("testEvent", JSON.stringify([type, data]));
    } else this.report(makeReporter(settings.reporter));
    this.listeners = {
      uncaughtException: (error) => this.blame(error, "uncaughtException"),
      unhandledRejection: (error) => this.blame(error, "unhandledRejection"),
      beforeExit: () => this.settle(),
      exit: () => this.finish(),
    };
    for (const [name, act] of Object.entries(this.listeners)) {
      process.on(name, act);
    }
  }

  report(reporter) {
    const print = (text) => text !== "" && host("print", 1, text);
    this.emit = (type, data) => print(reporter.add(type, data));
    this.close = () => print(reporter.end());
  }

  close() {}

  current() {
    return this.stack.at(-1);
  }

  add(Kind, name, options, fn) {
    return this.current().add(Kind, name, options, fn);
  }

  /** An error that nobody caught fails the test that runs. */
  blame(error, kind) {
    const running = this.root.running();
    if (running) return running.interrupt(error, kind);
    this.broken = true;
    this.emit("test:diagnostic", {
      nesting: 0,
      message:
        `Error: A resource generated asynchronous activity after the test ended. This activity created the error ` +
        `"${error}" which triggered an ${kind} event, caught by the test runner.`,
    });
  }

  /** Called when nothing is left to do: what still runs will never end. */
  settle() {
    this.root.cancelAll();
    this.root.close();
  }

  finish() {
    this.settle();
    this.root.flush();
    this.emit("test:plan", { nesting: 0, count: this.root.children.length });
    this.summarize();
    this.close();
    const { failed, cancelled } = this.counts;
    if (failed + cancelled > 0 || this.broken || this.root.error) {
      process.exitCode = process.exitCode || 1;
    }
    for (const [name, act] of Object.entries(this.listeners)) {
      process.off(name, act);
    }
    only = undefined;
  }

  summarize() {
    const { tests, suites, passed, failed, cancelled, skipped, todo } = this.counts;
    const duration_ms = Math.round((host("now") - this.began) * 1e6) / 1e6;
    const counts = {
      tests,
      suites,
      pass: passed,
      fail: failed,
      cancelled,
      skipped,
      todo,
      duration_ms,
    };
    for (const [name, count] of Object.entries(counts)) {
      this.emit("test:diagnostic", {
        nesting: 0,
        message: `${name} ${count}`,
        summary: true,
      });
    }
  }
}

/** What the command line says of tests. */
function readSettings() {
  const given = JSON.parse(host("testSettings"));
  const pattern = (text) => {
    const found = /^\/(.*)\/([a-z]*)$/s.exec(text);
    return found ? new RegExp(found[1], found[2]) : new RegExp(text);
  };
  const settings = {
    reporter: given.reporter ?? "tap",
    only: given.only === true,
    patterns: (given.patterns ?? []).map(pattern),
    skipped: (given.skipped ?? []).map(pattern),
    timeout: given.timeout ?? Infinity,
  };
  return { settings, forward: given.forward === true };
}
