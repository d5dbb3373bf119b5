// Unpacks what deflate has packed.
const { coded } = require("internal/errors");

exports.inflate = (data) => {
  // Its tables take longer to make than most programs that only load zlib.
  const { inflateSync } = require("internal/fflate");
  try {
    return inflateSync(data);
  } catch {
    throw coded(Error, "Z_DATA_ERROR", "the packed data is damaged");
  }
};
