// os: a small machine that is the same everywhere.
const SIGNALS =
  "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS";
const signals = Object.fromEntries(SIGNALS.split(" ").map((name, i) => [`SIG${name}`, i + 1]));

const info = () => globalThis.process.env;

Object.assign(exports, {
  EOL: "\n",
  devNull: "/dev/null",
  arch: () => "wasm32",
  platform: () => "linux",
  type: () => "Linux",
  release: () => "0.0.0",
  version: () => "sandbox",
  machine: () => "wasm32",
  hostname: () => "sandbox",
  endianness: () => "LE",
  homedir: () => info().HOME ?? "/home/user",
  tmpdir: () => info().TMPDIR ?? "/tmp",
  uptime: () => globalThis.process.uptime(),
  loadavg: () => [0, 0, 0],
  totalmem: () => host("memory")[2],
  freemem: () => host("memory")[2] - host("memory")[1],
  availableParallelism: () => 1,
  cpus: () => [{ model: "wasm", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
  networkInterfaces: () => ({}),
  userInfo: () => ({ uid: 1000, gid: 1000, username: "user", homedir: exports.homedir(), shell: "/bin/bash" }),
  getPriority: () => 0,
  setPriority: () => {},
  constants: { signals, errno: {}, priority: {} },
});
