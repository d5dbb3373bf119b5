// Standard input: piped bytes, or lines from the user.
const { Buffer } = require("buffer");
let rest = null;
let ended = false;

/** Piped bytes; null if the user must be asked for lines. */
function piped() {
  const data = host("stdin");
  if (data === null) return null;
  return Buffer.from(data.buffer);
}

function line() {
  const text = ended ? null : host("line", "");
  if (text === null) ended = true;
  return text === null ? null : Buffer.from(`${text}\n`);
}

exports.reset = () => {
  rest = null;
  ended = false;
};

exports.readAll = () => {
  const parts = [rest ?? Buffer.alloc(0)];
  rest = null;
  let data = piped();
  for (; data !== null && data.length > 0; data = piped()) parts.push(data);
  if (data !== null) return Buffer.concat(parts);
  for (let part = line(); part !== null; part = line()) parts.push(part);
  ended = false;
  return Buffer.concat(parts);
};

exports.take = (count) => {
  if (rest === null || rest.length === 0) rest = piped() ?? line() ?? Buffer.alloc(0);
  const data = rest.subarray(0, count);
  rest = rest.subarray(data.length);
  return data;
};

/** The next piece, as a promise; null at the end. */
exports.next = async () => {
  const data = rest !== null && rest.length > 0 ? rest : piped();
  rest = null;
  if (data !== null) return data.length > 0 ? data : null;
  const [text] = await core.ask("input", { prompt: "" });
  return text === null ? null : Buffer.from(`${text}\n`);
};
