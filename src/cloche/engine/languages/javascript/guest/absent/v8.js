// v8 is not available, and says so when it is used.
module.exports = require("internal/absent").make("v8", "engine", "serialize deserialize getHeapSnapshot");
module.exports.getHeapStatistics = () => ({ total_heap_size: host("memory")[0], used_heap_size: host("memory")[1] });
