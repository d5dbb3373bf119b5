/** Values of R as plain data of JavaScript, and back. */

import { type DataWriter, writeData } from "../json_data.ts";
import type { RModule, Value } from "./vm/vm.ts";

export type Plain = null | string | number | boolean | Uint8Array | Plain[] | { [name: string]: Plain };

const TYPE = { nil: 0, logical: 10, integer: 13, real: 14, text: 16, list: 19, raw: 24 };
const UTF8 = 1;
/** The value of a missing integer. */
const MISSING = -(2 ** 31);
const NA_MARK = 1954;
const encoder = new TextEncoder();

export class Values {
  constructor(private readonly module: RModule) {}

  get nil(): Value {
    return this.module.getValue(this.module._R_NilValue, "i32");
  }

  /** A vector of one element becomes that element; values without a plain form are null. */
  read(value: Value): Plain {
    const all = this.readAll(value);
    return Array.isArray(all) && all.length === 1 && this.module._TYPEOF(value) !== TYPE.list ? all[0] : all;
  }

  /** The same, but vectors are always arrays. */
  readAll(value: Value): Plain {
    const { module } = this;
    const length = module._Rf_length(value);
    const each = (read: (i: number) => Plain) => Array.from({ length }, (_, i) => read(i));
    switch (module._TYPEOF(value)) {
      case TYPE.logical:
        return each((i) => known(module.HEAP32[(module._INTEGER(value) >> 2) + i], (n) => n !== 0));
      case TYPE.integer:
        return each((i) => known(module.HEAP32[(module._INTEGER(value) >> 2) + i], (n) => n));
      case TYPE.real:
        return each((i) => module.getValue(module._REAL(value) + 8 * i, "double"));
      case TYPE.text:
        return each((i) => this.#text(module._STRING_ELT(value, i)));
      case TYPE.raw:
        return module.HEAPU8.slice(module._RAW(value), module._RAW(value) + length);
      case TYPE.list:
        return each((i) => this.read(module._VECTOR_ELT(value, i)));
      default:
        return null;
    }
  }

  /** As JSON if it is plain data, a scalar if a vector has one element; missing values are null. */
  data(value: Value): string | null {
    return writeData((data) => this.#write(data, value));
  }

  #write(data: DataWriter, value: Value): string {
    const { module } = this;
    const type = module._TYPEOF(value);
    if (type === TYPE.nil) return "null";
    for (const name of ["class", "dim"]) if (this.#attribute(value, name) !== this.nil) data.refuse();
    const part = this.#partOf(data, value, type);
    const length = module._Rf_length(value);
    if (length > 1) data.expect(length);
    const names = this.#attribute(value, "names");
    if (names !== this.nil) return data.object(this.#numbered(names, length), part);
    return length === 1 && type !== TYPE.list ? part(0) : data.list(Array(length).keys(), part);
  }

  /** Lazily: a long name may occur often. */
  *#numbered(names: Value, length: number): Iterable<[name: string, i: number]> {
    for (let i = 0; i < length; i++) yield [this.#text(this.module._STRING_ELT(names, i)), i];
  }

  /** Writes an element. */
  #partOf(data: DataWriter, value: Value, type: number): (i: number) => string {
    const { module } = this;
    const word = (i: number) => module.HEAP32[(module._INTEGER(value) >> 2) + i];
    const missing = module.getValue(module._R_NaString, "i32");
    switch (type) {
      case TYPE.logical:
        return (i) => `${known(word(i), (n) => n !== 0)}`;
      case TYPE.integer:
        return (i) => `${known(word(i), (n) => n)}`;
      case TYPE.real:
        return (i) => this.#real(data, module._REAL(value) + 8 * i);
      case TYPE.text:
        return (i) => {
          const text = module._STRING_ELT(value, i);
          return text === missing ? "null" : data.text(this.#text(text));
        };
      case TYPE.list:
        return (i) => this.#write(data, module._VECTOR_ELT(value, i));
      default:
        return data.refuse();
    }
  }

  /** A missing number is a NaN with a special mark. */
  #real(data: DataWriter, at: number): string {
    const number = this.module.getValue(at, "double");
    return Number.isNaN(number) && this.module.HEAP32[at >> 2] === NA_MARK ? "null" : data.real(number);
  }

  #attribute(value: Value, name: string): Value {
    return this.module._Rf_getAttrib(value, this.symbol(name));
  }

  /** The value of a list's element; undefined if the list has none of that name. */
  element(list: Value, name: string): Value {
    const { module } = this;
    if (module._TYPEOF(list) !== TYPE.list) return this.nil;
    const names = this.readAll(module._Rf_getAttrib(list, this.symbol("names")));
    const at = Array.isArray(names) ? names.indexOf(name) : -1;
    return at < 0 ? this.nil : module._VECTOR_ELT(list, at);
  }

  symbol(name: string): Value {
    return this.#withText(name, (at) => this.module._Rf_install(at));
  }

  /** The garbage collector may free it. */
  write(data: Plain): Value {
    if (data === null) return this.nil;
    if (typeof data === "boolean") return this.module._Rf_ScalarLogical(data ? 1 : 0);
    if (typeof data === "number") return this.module._Rf_ScalarInteger(data);
    if (typeof data === "string") return this.#texts([data]);
    if (data instanceof Uint8Array) return this.#raw(data);
    if (Array.isArray(data)) {
      return data.every((each) => typeof each === "string") ? this.#texts(data) : this.#list(data);
    }
    const list = this.module._Rf_protect(this.#list(Object.values(data)));
    this.module._Rf_setAttrib(list, this.symbol("names"), this.module._Rf_protect(this.#texts(Object.keys(data))));
    this.module._Rf_unprotect(2);
    return list;
  }

  #text(value: Value): string {
    const missing = value === this.module.getValue(this.module._R_NaString, "i32");
    return missing ? "NA" : this.module.UTF8ToString(this.module._Rf_translateCharUTF8(value));
  }

  #withText<T>(text: string, act: (at: number, length: number) => T): T {
    const bytes = encoder.encode(text);
    const at = this.module._malloc(bytes.length + 1);
    if (at === 0) throw new Error("R has no memory left");
    this.module.HEAPU8.set(bytes, at);
    this.module.HEAPU8[at + bytes.length] = 0;
    try {
      return act(at, bytes.length);
    } finally {
      this.module._free(at);
    }
  }

  #texts(data: string[]): Value {
    const { module } = this;
    return this.#vector(TYPE.text, data, (vector, i) => {
      const make = (at: number, length: number) => module._Rf_mkCharLenCE(at, length, UTF8);
      module._SET_STRING_ELT(vector, i, this.#withText(data[i].replaceAll("\0", ""), make));
    });
  }

  #vector(type: number, data: Plain[], put: (vector: Value, i: number) => void): Value {
    const vector = this.module._Rf_protect(this.module._Rf_allocVector(type, data.length));
    data.forEach((_, i) => put(vector, i));
    this.module._Rf_unprotect(1);
    return vector;
  }

  #list(data: Plain[]): Value {
    return this.#vector(TYPE.list, data, (list, i) => void this.module._SET_VECTOR_ELT(list, i, this.write(data[i])));
  }

  #raw(data: Uint8Array): Value {
    const vector = this.module._Rf_allocVector(TYPE.raw, data.length);
    this.module.HEAPU8.set(data, this.module._RAW(vector));
    return vector;
  }
}

function known<T>(value: number, map: (value: number) => T): T | null {
  return value === MISSING ? null : map(value);
}
