// worker_threads cannot be had; it says so when it is used.
module.exports = require("internal/absent").make("worker_threads", "threads", "Worker MessageChannel BroadcastChannel");
Object.assign(module.exports, { isMainThread: true, parentPort: null, workerData: null, threadId: 0 });
