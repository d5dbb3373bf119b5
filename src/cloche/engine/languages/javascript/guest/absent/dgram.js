// dgram is not available, and says so when it is used.
module.exports = require("internal/absent").make("dgram", "sockets", "createSocket Socket");
