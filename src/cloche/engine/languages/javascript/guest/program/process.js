// process: the program's arguments, environment, streams and exit.
const EventEmitter = require("events");

const info = JSON.parse(host("info"));
const process = new EventEmitter();
const began = host("now");
const hide = (name, value) => core.hidden(process, name, value);
hide("_events", Object.create(null));

const nanoseconds = () => BigInt(Math.round(host("now") * 1e6));
const hrtime = (before) => {
  const now = nanoseconds();
  const [seconds, rest] = [Number(now / 1000000000n), Number(now % 1000000000n)];
  if (!before) return [seconds, rest];
  const nano = rest - before[1];
  return nano < 0 ? [seconds - before[0] - 1, nano + 1e9] : [seconds - before[0], nano];
};
hrtime.bigint = nanoseconds;

/** Variables become strings, whatever they are set to. */
const env = new Proxy(Object.assign(Object.create(null), info.env), {
  set: (target, name, value) => (typeof name === "symbol" ? false : (target[name] = `${value}`, true)),
  defineProperty: (target, name, { value }) =>
    Reflect.defineProperty(target, name, {
      value: `${value}`,
      writable: true,
      enumerable: true,
      configurable: true,
    }),
});

function number(code) {
  const given = Number(code);
  return Number.isInteger(given) ? given : 1;
}

const { signals } = require("os").constants;
const HARMLESS = new Set([signals.SIGCHLD, signals.SIGCONT, signals.SIGURG, signals.SIGWINCH]);

/** Calls the handlers of a signal; false if there are none. */
function tell(number) {
  const name = Object.keys(signals).find((each) => signals[each] === number);
  return name !== undefined && process.emit(name, name, number);
}

function killOther(pid, number) {
  const { status } = require("child_process").spawnSync("kill", [`-${number}`, `${pid}`]);
  if (status !== 0) throw Object.assign(new Error("kill ESRCH"), { code: "ESRCH", syscall: "kill", errno: -3 });
}

/** Tells the engine which signals have handlers, when that has changed. */
function watchSignals(name) {
  if (typeof name === "string" && signals[name] === undefined) return;
  const words = [0, 0];
  for (const each of Object.keys(signals)) {
    if (process.listenerCount(each) > 0) words[signals[each] >> 5] |= 1 << (signals[each] & 31);
  }
  host("signals", words[0], words[1]);
}
for (const change of ["on", "addListener", "prependListener", "removeListener", "off", "removeAllListeners"]) {
  hide(change, (...args) => {
    EventEmitter.prototype[change].apply(process, args);
    watchSignals(args[0]);
    return process;
  });
}
core.signal = tell;

Object.assign(process, {
  title: "node",
  version: info.node,
  versions: { node: info.node.slice(1), quickjs: info.engine },
  arch: "wasm32",
  platform: "linux",
  release: { name: "node" },
  argv: info.argv,
  argv0: "node",
  execArgv: [],
  execPath: "/usr/bin/node",
  env,
  pid: info.pid ?? 2,
  ppid: 1,
  exitCode: undefined,
  features: {},
  config: { variables: {} },
  cwd: () => host("cwd"),
  chdir(path) {
    const target = require("path").resolve(`${path}`);
    try {
      host("chdir", target);
    } catch (error) {
      throw require("internal/errors").system(error, "chdir", host("cwd"), target);
    }
  },
  umask: () => 0o22,
  getuid: () => 1000,
  geteuid: () => 1000,
  getgid: () => 1000,
  getegid: () => 1000,
  uptime: () => (host("now") - began) / 1000,
  hrtime,
  nextTick(callback, ...args) {
    if (typeof callback !== "function") throw new TypeError('The "callback" argument must be of type function');
    if (core.ticks.length === 0) host("tick");
    core.ticks.push(() => callback(...args));
  },
  memoryUsage: Object.assign(() => {
    const [rss, heapUsed] = host("memory");
    return { rss, heapTotal: rss, heapUsed, external: 0, arrayBuffers: 0 };
  }, { rss: () => host("memory")[0] }),
  cpuUsage: () => ({ user: Math.round((host("now") - began) * 1000), system: 0 }),
  resourceUsage: () => ({ maxRSS: host("memory")[0] >> 10 }),
  exit(code = process.exitCode) {
    if (code !== undefined) process.exitCode = code;
    leave("exit", process.exitCode ?? 0);
    host("exit", number(process.exitCode ?? 0));
  },
  reallyExit: (code) => host("exit", number(code ?? 0)),
  abort: () => host("exit", 134),
  kill(pid, signal = "SIGTERM") {
    const number = typeof signal === "number" ? signal : signals[signal];
    if (number === undefined) {
      throw Object.assign(new TypeError(`Unknown signal: ${signal}`), { code: "ERR_UNKNOWN_SIGNAL" });
    }
    if (pid !== process.pid) killOther(pid, number);
    else if (number !== 0 && !HARMLESS.has(number) && !tell(number)) host("exit", 128 + number);
    return true;
  },
  emitWarning(warning, type = "Warning") {
    const name = typeof type === "string" ? type : type?.type ?? "Warning";
    const text = warning instanceof Error ? `${warning.name}: ${warning.message}` : `${name}: ${warning}`;
    host("print", 2, `(node) ${text}\n`);
  },
  binding() {
    throw new Error("process.binding is not there: nothing of this program is native");
  },
});

let left = false;
const leave = (name, code) => {
  if (left) return process.exitCode;
  left = true;
  try {
    process.emit(name, number(process.exitCode ?? code));
  } finally {
    left = false;
  }
  return process.exitCode === undefined ? undefined : number(process.exitCode);
};
core.leave = leave;
core.forgive = () => {
  process.exitCode = undefined;
  stdin = null;
};
core.setArguments = (argv) => void (process.argv = argv);
core.setEnv = (added) => Object.assign(env, added);
core.rejected = (reason) => process.emit("unhandledRejection", reason, Promise.resolve());
core.uncaught = (reason) => process.emit("uncaughtException", reason, "uncaughtException");

// Every cell has its own input.
let stdin = null;
Object.defineProperty(process, "stdin", {
  configurable: true,
  enumerable: true,
  get: () => stdin ??= require("internal/stdio").openInput(),
});
core.lazy(process, "stdout", () => require("internal/stdio").stdout, true);
core.lazy(process, "stderr", () => require("internal/stdio").stderr, true);
core.hidden(process, Symbol.toStringTag, "process");

module.exports = process;
