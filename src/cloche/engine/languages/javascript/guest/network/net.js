// net: connections inside the sandbox; outside there is only fetch().
const EventEmitter = require("events");
const { Buffer } = require("buffer");
const { Duplex } = require("stream");
const { coded } = require("internal/errors");

const V4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
const isIPv4 = (text) => V4.test(text);
const isIPv6 = (text) => host("url", `http://[${text}]/`) !== null;
const LOCAL = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|::1?)$/i;
const HIGH = 256 << 10;
const tick = (act) => globalThis.process.nextTick(act);

/** [port, host] or one object, and a listener at the end. */
function readPlace(args) {
  const listener = args.find((each) => typeof each === "function");
  const [first, second] = args;
  const given = typeof first === "object" && first !== null ? first : { port: first, host: second };
  if (
    given.path !== undefined ||
    typeof given.port === "string" && !/^\d+$/.test(given.port)
  ) {
    throw coded(
      Error,
      "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
      "sockets in files are not available in the sandbox",
    );
  }
  const port = Number(given.port ?? 0);
  if (!(port >= 0 && port < 65536)) {
    const range = `options.port should be >= 0 and < 65536. Received type ${typeof given
      .port} (${given.port}).`;
    throw coded(RangeError, "ERR_SOCKET_BAD_PORT", range);
  }
  return {
    port,
    host: typeof given.host === "string" ? given.host : undefined,
    listener,
    signal: given.signal,
  };
}

class Socket extends Duplex {
  constructor(options = {}) {
    super({ allowHalfOpen: options.allowHalfOpen === true });
    Object.assign(this, {
      connecting: false,
      bytesRead: 0,
      bytesWritten: 0,
      remoteFamily: "IPv4",
    });
    core.hidden(this, "_socket", 0);
    core.hidden(this, "_timer", null);
    core.hidden(this, "_wants", false);
    core.hidden(this, "_busy", false);
  }

  connect(...args) {
    const { port, host: name = "localhost", listener } = readPlace(
      Array.isArray(args[0]) ? args[0] : args,
    );
    if (listener) this.once("connect", listener);
    this.connecting = true;
    if (!LOCAL.test(name)) {
      const why =
        `connect EHOSTUNREACH ${name}:${port}: sockets reach only the sandbox itself; use fetch() for requests`;
      tick(() => this.destroy(coded(Error, "EHOSTUNREACH", why)));
      return this;
    }
    core.start("connect", { port }, null, (error, data) => {
      this.connecting = false;
      if (error) {
        Object.assign(error, {
          errno: -111,
          syscall: "connect",
          address: "127.0.0.1",
          port,
        });
        return this.destroy(error);
      }
      this._attach(data.socket, port, data.own);
      this.emit("connect");
      this.emit("ready");
    });
    return this;
  }

  _attach(socket, peer, own) {
    this._socket = socket;
    Object.assign(this, {
      remoteAddress: "127.0.0.1",
      remotePort: peer,
      localAddress: "127.0.0.1",
      localPort: own,
    });
    if (this.destroyed) return host("socketClose", socket);
    if (this._wants) this._read();
    this._pump();
  }

  _read() {
    this._wants = true;
    if (!this._socket || this.destroyed) return;
    this._wants = false;
    core.start(
      "receive",
      { socket: this._socket },
      null,
      (_error, _data, bytes) => {
        if (this.destroyed) return;
        this._touch();
        this.bytesRead += bytes?.length ?? 0;
        this.push(
          bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : null,
        );
      },
    );
  }

  _pump() {
    if (this._socket) super._pump();
  }

  _write(chunk, _encoding, callback) {
    this._touch();
    const waiting = host("socketWrite", this._socket, chunk);
    if (waiting < 0) {
      return callback(
        Object.assign(coded(Error, "EPIPE", "write EPIPE"), {
          errno: -32,
          syscall: "write",
        }),
      );
    }
    this.bytesWritten += chunk.length;
    if (waiting < HIGH) callback();
    else core.start("room", { socket: this._socket }, null, () => callback());
  }

  _final(callback) {
    host("socketEnd", this._socket);
    callback();
  }

  _destroy(error, callback) {
    clearTimeout(this._timer);
    if (this._socket) host("socketClose", this._socket);
    callback(error);
  }

