// URL and URLSearchParams, and the old functions around them.
const { coded, wrongType } = require("internal/errors");
const FIELDS = [
  "href",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
  "origin",
];

const plus = (text) =>
  encodeURIComponent(text.toWellFormed()).replace(/%20/g, "+").replace(
    /[!'()~]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
const unplus = (text) => {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return host("decode", Uint8Array.from(unescape(spaced), (char) => char.charCodeAt(0) & 255), "utf8");
  }
};

class URLSearchParams {
  #list = [];
  #onChange = null;

  constructor(init = "") {
    if (typeof init === "object" && init !== null) {
      const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
      for (const pair of pairs) {
        const [name, value] = pair;
        this.#list.push([`${name}`, `${value}`]);
      }
    } else this.#read(`${init}`.replace(/^\?/, ""));
  }

  static follow(params, onChange) {
    params.#onChange = onChange;
  }

  static reset(params, text) {
    params.#list = [];
    params.#read(text.replace(/^\?/, ""));
  }

  #read(text) {
    for (const part of text.split("&").filter((each) => each !== "")) {
      const at = part.indexOf("=");
      this.#list.push(at < 0 ? [unplus(part), ""] : [unplus(part.slice(0, at)), unplus(part.slice(at + 1))]);
    }
  }

  #changed() {
    this.#onChange?.(this.toString());
  }

  append(name, value) {
    this.#list.push([`${name}`, `${value}`]);
    this.#changed();
  }

  delete(name, value) {
    this.#list = this.#list.filter(([each, held]) => each !== `${name}` || value !== undefined && held !== `${value}`);
    this.#changed();
  }

  get(name) {
    return this.#list.find(([each]) => each === `${name}`)?.[1] ?? null;
  }

  getAll(name) {
    return this.#list.filter(([each]) => each === `${name}`).map(([, value]) => value);
  }

  has(name, value) {
    return this.#list.some(([each, held]) => each === `${name}` && (value === undefined || held === `${value}`));
  }

  set(name, value) {
    const at = this.#list.findIndex(([each]) => each === `${name}`);
    if (at < 0) return this.append(name, value);
    this.#list = this.#list.filter(([each], index) => index <= at || each !== `${name}`);
    this.#list[at] = [`${name}`, `${value}`];
    this.#changed();
  }

  sort() {
    this.#list.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
    this.#changed();
  }

  forEach(act, self) {
    for (const [name, value] of this.#list) act.call(self, value, name, this);
  }

  get size() {
    return this.#list.length;
  }

  *entries() {
    for (const [name, value] of this.#list) yield [name, value];
  }

  *keys() {
    for (const [name] of this.#list) yield name;
  }

  *values() {
    for (const [, value] of this.#list) yield value;
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  toString() {
    return this.#list.map(([name, value]) => `${plus(name)}=${plus(value)}`).join("&");
  }

  [Symbol.for("nodejs.util.inspect.custom")](_depth, _options, inspect) {
    const shown = this.#list.map(([name, value]) => `${inspect(name)} => ${inspect(value)}`).join(", ");
    return `URLSearchParams { ${shown}${shown ? " " : ""}}`;
  }
}

class URL {
  #parts;
  #params;

  constructor(address, base) {
    if (arguments.length === 0) throw coded(TypeError, "ERR_MISSING_ARGS", 'The "url" argument must be specified');
    this.#parts = host("url", `${address}`, base === undefined ? undefined : `${base}`);
    if (this.#parts === null) {
      throw Object.assign(coded(TypeError, "ERR_INVALID_URL", "Invalid URL"), { input: `${address}` });
    }
  }

  static canParse(address, base) {
    return host("url", `${address}`, base === undefined ? undefined : `${base}`) !== null;
  }

  static parse(address, base) {
    return URL.canParse(address, base) ? new URL(address, base) : null;
  }

  static part(url, index) {
    return url.#parts[index];
  }

  static change(url, name, value) {
    url.#parts = host("urlWith", url.#parts[0], name, `${value}`);
    if (url.#params && name !== "hash") URLSearchParams.reset(url.#params, url.#parts[8]);
  }

  get searchParams() {
    if (!this.#params) {
      this.#params = new URLSearchParams(this.#parts[8]);
      URLSearchParams.follow(this.#params, (text) => this.#parts = host("urlWith", this.#parts[0], "search", text));
    }
    return this.#params;
  }

  toString() {
    return this.#parts[0];
  }

  toJSON() {
    return this.#parts[0];
  }

  [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) {
    if (depth < 0) return "[URL]";
    const shown = ["href", "origin", ...FIELDS.slice(1, FIELDS.indexOf("hash"))];
    const object = Object.fromEntries(shown.map((name) => [name, this[name]]));
    return `URL ${inspect({ ...object, searchParams: this.searchParams, hash: this.hash }, options)}`;
  }
}
FIELDS.forEach((name, index) =>
  Object.defineProperty(URL.prototype, name, {
    configurable: true,
    enumerable: true,
    get() {
      return part(this, index);
    },
    set: name === "origin" ? undefined : function (value) {
      change(this, name, value);
    },
  })
);
const { part, change } = URL;
for (const name of ["part", "change"]) delete URL[name];
const { follow, reset } = URLSearchParams;
for (const Kind of [URL, URLSearchParams]) core.hidden(Kind.prototype, Symbol.toStringTag, Kind.name);
for (const name of ["follow", "reset"]) core.hidden(URLSearchParams, name, { follow, reset }[name]);

function fileURLToPath(address) {
  const url = typeof address === "string" ? new URL(address) : address;
  if (!url?.href) throw wrongType("path", "of type string or an instance of URL", address);
  if (url.protocol !== "file:") throw coded(TypeError, "ERR_INVALID_URL_SCHEME", "The URL must be of scheme file");
  return decodeURIComponent(url.pathname);
}

function pathToFileURL(path) {
  const full = require("path").resolve(path) + (path.endsWith("/") && path !== "/" ? "/" : "");
  return new URL(`file://${full.split("/").map(encodeURIComponent).join("/")}`);
}

/** The old function, which accepts anything and requires no part. */
function parse(address, query = false) {
  const [, protocol = null, , auth = null, hostName = null, port = null, pathname = null, search = null, hash = null] =
    /^([a-z][a-z\d+.-]*:)?(\/\/(?:([^/?#@]*)@)?([^/?#:]*)(?::(\d+))?)?([^?#]*)?(\?[^#]*)?(#.*)?$/is.exec(address) ?? [];
  const text = search === null ? null : search.slice(1);
  return {
    protocol,
    slashes: /^([a-z][a-z\d+.-]*:)?\/\//i.test(address) || null,
    auth,
    host: hostName === null ? null : hostName + (port ? `:${port}` : ""),
    port,
    hostname: hostName,
    hash,
    search,
    query: query ? require("querystring").parse(text ?? "") : text,
    pathname: pathname || (hostName ? "/" : null),
    path: (pathname || (hostName ? "/" : "")) + (search ?? "") || null,
    href: address,
  };
}

function format(given) {
  if (typeof given === "string" || given instanceof URL) return `${given}`;
  const search = given.search ?? (given.query ? `?${require("querystring").stringify(given.query)}` : "");
  const at = given.host ?? (given.hostname ? given.hostname + (given.port ? `:${given.port}` : "") : "");
  const protocol = given.protocol ? given.protocol.replace(/:?$/, ":") : "";
  const slashes = given.slashes || /^(https?|ftp|file):$/.test(protocol) ? "//" : "";
  return `${protocol}${slashes}${given.auth ? `${given.auth}@` : ""}${at}${given.pathname ?? ""}${search}${
    given.hash ?? ""
  }`;
}

Object.assign(exports, {
  URL,
  URLSearchParams,
  fileURLToPath,
  pathToFileURL,
  parse,
  format,
  resolve: (from, to) => {
    const base = new URL(from, "resolve://");
    const found = new URL(to, base);
    return found.protocol === "resolve:" ? found.pathname + found.search + found.hash : found.href;
  },
  domainToASCII: (name) => host("url", `http://${name}`)?.[5] ?? "",
  domainToUnicode: (name) => name,
  urlToHttpOptions: (url) => ({ ...parse(url.href), path: url.pathname + url.search }),
});
