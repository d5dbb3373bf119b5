// net is not available, and says so when it is used.
module.exports = require("internal/absent").make(
  "net",
  "sockets",
  "connect createConnection createServer Socket Server isIP isIPv4 isIPv6",
);
const V4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
const isIPv4 = (text) => V4.test(text);
const isIPv6 = (text) => host("url", `http://[${text}]/`) !== null;
Object.assign(module.exports, { isIPv4, isIPv6, isIP: (text) => isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0 });
