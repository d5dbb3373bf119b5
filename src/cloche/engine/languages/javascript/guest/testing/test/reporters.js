// node:test/reporters: each is a function from events to text.
const { makeReporter } = require("internal/test_reporters");

for (const name of ["tap", "spec", "dot"]) {
  exports[name] = async function* (source) {
    const reporter = makeReporter(name);
    for await (const { type, data } of source) yield reporter.add(type, data);
    yield reporter.end();
  };
}
