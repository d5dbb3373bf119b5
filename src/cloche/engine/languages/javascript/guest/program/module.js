// The module named module.
module.exports = require("internal/modules").Module;
