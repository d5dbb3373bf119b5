// cluster is not available, and says so when it is used.
module.exports = require("internal/absent").make("cluster", "threads", "fork setupPrimary");
Object.assign(module.exports, { isPrimary: true, isMaster: true, isWorker: false });
