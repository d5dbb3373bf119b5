// dgram cannot be had; it says so when it is used.
module.exports = require("internal/absent").make("dgram", "sockets", "createSocket Socket");
