// Errors with Node's codes.
const NUMBERS = {
  EPERM: -1,
  ENOENT: -2,
  EIO: -5,
  EBADF: -9,
  EACCES: -13,
  EBUSY: -16,
  EEXIST: -17,
  EXDEV: -18,
  ENOTDIR: -20,
  EISDIR: -21,
  EINVAL: -22,
  EMFILE: -24,
  EFBIG: -27,
  ENOSPC: -28,
  EROFS: -30,
  ENAMETOOLONG: -36,
  ENOTEMPTY: -39,
  ELOOP: -40,
};

/** A failed operation on files: what was tried, on what, and why not. */
exports.system = (failure, syscall, path, target) => {
  const code = failure.code;
  if (!(code in NUMBERS)) return failure;
  const reason = /^[A-Z]+: ([^,]*)/.exec(failure.message)?.[1] ?? failure.message;
  const names = (path === undefined ? "" : ` '${path}'`) + (target === undefined ? "" : ` -> '${target}'`);
  const error = new Error(`${code}: ${reason}, ${syscall}${names}`);
  Object.assign(error, { errno: NUMBERS[code], code, syscall });
  if (path !== undefined) error.path = path;
  if (target !== undefined) error.dest = target;
  return error;
};

const received = (value) => {
  if (value === null || value === undefined) return `${value}`;
  if (typeof value === "function") return `function ${value.name}`;
  if (typeof value === "object") {
    return value.constructor?.name ? `an instance of ${value.constructor.name}` : "an object";
  }
  const text = typeof value === "string"
    ? `'${value.length > 28 ? `${value.slice(0, 25)}...` : value}'`
    : String(value);
  return `type ${typeof value} (${text})`;
};

exports.coded = (Kind, code, message) => {
  const error = new Kind(message);
  error.code = code;
  return error;
};

exports.wrongType = (name, expected, value) =>
  exports.coded(
    TypeError,
    "ERR_INVALID_ARG_TYPE",
    `The "${name}" argument must be ${expected}. Received ${received(value)}`,
  );

exports.outOfRange = (name, range, value) =>
  exports.coded(
    RangeError,
    "ERR_OUT_OF_RANGE",
    `The value of "${name}" is out of range. It must be ${range}. Received ${value}`,
  );
