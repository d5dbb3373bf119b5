// Streams as promises.
const stream = require("stream");

exports.pipeline = (...parts) => {
  const options = parts.at(-1);
  if (
    options && typeof options === "object" && !options.pipe && !options.write && !options[Symbol.asyncIterator] &&
    !options[Symbol.iterator]
  ) parts.pop();
  return new Promise((resolve, reject) => stream.join(parts, (error) => error ? reject(error) : resolve()));
};
exports.finished = (each, options) =>
  new Promise((resolve, reject) => stream.finished(each, options ?? {}, (error) => error ? reject(error) : resolve()));
