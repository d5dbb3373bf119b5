// http2 is not available, and says so when it is used.
module.exports = require("internal/absent").make("http2", "sockets", "connect createServer createSecureServer");
module.exports.constants = {};
