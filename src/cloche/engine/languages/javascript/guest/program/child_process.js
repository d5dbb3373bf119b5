// child_process: commands are run by the sandbox's bash.
const EventEmitter = require("events");
const { Buffer } = require("buffer");
const { Readable, Writable } = require("stream");

const quote = (text) => /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
const own = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const shown = (bytes, encoding) => encoding && encoding !== "buffer" ? own(bytes).toString(encoding) : own(bytes);
const input = (data) =>
  data === undefined || data === null ? null : typeof data === "string" ? Buffer.from(data) : data;

function request(script, options = {}) {
  const cwd = options.cwd === undefined ? host("cwd") : require("path").resolve(`${options.cwd}`);
  return { script, cwd, env: { ...(options.env ?? globalThis.process.env) } };
}

const line = (file, args, options) =>
  options?.shell ? [file, ...args].join(" ") : [file, ...args].map((each) => quote(`${each}`)).join(" ");

/** Inherited output is shown as if the program had printed it. */
function passOn(options, stdout, stderr) {
  const stdio = Array.isArray(options.stdio) ? options.stdio : [options.stdio, options.stdio, options.stdio];
  if (stdio[1] === "inherit") host("print", 1, stdout);
  if (stdio[2] === "inherit") host("print", 2, stderr);
}

function runNow(script, options) {
  const [status, stdout, stderr] = host("execNow", JSON.stringify(request(script, options)), input(options.input));
  passOn(options, stdout, stderr);
  return { status, stdout, stderr };
}

/** While a program blocks for a command, the command cannot run another program in the same engine. */
const WAITS = /waits for a command that it has started itself/;

function failure(command, status, stdout, stderr) {
  const said = stderr.toString();
  const text = WAITS.test(said) ? `${said}hint: start node with exec or spawn, which do not stop everything` : said;
  const error = new Error(`Command failed: ${command}${text ? `\n${text}` : ""}`.trimEnd());
  return Object.assign(error, { code: status, status, killed: false, signal: null, cmd: command, stdout, stderr });
}

function execSync(command, options = {}) {
  const { status, stdout, stderr } = runNow(command, options);
  const [out, err] = [shown(stdout, options.encoding), shown(stderr, options.encoding)];
  if (options.stdio === undefined && stderr.length > 0) host("print", 2, stderr);
  if (status !== 0) throw failure(command, status, out, err);
  return options.stdio === "inherit" || options.stdio === "ignore" ? null : out;
}

function spawnSync(file, args, options) {
  const [list, given] = Array.isArray(args) ? [args, options ?? {}] : [[], args ?? {}];
  const { status, stdout, stderr } = runNow(line(file, list, given), given);
  const [out, err] = [shown(stdout, given.encoding), shown(stderr, given.encoding)];
  const result = { pid: 0, output: [null, out, err], stdout: out, stderr: err, status, signal: null };
  if (status === 127) {
    result.error = Object.assign(new Error(`spawnSync ${file} ENOENT`), {
      code: "ENOENT",
      syscall: `spawnSync ${file}`,
      path: file,
      errno: -2,
    });
  }
  return result;
}

function execFileSync(file, args, options) {
  const [list, given] = Array.isArray(args) ? [args, options ?? {}] : [[], args ?? {}];
  return execSync(line(file, list, given), given);
}

class ChildProcess extends EventEmitter {
  constructor(script, options) {
    super();
    const parts = [];
    Object.assign(this, {
      pid: 100,
      exitCode: null,
      signalCode: null,
      killed: false,
      connected: false,
      spawnargs: [script],
    });
    this.stdout = new Readable({ read() {} });
    this.stderr = new Readable({ read() {} });
    let started = false;
    const start = () => {
      if (started) return;
      started = true;
      this.begin(script, options, parts.length > 0 ? Buffer.concat(parts) : null);
    };
    this.stdin = new Writable({
      write(chunk, _encoding, callback) {
        parts.push(Buffer.from(chunk));
        callback();
      },
      final(callback) {
        start();
        callback();
      },
    });
    // If nothing has been written by then, its input is empty.
    require("timers").setImmediate(() => parts.length === 0 && start());
    globalThis.process.nextTick(() => this.emit("spawn"));
  }

  begin(script, options, stdin) {
    this.work = core.start("exec", request(script, options), stdin, (error, data, bytes) => {
      if (error) return this.emit("error", error);
      const [stdout, stderr] = [bytes.subarray(0, data.stdout), bytes.subarray(data.stdout)];
      passOn(options, stdout, stderr);
      for (const [stream, part] of [[this.stdout, stdout], [this.stderr, stderr]]) {
        if (part.length > 0) stream.push(own(part.slice()));
        stream.push(null);
      }
      this.exitCode = data.exitCode;
      this.result = [data.exitCode, stdout.slice(), stderr.slice()];
      this.emit("exit", data.exitCode, null);
      require("timers").setImmediate(() => this.emit("close", data.exitCode, null));
    });
  }

  kill(signal = "SIGTERM") {
    if (this.exitCode !== null || this.killed) return false;
    this.killed = true;
    this.signalCode = signal;
    if (this.work) host("stop", this.work);
    for (const stream of [this.stdout, this.stderr]) stream.push(null);
    globalThis.process.nextTick(() => {
      this.emit("exit", null, signal);
      this.emit("close", null, signal);
    });
    return true;
  }
  ref() {}
  unref() {}
  disconnect() {}
}

function spawn(file, args, options) {
  const [list, given] = Array.isArray(args) ? [args, options ?? {}] : [[], args ?? {}];
  return new ChildProcess(line(file, list, given), given);
}

function exec(command, options, callback) {
  const [given, done] = typeof options === "function" ? [{}, options] : [options ?? {}, callback];
  const child = new ChildProcess(command, given);
  child.on("error", (error) => done?.(error, "", ""));
  child.on("close", (status) => {
    const [out, err] = (child.result?.slice(1) ?? [Buffer.alloc(0), Buffer.alloc(0)]).map((bytes) =>
      shown(bytes, given.encoding === undefined ? "utf8" : given.encoding)
    );
    done?.(status === 0 ? null : failure(command, status, out, err), out, err);
  });
  return child;
}

function execFile(file, args, options, callback) {
  const list = Array.isArray(args) ? args : [];
  const rest = [args, options, callback].filter((each) => each !== list && each !== undefined);
  const given = rest.find((each) => typeof each === "object" && each !== null) ?? {};
  return exec(line(file, list, given), given, rest.find((each) => typeof each === "function"));
}

const PROMISE = Symbol.for("nodejs.util.promisify.custom");
for (const act of [exec, execFile]) {
  core.hidden(
    act,
    PROMISE,
    (...args) =>
      new Promise((resolve, reject) =>
        act(...args, (error, stdout, stderr) => error ? reject(error) : resolve({ stdout, stderr }))
      ),
  );
}

const fork = () => {
  throw require("internal/errors").coded(
    Error,
    "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
    'fork() is not there; use exec("node ...")',
  );
};
Object.assign(exports, { exec, execFile, spawn, execSync, spawnSync, execFileSync, fork, ChildProcess });
