// The server of http: requests of one connection are answered one after the other.
const { Buffer } = require("buffer");
const net = require("net");
const { coded } = require("internal/errors");
const { asBytes, IncomingMessage, OutgoingMessage } = require(
  "internal/http_messages",
);
const { RequestParser } = require("internal/http_parser");
const { STATUS_CODES } = require("internal/http_status");

const tick = (act) => globalThis.process.nextTick(act);

class ServerResponse extends OutgoingMessage {
  constructor(request) {
    super();
    Object.assign(this, {
      req: request,
      socket: request.socket,
      statusCode: 200,
      statusMessage: undefined,
    });
    Object.assign(this, {
      sendDate: true,
      shouldKeepAlive: keepsAlive(request),
      chunkedEncoding: false,
    });
    core.hidden(this, "_bodiless", request.method === "HEAD");
    core.hidden(this, "_begun", false);
  }

  get connection() {
    return this.socket;
  }
  get finished() {
    return this.writableEnded;
  }

  writeHead(status, message, headers) {
    if (this.headersSent) {
      throw coded(
        Error,
        "ERR_HTTP_HEADERS_SENT",
        "Cannot write headers after they are sent to the client",
      );
    }
    if (!(status >= 100 && status <= 999)) {
      throw coded(
        RangeError,
        "ERR_HTTP_INVALID_STATUS_CODE",
        `Invalid status code: ${status}`,
      );
    }
    this.statusCode = Number(status);
    if (typeof message === "string") this.statusMessage = message;
    const given = typeof message === "string" ? headers : message ?? headers;
    if (Array.isArray(given)) {
      const flat = given.flat();
      for (let at = 0; at < flat.length; at += 2) {
        this.appendHeader(flat[at], flat[at + 1]);
      }
    } else {for (const [name, value] of Object.entries(given ?? {})) {
        this.setHeader(name, value);
      }}
    return this;
  }

  writeContinue() {
    this._send("HTTP/1.1 100 Continue\r\n\r\n");
  }

  flushHeaders() {
    this._sendHead();
  }

  write(chunk, encoding, callback) {
    this._begun = true;
    // Its client has left: that is no error.
    return this.destroyed && !this.writableEnded ? false : super.write(chunk, encoding, callback);
  }

  end(chunk, encoding, callback) {
    if (this.writableEnded || this.destroyed) return this;
    const data = typeof chunk === "function" || chunk === undefined || chunk === null ? null : asBytes(chunk, encoding);
    const framed = this.hasHeader("content-length") ||
      this.hasHeader("transfer-encoding");
    if (!this._begun && !this.headersSent && !framed && this._mayHaveBody) {
      this.setHeader("Content-Length", data?.length ?? 0);
    }
    return super.end(
      data,
      [chunk, encoding, callback].find((each) => typeof each === "function"),
    );
  }

  get _mayHaveBody() {
    return this.statusCode >= 200 && this.statusCode !== 204 &&
      this.statusCode !== 304;
  }

  _sendHead() {
    if (this.headersSent) return;
    if (!this._mayHaveBody) this._bodiless = true;
    if (
      this._mayHaveBody && !this.hasHeader("content-length") &&
      !this.hasHeader("transfer-encoding")
    ) {
      if (this.req.httpVersion === "1.1") {
        this.setHeader("Transfer-Encoding", "chunked");
      } else this.shouldKeepAlive = false;
    }
    this.chunkedEncoding = /chunked/i.test(
      `${this.getHeader("transfer-encoding") ?? ""}`,
    );
    if (this.sendDate && !this.hasHeader("date")) {
      this.setHeader("Date", new Date().toUTCString());
    }
    if (/close/i.test(`${this.getHeader("connection") ?? ""}`)) {
      this.shouldKeepAlive = false;
    }
    if (!this.hasHeader("connection")) {
      this.setHeader(
        "Connection",
        this.shouldKeepAlive ? "keep-alive" : "close",
      );
    }
    this.statusMessage ??= STATUS_CODES[this.statusCode] ?? "unknown";
    const lines = this._pairs().map(([name, value]) => `${name}: ${value}\r\n`);
    this.headersSent = true;
    this._send(
      Buffer.from(
        `HTTP/1.1 ${this.statusCode} ${this.statusMessage}\r\n${lines.join("")}\r\n`,
        "latin1",
      ),
    );
  }

  /** A client that has left is no error of the response. */
  _write(chunk, _encoding, callback) {
    this._sendHead();
    if (this._bodiless || chunk.length === 0) return callback();
    const data = this.chunkedEncoding
      ? Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")])
      : chunk;
    this._send(data, () => callback());
  }

