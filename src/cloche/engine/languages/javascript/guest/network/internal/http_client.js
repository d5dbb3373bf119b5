// The client of http and https: each request is made as fetch() makes it.
const { Buffer } = require("buffer");
const { coded } = require("internal/errors");
const { IncomingMessage, OutgoingMessage } = require("internal/http_messages");

const PORTS = { "http:": 80, "https:": 443 };
const tick = (act) => globalThis.process.nextTick(act);

function readOptions(protocol, args) {
  const listener = args.find((each) => typeof each === "function");
  const [first, second] = args;
  const isUrl = typeof first === "string" || first instanceof URL;
  const url = isUrl ? new URL(first) : null;
  const own = url && {
    protocol: url.protocol,
    hostname: url.hostname,
    port: url.port,
    path: `${url.pathname}${url.search}`,
    ...(url.username
      ? {
        auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`,
      }
      : {}),
  };
  const given = isUrl ? second : first;
  const options = { ...own, ...(typeof given === "object" ? given : {}) };
  const wanted = options.protocol ?? protocol;
  if (wanted !== protocol) {
    const text = `Protocol "${wanted}" not supported. Expected "${protocol}"`;
    throw coded(TypeError, "ERR_INVALID_PROTOCOL", text);
  }
  return { ...options, protocol, listener };
}

class ClientRequest extends OutgoingMessage {
  constructor(protocol, ...args) {
    super();
    const options = readOptions(protocol, args);
    const name = options.hostname ?? options.host ?? "localhost";
    const port = Number(options.port || PORTS[protocol]);
    const host = name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
    Object.assign(this, {
      method: (options.method ?? "GET").toUpperCase(),
      path: options.path ?? "/",
      protocol,
      host,
    });
    Object.assign(this, {
      aborted: false,
      reusedSocket: false,
      socket: null,
      res: null,
    });
    core.hidden(this, "_url", `${protocol}//${host}:${port}${this.path}`);
    core.hidden(this, "_parts", []);
    core.hidden(this, "_job", 0);
    core.hidden(this, "_timer", null);
    for (const [header, value] of headerPairs(options.headers)) {
      this.setHeader(header, value);
    }
    if (options.auth) {
      this.setHeader(
        "Authorization",
        `Basic ${Buffer.from(options.auth).toString("base64")}`,
      );
    }
    if (!this.hasHeader("host")) {
      this.setHeader(
        "Host",
        port === PORTS[protocol] ? host : `${host}:${port}`,
      );
    }
    if (options.timeout) this.setTimeout(options.timeout);
    if (options.listener) this.once("response", options.listener);
    options.signal?.addEventListener(
      "abort",
      () => this.destroy(options.signal.reason),
    );
  }

  _write(chunk, _encoding, callback) {
    this._parts.push(chunk);
    callback();
  }

  _final(callback) {
    this.headersSent = true;
    const body = this._parts.length > 0 ? Buffer.concat(this._parts) : null;
    const question = {
      method: this.method,
      url: this._url,
      headers: this._pairs(),
      redirect: "manual",
      raw: true,
    };
    this._job = core.start(
      "fetch",
      question,
      body,
      (error, data, piece) => this._answer(error, data, piece),
    );
    callback();
  }

  _answer(error, data, piece) {
    if (error) return this._fail(error);
    if (data) return this._respond(data);
    if (piece) {
      return void this.res.push(
        Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength),
      );
    }
    clearTimeout(this._timer);
    this._job = 0;
    this.res.complete = true;
    this.res.push(null);
  }

  _respond({ status, reason, headers }) {
    const response = new IncomingMessage(this.socket);
    Object.assign(response, {
      statusCode: status,
      statusMessage: reason,
      req: this,
    });
    response._take(headers.flat());
    response._destroy = (error, callback) => {
      this._stop();
      callback(error);
    };
    this.res = response;
    if (!this.emit("response", response)) response.resume();
  }

  _fail(failure) {
    clearTimeout(this._timer);
    this._job = 0;
    const place = this._url.replace(/^[a-z]+:\/\/([^/]*).*$/s, "$1");
    const text = failure.message.replace(/^fetch failed: /, "");
    const error = failure.code === "ConnectFailed"
      ? Object.assign(
        coded(Error, "ECONNREFUSED", `connect ECONNREFUSED ${place}`),
        { errno: -111, syscall: "connect" },
      )
      : failure.code === "ConnectionLost"
      ? coded(Error, "ECONNRESET", this.res ? "aborted" : "socket hang up")
      : coded(
        Error,
        failure.code === "NameNotFound" ? "ENOTFOUND" : failure.code,
        text,
      );
    if (this.res) this.res.destroy(error);
    else if (this.destroyed) this.emit("error", error);
    else this.destroy(error);
  }

  _stop() {
    if (this._job) host("stop", this._job);
    this._job = 0;
  }

  /** A request that was sent is not over before its response. */
  destroy(error) {
    if (
      error === undefined && this.writableFinished && this._job && !this.aborted
    ) return this;
    clearTimeout(this._timer);
    this._stop();
    return super.destroy(error);
  }

  abort() {
    if (this.aborted) return;
    this.aborted = true;
    tick(() => this.emit("abort"));
    this._stop();
    if (this.res) this.res.destroy();
    else this.destroy(coded(Error, "ECONNRESET", "socket hang up"));
  }

  setTimeout(ms, listener) {
    if (listener) this.once("timeout", listener);
    clearTimeout(this._timer);
    if (ms > 0) {
      this._timer = setTimeout(() => this.emit("timeout"), ms);
      this._timer.unref();
    }
    return this;
  }

  flushHeaders() {}
  setNoDelay() {}
  setSocketKeepAlive() {}
}

function headerPairs(headers) {
  if (!headers) return [];
  if (!Array.isArray(headers)) {
    return Object.entries(headers).filter(([, value]) => value !== undefined);
  }
  return Array.isArray(headers[0])
    ? headers
    : headers.flatMap((name, at) => at % 2 === 0 ? [[name, headers[at + 1]]] : []);
}

/** Connections are the host's; the options of an agent have no effect. */
class Agent {
  constructor(options = {}) {
    Object.assign(this, {
      options,
      maxSockets: Infinity,
      maxFreeSockets: 256,
      requests: {},
      sockets: {},
      freeSockets: {},
    });
  }
  destroy() {}
}

exports.makeClient = (protocol) => {
  const request = (...args) => new ClientRequest(protocol, ...args);
  const get = (...args) => {
    const asked = request(...args);
    asked.end();
    return asked;
  };
  return { request, get, Agent, globalAgent: new Agent() };
};
exports.ClientRequest = class extends ClientRequest {
  constructor(...args) {
    super("http:", ...args);
  }
};
