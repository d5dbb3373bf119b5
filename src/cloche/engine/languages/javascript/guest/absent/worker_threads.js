// worker_threads is not available, and says so when it is used.
module.exports = require("internal/absent").make("worker_threads", "threads", "Worker BroadcastChannel");
const { MessageChannel, MessagePort } = globalThis;
Object.assign(module.exports, {
  MessageChannel,
  MessagePort,
  isMainThread: true,
  parentPort: null,
  workerData: null,
  threadId: 0,
});
