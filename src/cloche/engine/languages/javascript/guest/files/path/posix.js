// path/posix is path.
module.exports = require("path");
