// Headers.
const NAME = /^[!#$%&'*+\-.^_`|~\w]+$/;

class Headers {
  #list = new Map();

  constructor(init) {
    if (init === undefined || init === null) return;
    const pairs = typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
    for (const [name, value] of pairs) this.append(name, value);
  }

  #checked(name, value = "") {
    if (!NAME.test(`${name}`)) throw new TypeError(`Headers: ${name} is an invalid header name.`);
    if (/[\0\r\n]/.test(`${value}`.trim())) throw new TypeError(`Headers: ${value} is an invalid header value.`);
    return `${name}`.toLowerCase();
  }

  append(name, value) {
    const key = this.#checked(name, value);
    this.#list.set(key, [...(this.#list.get(key) ?? []), `${value}`.trim()]);
  }

  set(name, value) {
    this.#list.set(this.#checked(name, value), [`${value}`.trim()]);
  }

  get(name) {
    return this.#list.get(this.#checked(name))?.join(", ") ?? null;
  }

  getSetCookie() {
    return [...(this.#list.get("set-cookie") ?? [])];
  }

  has(name) {
    return this.#list.has(this.#checked(name));
  }

  delete(name) {
    this.#list.delete(this.#checked(name));
  }

  forEach(act, self) {
    for (const [name, value] of this) act.call(self, value, name, this);
  }

  *entries() {
    for (const name of [...this.#list.keys()].sort()) {
      const values = this.#list.get(name);
      if (name === "set-cookie") { for (const value of values) yield [name, value]; }
      else yield [name, values.join(", ")];
    }
  }

  *keys() {
    for (const [name] of this) yield name;
  }

  *values() {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  [Symbol.for("nodejs.util.inspect.custom")](_depth, options, inspect) {
    return `Headers ${inspect(Object.fromEntries(this), options)}`;
  }
}
core.hidden(Headers.prototype, Symbol.toStringTag, "Headers");

exports.Headers = Headers;