  _touch() {
    if (this._timer === null) return;
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this.emit("timeout"), this.timeout);
    this._timer.unref();
  }

  setTimeout(ms, listener) {
    clearTimeout(this._timer);
    this._timer = null;
    this.timeout = ms;
    if (listener) this.once("timeout", listener);
    if (ms > 0) {
      this._timer = 0;
      this._touch();
    }
    return this;
  }

  destroySoon() {
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy()).end();
  }

  resetAndDestroy() {
    return this.destroy();
  }

  address() {
    return this._socket ? { address: this.localAddress, family: "IPv4", port: this.localPort } : {};
  }

  get pending() {
    return !this._socket;
  }

  get readyState() {
    return this.connecting ? "opening" : this._socket && !this.destroyed ? "open" : "closed";
  }

  setNoDelay() {
    return this;
  }
  setKeepAlive() {
    return this;
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
}

class Server extends EventEmitter {
  constructor(options, listener) {
    super();
    const [given, act] = typeof options === "function" ? [{}, options] : [options ?? {}, listener];
    this.listening = false;
    this.maxConnections = undefined;
    core.hidden(this, "_options", given);
    core.hidden(this, "_job", 0);
    core.hidden(this, "_place", null);
    core.hidden(this, "_sockets", new Set());
    core.hidden(this, "_idle", false);
    if (act) this.on("connection", act);
  }

  listen(...args) {
    const { port, host: name, listener, signal } = readPlace(args);
    if (listener) this.once("listening", listener);
    if (this._job) {
      throw coded(
        Error,
        "ERR_SERVER_ALREADY_LISTEN",
        "Listen method has been called more than once without closing.",
      );
    }
    signal?.addEventListener("abort", () => this.close());
    const address = name === undefined ? "::" : name === "localhost" ? "127.0.0.1" : name;
    this._job = core.start("listen", { port }, null, (error, data) => {
      if (error) return this._fail(error, address, port);
      if (data === undefined) return;
      if (data.socket) return this._accept(data);
      this.listening = true;
      this._place = {
        address,
        family: isIPv6(address) ? "IPv6" : "IPv4",
        port: data.port,
      };
      this.emit("listening");
    });
    if (this._idle) host("idle", this._job, true);
    return this;
  }

  _fail(error, address, port) {
    this._job = 0;
    if (error.code === "EADDRINUSE") {
      error.message = `listen EADDRINUSE: address already in use ${
        address.includes(":") ? ":::" : `${address}:`
      }${port}`;
    }
    this.emit(
      "error",
      Object.assign(error, { errno: -98, syscall: "listen", address, port }),
    );
  }

  _accept({ socket: number, peer }) {
    const socket = new Socket(this._options);
    socket.server = this;
    socket._attach(number, peer, this._place.port);
    this._sockets.add(socket);
    socket.on("close", () => {
      this._sockets.delete(socket);
      this._finish();
    });
    this.emit("connection", socket);
    if (!this._options.pauseOnConnect) tick(() => socket._schedule());
  }

  address() {
    return this._place && { ...this._place };
  }

  getConnections(callback) {
    tick(() => callback(null, this._sockets.size));
    return this;
  }

  close(callback) {
    if (!this._job) {
      const error = coded(
        Error,
        "ERR_SERVER_NOT_RUNNING",
        "Server is not running.",
      );
      if (callback) tick(() => callback(error));
      return this;
    }
    if (callback) this.once("close", callback);
    host("stop", this._job);
    this._job = 0;
    this.listening = false;
    this._place = null;
    tick(() => this._finish());
    return this;
  }

  _finish() {
    if (this._job || this._sockets.size > 0 || this._closed) return;
    this._closed = true;
    this.emit("close");
  }

  [Symbol.asyncDispose]() {
    return new Promise((resolve) => this.close(resolve));
  }

  ref() {
    this._idle = false;
    if (this._job) host("idle", this._job, false);
    return this;
  }
  unref() {
    this._idle = true;
    if (this._job) host("idle", this._job, true);
    return this;
  }
}

const connect = (...args) => new Socket(typeof args[0] === "object" ? args[0] : {}).connect(...args);

module.exports = {
  connect,
  createConnection: connect,
  createServer: (options, listener) => new Server(options, listener),
  Socket,
  Stream: Socket,
  Server,
  isIPv4,
  isIPv6,
  isIP: (text) => isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0,
};
