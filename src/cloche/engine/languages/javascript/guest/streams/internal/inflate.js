// Decompresses deflated data.
const { coded } = require("internal/errors");

exports.inflate = (data) => {
  // Its tables take longer to build than most programs that only load zlib take to run.
  const { inflateSync } = require("internal/fflate");
  try {
    return inflateSync(data);
  } catch {
    throw coded(Error, "Z_DATA_ERROR", "the packed data is damaged");
  }
};
