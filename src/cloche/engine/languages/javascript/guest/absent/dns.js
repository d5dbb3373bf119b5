// dns is not available, and says so when it is used.
module.exports = require("internal/absent").make("dns", "sockets", "lookup resolve resolve4 resolve6 reverse");
module.exports.promises = require("internal/absent").make(
  "dns.promises",
  "sockets",
  "lookup resolve resolve4 resolve6 reverse",
);
