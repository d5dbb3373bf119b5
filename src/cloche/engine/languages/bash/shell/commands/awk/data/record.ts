/** The current record: split into fields when one is asked for, put together again when one has changed. */
import { AwkError } from "../errors.ts";
import { looksNumeric, parseNumber } from "./numbers.ts";
import { skipBlanks, skipWord, splitBlanks, type Splitter } from "./splitting.ts";
import { type Conventions, Input, isNumeric, toNumber, toText, type Value } from "./values.ts";

const MOST_FIELDS = 50_000_000;

export class CurrentRecord {
  #text = "";
  #textIsValid = true;
  #fields: string[] = [];
  #isSplit = true;
  /** Where the search for the next field begins; fields between blanks are found one by one. */
  #scanned = 0;
  /** Fields that the program has set, with their values. */
  #assigned: Map<number, Value> | undefined;
  #splitter: Splitter = splitBlanks;
  #separator = " ";

  constructor(private readonly conventions: Conventions) {}

  /** Starts a new record. */
  set text(text: string) {
    this.#text = text;
    this.#textIsValid = true;
    this.#isSplit = false;
    this.#scanned = 0;
    this.#fields = [];
    this.#assigned = undefined;
  }

  get text(): string {
    if (!this.#textIsValid) this.#join();
    return this.#text;
  }

  /** How the next records are split; this one is still split as it was to be. */
  set splitter(splitter: Splitter) {
    this.#split();
    this.#splitter = splitter;
  }

  /** OFS; a change is for what is put together later. */
  set separator(separator: string) {
    if (!this.#textIsValid) this.#join();
    this.#separator = separator;
  }

  get count(): number {
    this.#split();
    return this.#fields.length;
  }

  set count(count: number) {
    this.#split();
    if (!(count >= 0)) throw new AwkError("NF set to negative value");
    if (count > MOST_FIELDS) throw new AwkError(`NF set to ${count}: more than ${MOST_FIELDS} fields`);
    const fields = this.#fields;
    if (this.#assigned) { for (const index of this.#assigned.keys()) if (index > count) this.#assigned.delete(index); }
    while (fields.length < count) fields.push("");
    fields.length = count;
    this.#textIsValid = false;
  }

  /** A field's text; that of 0 is the record. */
  textOf(index: number): string {
    if (index === 0) return this.text;
    if (index < 0) throw negative(index);
    this.#splitTo(index);
    return index <= this.#fields.length ? this.#fields[index - 1] : "";
  }

  valueOf(index: number): Value {
    if (index === 0) return new Input(this.text);
    if (index < 0) throw negative(index);
    if (this.#assigned?.has(index)) return this.#assigned.get(index);
    return new Input(this.textOf(index));
  }

  numberOf(index: number): number {
    const assigned = this.#assigned?.get(index);
    return assigned === undefined ? parseNumber(this.textOf(index)) : toNumber(assigned);
  }

  /** The number that a field is, or undefined if it is a text. */
  numericOf(index: number): number | undefined {
    if (this.#assigned?.has(index)) {
      const assigned = this.#assigned.get(index);
      return isNumeric(assigned) ? toNumber(assigned) : undefined;
    }
    const text = this.textOf(index);
    return looksNumeric(text) ? parseNumber(text) : undefined;
  }

  set(index: number, value: Value): void {
    if (index === 0) {
      this.text = toText(value, this.conventions);
      return;
    }
    if (index < 0) throw negative(index);
    this.#split();
    if (index > this.#fields.length) this.count = index;
    this.#fields[index - 1] = toText(value, this.conventions);
    if (value instanceof Input) this.#assigned?.delete(index);
    else (this.#assigned ??= new Map()).set(index, value);
    this.#textIsValid = false;
  }

  #split(): void {
    if (!this.#isSplit) this.#splitTo(Infinity);
  }

  /** Splits at least up to a field. */
  #splitTo(index: number): void {
    if (this.#isSplit) return;
    if (this.#splitter !== splitBlanks) {
      this.#isSplit = true;
      this.#fields = this.#splitter(this.#text);
      return;
    }
    const fields = this.#fields;
    while (fields.length < index) {
      const begin = skipBlanks(this.#text, this.#scanned);
      if (begin === this.#text.length) {
        this.#isSplit = true;
        return;
      }
      this.#scanned = skipWord(this.#text, begin);
      fields.push(this.#text.slice(begin, this.#scanned));
    }
  }

  #join(): void {
    this.#text = this.#fields.join(this.#separator);
    this.#textIsValid = true;
  }
}

function negative(index: number): AwkError {
  return new AwkError(`attempt to access field ${index}`);
}
