// Describes values and errors for the host.
const { inspect } = require("internal/inspect");

exports.show = (value) => value === undefined ? null : inspect(value);

const textOf = (value) => {
  try {
    return typeof value === "string" ? value : String(value);
  } catch {
    return "";
  }
};

/** A thrown value as JSON: its kind, message and origin. */
exports.describe = (reason) => {
  if (!(reason instanceof Error)) {
    const shown = typeof reason === "string" ? reason : inspect(reason);
    return JSON.stringify({ type: "Uncaught", message: shown, stack: `Uncaught ${inspect(reason)}` });
  }
  const type = textOf(reason.name) || "Error";
  const message = textOf(reason.message);
  const stack = typeof reason.stack === "string" ? reason.stack : `${type}: ${message}`;
  const extra = { type, message, stack, code: typeof reason.code === "string" ? reason.code : undefined };
  try {
    extra.shown = inspect(reason);
  } catch {
    // Its contents cannot be shown.
  }
  return JSON.stringify(extra);
};