  _send(data, callback) {
    if (this.socket.destroyed || this.socket.writableEnded) callback?.();
    else this.socket.write(data, callback);
  }

  _final(callback) {
    this._sendHead();
    if (this.chunkedEncoding && !this._bodiless) this._send("0\r\n\r\n");
    callback();
  }
}

const keepsAlive = ({ httpVersion, headers }) => {
  const wish = `${headers.connection ?? ""}`.toLowerCase();
  return httpVersion === "1.1" ? !wish.includes("close") : wish.includes("keep-alive");
};

/** One connection of a server. */
class Exchanges {
  constructor(server, socket) {
    Object.assign(this, { server, socket, request: null, response: null });
    this.parser = new RequestParser({
      head: (head) => this.begin(head),
      body: (data) => void this.request?.push(data),
      end: () => this.received(),
    });
    this.onData = (data) => this.read(() => this.parser.push(data));
    this.onEnd = () => this.response === null && socket.end();
    socket.on("data", this.onData);
    socket.on("end", this.onEnd);
    socket.on(
      "error",
      (error) =>
        this.server.listenerCount("clientError") > 0 &&
        server.emit("clientError", error, socket),
    );
    socket.on("close", () => this.lose());
  }

  read(act) {
    try {
      act();
    } catch (error) {
      if (error.code !== "HPE_INVALID_CONSTANT") throw error;
      if (this.server.listenerCount("clientError") > 0) {
        return void this.server.emit("clientError", error, this.socket);
      }
      this.socket.end(
        `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\nConnection: close\r\n\r\n`,
      );
    }
  }

  begin({ method, url, version, rawHeaders }) {
    const { server, socket } = this;
    const request = new (server._options.IncomingMessage ?? IncomingMessage)(
      socket,
    );
    Object.assign(request, { method, url, httpVersion: version });
    request._take(rawHeaders);
    this.request = request;
    socket._busy = true;
    if (
      request.headers.upgrade &&
      /upgrade/i.test(request.headers.connection ?? "") &&
      server.listenerCount("upgrade") > 0
    ) {
      this.upgrade = true;
      return;
    }
    const response = new (server._options.ServerResponse ?? ServerResponse)(
      request,
    );
    this.response = response;
    response.on("finish", () => this.answered(response));
    const waits = /100-continue/i.test(request.headers.expect ?? "");
    if (waits && server.listenerCount("checkContinue") > 0) {
      return void server.emit("checkContinue", request, response);
    }
    if (waits) response.writeContinue();
    // The parser goes on first, so that the body is on its way.
    tick(() => server.emit("request", request, response));
  }

  received() {
    const { request, socket } = this;
    request.complete = true;
    request.push(null);
    if (!this.upgrade) return;
    socket.removeListener("data", this.onData);
    socket.removeListener("end", this.onEnd);
    this.server.emit("upgrade", request, socket, this.parser.rest);
  }

  answered(response) {
    const { server, socket } = this;
    socket._busy = false;
    if (
      !response.shouldKeepAlive || socket.readableEnded || !server.listening
    ) return socket.destroySoon();
    this.request = this.response = null;
    // The client still sends what nobody wants.
    if (this.parser.step !== "done") return socket.destroySoon();
    this.parser.begin();
    this.read(() => this.parser.advance());
  }

  lose() {
    const { request, response } = this;
    if (request && !request.complete) {
      request.aborted = true;
      request.emit("aborted");
      request.destroy(coded(Error, "ECONNRESET", "aborted"));
    }
    if (response && !response.writableFinished) response.destroy();
  }
}

class Server extends net.Server {
  constructor(options, listener) {
    const [given, act] = typeof options === "function" ? [{}, options] : [options ?? {}, listener];
    super(given);
    Object.assign(this, {
      timeout: 0,
      keepAliveTimeout: 5000,
      headersTimeout: 60000,
      requestTimeout: 300000,
    });
    Object.assign(this, { maxHeadersCount: null, maxRequestsPerSocket: 0 });
    if (act) this.on("request", act);
    this.on("connection", (socket) => new Exchanges(this, socket));
  }

  setTimeout(ms, listener) {
    this.timeout = ms;
    if (listener) this.on("timeout", listener);
    return this;
  }

  close(callback) {
    super.close(callback);
    this.closeIdleConnections();
    return this;
  }

  closeAllConnections() {
    for (const socket of this._sockets) socket.destroy();
  }

  closeIdleConnections() {
    for (const socket of this._sockets) if (!socket._busy) socket.destroySoon();
  }
}

Object.assign(exports, { Server, ServerResponse });
