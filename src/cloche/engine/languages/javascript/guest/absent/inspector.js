// inspector is not available, and says so when it is used.
module.exports = require("internal/absent").make("inspector", "engine", "open Session");
