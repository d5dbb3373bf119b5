/** AsyncLocalStorage, as far as just-bash uses it: enough where nothing runs at the same time. */

export class AsyncLocalStorage<T> {
  #store: T | undefined;

  getStore(): T | undefined {
    return this.#store;
  }

  run<R>(store: T, act: () => R): R {
    const before = this.#store;
    this.#store = store;
    const restore = () => {
      this.#store = before;
    };
    let result: R;
    try {
      result = act();
    } catch (error) {
      restore();
      throw error;
    }
    if (result instanceof Promise) return result.finally(restore) as R;
    restore();
    return result;
  }

  exit<R>(act: () => R): R {
    return act();
  }

  enterWith(store: T): void {
    this.#store = store;
  }
}
