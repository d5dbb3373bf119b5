// Reports the tests of several programs, which ran before, as one run.
const { countResult } = require("internal/test_tree");
const { makeReporter } = require("internal/test_reporters");

const { reporter: name = "tap" } = JSON.parse(host("testSettings"));
const reporter = makeReporter(name);
const counts = {
  tests: 0,
  suites: 0,
  passed: 0,
  failed: 0,
  cancelled: 0,
  skipped: 0,
  todo: 0,
};
const began = host("now");
let number = 0;
let broken = false;

const print = (text) => text !== "" && host("print", 1, text);
const emit = (type, data) => print(reporter.add(type, data));

/** Reports the next file: the events of its tests, or whether it ended well if it had none. */
exports.add = () => {
  const { file, exitCode, events, duration } = JSON.parse(host("testReport"));
  broken ||= exitCode !== 0;
  let count = 0;
  let failed = false;
  for (const [type, data] of events) {
    const isTop = data.nesting === 0;
    if (type === "test:plan" && isTop || data.summary) continue;
    if (type === "test:pass" || type === "test:fail") {
      failed ||= type === "test:fail";
      countResult(counts, data, type === "test:fail");
      if (isTop) {
        count++;
        data.testNumber = ++number;
      }
    }
    emit(type, data);
  }
  if (count === 0 || exitCode !== 0 && !failed) {
    addFile(file, exitCode, duration);
  }
};

/** A program without tests, or that failed outside of them, counts as a test itself. */
function addFile(file, exitCode, duration) {
  const failed = exitCode !== 0;
  const details = { duration_ms: duration, type: "test" };
  if (failed) {
    const fields = [
      "failureType: 'testCodeFailure'",
      `exitCode: ${exitCode}`,
      "signal: ~",
      "error: 'test failed'",
    ];
    Object.assign(details, {
      failureType: "testCodeFailure",
      yaml: `${fields.join("\n")}\ncode: 'ERR_TEST_FAILURE'\n`,
      shown: "'test failed'",
    });
  }
  const data = {
    name: file,
    nesting: 0,
    testNumber: ++number,
    skip: false,
    todo: false,
    file,
    line: 1,
    column: 1,
  };
  data.details = details;
  countResult(counts, data, failed);
  emit("test:start", data);
  emit(failed ? "test:fail" : "test:pass", data);
}

/** Prints the summary, and says how the run ends. */
exports.end = () => {
  const { tests, suites, passed, failed, cancelled, skipped, todo } = counts;
  emit("test:plan", { nesting: 0, count: number });
  const duration_ms = Math.round((host("now") - began) * 1e6) / 1e6;
  const all = {
    tests,
    suites,
    pass: passed,
    fail: failed,
    cancelled,
    skipped,
    todo,
    duration_ms,
  };
  for (const [key, value] of Object.entries(all)) {
    emit("test:diagnostic", { nesting: 0, message: `${key} ${value}` });
  }
  print(reporter.end());
  if (broken) globalThis.process.exitCode = 1;
};
