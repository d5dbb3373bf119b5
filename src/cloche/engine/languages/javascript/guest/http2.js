// http2 cannot be had; it says so when it is used.
module.exports = require("internal/absent").make("http2", "sockets", "connect createServer createSecureServer");
module.exports.constants = {};
