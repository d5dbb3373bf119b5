// async_hooks: as much as is possible without help from the engine.
class AsyncLocalStorage {
  #store;
  run(store, act, ...args) {
    const before = this.#store;
    this.#store = store;
    try {
      return act(...args);
    } finally {
      this.#store = before;
    }
  }
  exit(act, ...args) {
    return this.run(undefined, act, ...args);
  }
  enterWith(store) {
    this.#store = store;
  }
  getStore() {
    return this.#store;
  }
  disable() {
    this.#store = undefined;
  }
}
class AsyncResource {
  runInAsyncScope(act, self, ...args) {
    return act.apply(self, args);
  }
  emitDestroy() {
    return this;
  }
  bind(act) {
    return act;
  }
}
const createHook = () => ({ enable() {}, disable() {} });
Object.assign(exports, {
  AsyncLocalStorage,
  AsyncResource,
  createHook,
  executionAsyncId: () => 1,
  triggerAsyncId: () => 0,
});
