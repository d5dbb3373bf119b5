// fetch: requests through the host, which decides what is allowed.
const { Headers } = require("internal/headers");
const { Blob, File, FormData } = require("internal/blob");
const { body, Body } = require("internal/body");

const METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];
const REDIRECTS = [301, 302, 303, 307, 308];
const MOST = 20;

class Request extends Body {
  constructor(input, init = {}) {
    const from = input instanceof Request ? input : null;
    const content = init.body ?? (from && from.given !== null ? from.given : null);
    super(content);
    const parsed = host("url", from ? from.url : `${input}`);
    if (parsed === null) throw new TypeError(`Failed to parse URL from ${input}`);
    if (parsed[2] || parsed[3]) {
      throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${input}`);
    }
    this.url = parsed[0];
    const method = `${init.method ?? from?.method ?? "GET"}`;
    this.method = METHODS.includes(method.toUpperCase()) ? method.toUpperCase() : method;
    this.headers = new Headers(init.headers ?? from?.headers);
    this.redirect = init.redirect ?? from?.redirect ?? "follow";
    this.signal = init.signal ?? from?.signal ?? new AbortController().signal;
    Object.assign(this, { mode: "cors", credentials: "same-origin", cache: "default", referrer: "about:client" });
    if (content !== null && (this.method === "GET" || this.method === "HEAD")) {
      throw new TypeError("Request with GET/HEAD method cannot have body.");
    }
    const type = body.typeOf(this);
    if (type && !this.headers.has("content-type")) this.headers.set("content-type", type);
  }
  clone() {
    return new Request(this);
  }
}

class Response extends Body {
  constructor(content = null, { status = 200, statusText = "", headers, url = "", redirected = false } = {}) {
    super(content);
    if (!(status >= 200 && status <= 599)) {
      throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
    }
    this.status = status;
    this.statusText = statusText;
    this.headers = new Headers(headers);
    const type = body.typeOf(this);
    if (type && !this.headers.has("content-type")) this.headers.set("content-type", type);
    Object.assign(this, { url, redirected, type: url ? "basic" : "default" });
  }
  get ok() {
    return this.status >= 200 && this.status < 300;
  }
  clone() {
    const { status, statusText, headers, url, redirected } = this;
    return new Response(body.split(this), { status, statusText, headers, url, redirected });
  }
  static json(data, init = {}) {
    const headers = new Headers(init.headers);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    return new Response(JSON.stringify(data), { ...init, headers });
  }
  static error() {
    return Object.assign(new Response(), { type: "error", status: 0 });
  }
  static redirect(url, status = 302) {
    return new Response(null, { status, headers: { location: `${url}` } });
  }
}

/** Programs look for the system's reason in the cause. */
function withCause(error) {
  if (error.code !== "ConnectFailed") return error;
  const cause = new Error(error.message.replace(/^fetch failed: /, ""));
  return core.hidden(error, "cause", Object.assign(cause, { code: "ECONNREFUSED", errno: -111, syscall: "connect" }));
}

/** One request; the body of its response arrives as it is read. */
function send(request, bytes) {
  return new Promise((resolve, reject) => {
    const stream = new ReadableStream({ cancel: () => host("stop", id) });
    let head = null;
    let id = 0;
    const stop = () => {
      host("stop", id);
      reject(request.signal.reason);
      stream.controller.error(request.signal.reason);
    };
    const { method, url } = request;
    const question = { method, url, headers: [...request.headers], redirect: "manual" };
    id = core.start("fetch", question, bytes, (error, data, piece) => {
      if (error) return head ? stream.controller.error(error) : reject(withCause(error));
      if (data) resolve({ head: head = data, stream });
      else if (piece) stream.controller.enqueue(piece);
      else {
        request.signal.removeEventListener("abort", stop);
        stream.controller.close();
      }
    });
    request.signal.addEventListener("abort", stop, { once: true });
  });
}

/** The request that a redirect asks for. */
function next(request, status, to) {
  const bare = status === 303 && request.method !== "HEAD" ||
    (status === 301 || status === 302) && request.method === "POST";
  const headers = new Headers(request.headers);
  const origin = (url) => host("url", url)[10];
  if (origin(to) !== origin(request.url)) { for (const name of ["authorization", "cookie"]) headers.delete(name); }
  if (bare) { for (const name of ["content-type", "content-length"]) headers.delete(name); }
  return { method: bare ? "GET" : request.method, url: to, headers, signal: request.signal, bare };
}

async function fetch(input, init) {
  const request = new Request(input, init);
  request.signal.throwIfAborted();
  if (request.url.startsWith("data:")) return dataResponse(request.url);
  if (!request.headers.has("accept-encoding")) request.headers.set("accept-encoding", "gzip, deflate");
  let bytes = await body.bytesOf(request);
  let current = request;
  for (let count = 0;; count++) {
    const { head, stream } = await send(current, bytes);
    const headers = new Headers(head.headers.map(([name, value]) => [name, decoded(value)]));
    const to = REDIRECTS.includes(head.status) && headers.get("location");
    if (!to || request.redirect === "manual") {
      const empty = request.method === "HEAD" || head.status === 204 || head.status === 304;
      const { status, reason } = head;
      return new Response(empty ? null : stream, {
        status,
        statusText: reason,
        headers,
        url: current.url,
        redirected: count > 0,
      });
    }
    await stream.cancel();
    if (request.redirect === "error") throw new TypeError("fetch failed: the server redirects");
    if (count >= MOST) throw new TypeError("fetch failed: too many redirects");
    const url = host("url", to, current.url);
    if (url === null) throw new TypeError(`fetch failed: it redirects to ${to}, which is no address`);
    current = next(current, head.status, url[0]);
    if (current.bare) bytes = null;
  }
}

/** Headers arrive as bytes. */
const decoded = (value) => {
  const bytes = Uint8Array.from(value, (char) => char.charCodeAt(0) & 255);
  return bytes.every((byte) => byte < 128) ? value : host("decode", bytes, "utf8");
};

function dataResponse(url) {
  const [, type = "", base64, data] = /^data:([^,]*?)(;base64)?,([^]*)$/i.exec(url) ?? [];
  if (data === undefined) throw new TypeError("fetch failed: the data address is damaged");
  const content = base64 ? host("encode", decodeURIComponent(data), "base64") : decodeURIComponent(data);
  return new Response(content, { headers: { "content-type": type || "text/plain;charset=US-ASCII" } });
}

for (const Kind of [Request, Response]) core.hidden(Kind.prototype, Symbol.toStringTag, Kind.name);
Object.assign(exports, { fetch, Headers, Request, Response, FormData, Blob, File });
