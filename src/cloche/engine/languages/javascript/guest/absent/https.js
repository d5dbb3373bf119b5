// https is not available, and says so when it is used.
module.exports = require("internal/absent").make("https", "sockets", "request get createServer Agent Server");
module.exports.Agent = class Agent {};
module.exports.globalAgent = new module.exports.Agent();
