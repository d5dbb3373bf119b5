// Timers: kept here, and fired one by one by the host when they are due.
const LONGEST = 2 ** 31 - 1;
const heap = [];
const live = new Map();
let immediates = [];
let last = 0;
let order = 0;

class Timeout {
  constructor(callback, ms, args, repeat) {
    this.id = ++last;
    this.callback = callback;
    this.args = args;
    this.repeat = repeat;
    this.ms = ms >= 1 && ms <= LONGEST ? ms : 1;
    this.held = true;
    this.schedule(host("now"));
  }
  schedule(now) {
    this.due = now + this.ms;
    this.order = ++order;
    live.set(this.id, this);
    push(this);
  }
  ref() {
    this.held = true;
    return this;
  }
  unref() {
    this.held = false;
    return this;
  }
  hasRef() {
    return this.held;
  }
  refresh() {
    clear(this);
    this.schedule(host("now"));
    return this;
  }
  close() {
    clear(this);
    return this;
  }
  [Symbol.toPrimitive]() {
    return this.id;
  }
  [Symbol.dispose]() {
    clear(this);
  }
}

class Immediate {
  constructor(callback, args) {
    this.callback = callback;
    this.args = args;
    this.held = true;
  }
  ref() {
    this.held = true;
    return this;
  }
  unref() {
    this.held = false;
    return this;
  }
  hasRef() {
    return this.held;
  }
}

const before = (a, b) => a.due < b.due || a.due === b.due && a.order < b.order;

function push(timer) {
  let at = heap.push({ timer, due: timer.due, order: timer.order }) - 1;
  for (let up = (at - 1) >> 1; at > 0 && before(heap[at], heap[up]); at = up, up = (at - 1) >> 1) swap(at, up);
}

function pop() {
  const top = heap[0];
  const end = heap.pop();
  if (heap.length === 0) return top;
  heap[0] = end;
  for (let at = 0;;) {
    const [left, right] = [2 * at + 1, 2 * at + 2];
    let least = at;
    if (left < heap.length && before(heap[left], heap[least])) least = left;
    if (right < heap.length && before(heap[right], heap[least])) least = right;
    if (least === at) return top;
    swap(at, least);
    at = least;
  }
}

function swap(a, b) {
  [heap[a], heap[b]] = [heap[b], heap[a]];
}

/** Whether an entry is still valid for its timer. */
const valid = ({ timer, order: given }) => live.get(timer.id) === timer && timer.order === given;

core.timer = (now) => {
  if (immediates.length > 0) {
    const next = immediates.shift();
    next.callback?.(...next.args);
    return 0;
  }
  while (heap.length > 0 && !valid(heap[0])) pop();
  if (heap.length === 0) return -1;
  const { timer } = heap[0];
  if (timer.due > now) return [...live.values()].some((each) => each.held) ? Math.max(timer.due - now, 0.1) : -1;
  pop();
  if (timer.repeat) timer.schedule(now);
  else live.delete(timer.id);
  timer.callback(...timer.args);
  return 0;
};

core.dropTimers = () => {
  heap.length = 0;
  live.clear();
  immediates = [];
};

function check(callback) {
  if (typeof callback === "function") return;
  const error = new TypeError(`The "callback" argument must be of type function. Received ${typeof callback}`);
  error.code = "ERR_INVALID_ARG_TYPE";
  throw error;
}

function clear(timer) {
  if (timer instanceof Immediate) timer.callback = null;
  else live.delete(timer instanceof Timeout ? timer.id : Number(timer));
}

const setTimeout = (callback, ms, ...args) => (check(callback), new Timeout(callback, Number(ms), args, false));
const setInterval = (callback, ms, ...args) => (check(callback), new Timeout(callback, Number(ms), args, true));
const setImmediate = (callback, ...args) => {
  check(callback);
  const made = new Immediate(callback, args);
  immediates.push(made);
  return made;
};
const forget = (timer) => void (timer !== undefined && timer !== null && clear(timer));

Object.assign(exports, {
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout: forget,
  clearInterval: forget,
  clearImmediate: forget,
});
core.lazy(exports, "promises", () => require("timers/promises"));
