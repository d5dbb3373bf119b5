// Timers as promises.
const timers = require("timers");

const waited = (start, stop, value, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = start(() => resolve(value));
    signal?.addEventListener("abort", () => {
      stop(timer);
      reject(signal.reason);
    });
  });

exports.setTimeout = (ms, value, { signal } = {}) =>
  waited((act) => timers.setTimeout(act, ms), timers.clearTimeout, value, signal);
exports.setImmediate = (value, { signal } = {}) => waited(timers.setImmediate, timers.clearImmediate, value, signal);
exports.setInterval = async function* (ms, value, { signal } = {}) {
  for (;;) {
    await exports.setTimeout(ms, undefined, { signal });
    yield value;
  }
};
exports.scheduler = {
  wait: (ms, options) => exports.setTimeout(ms, undefined, options),
  yield: () => exports.setImmediate(),
};
