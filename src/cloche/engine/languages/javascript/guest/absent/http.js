// http is not available, and says so when it is used.
module.exports = require("internal/absent").make(
  "http",
  "sockets",
  "request get createServer Agent Server IncomingMessage ServerResponse ClientRequest OutgoingMessage",
);
Object.assign(module.exports, {
  METHODS: ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"],
  STATUS_CODES: {},
});
module.exports.Agent = class Agent {};
module.exports.globalAgent = new module.exports.Agent();
