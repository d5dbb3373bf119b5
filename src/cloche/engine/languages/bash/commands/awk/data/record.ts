/** The current record: split into fields when one is asked for, put together again when one has changed. */
import { AwkError } from "../errors.ts";
import { parseNumber } from "./numbers.ts";
import { splitBlanks, type Splitter } from "./splitting.ts";
import { type Conventions, Input, toNumber, toText, type Value } from "./values.ts";

const MOST_FIELDS = 50_000_000;

export class CurrentRecord {
  #text = "";
  #textIsValid = true;
  #fields: string[] = [];
  #isSplit = true;
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
    this.#split();
    return this.#fields[index - 1] ?? "";
  }

  valueOf(index: number): Value {
    if (index === 0) return new Input(this.text);
    if (index < 0) throw negative(index);
    this.#split();
    if (this.#assigned?.has(index)) return this.#assigned.get(index);
    const text = this.#fields[index - 1];
    return new Input(text ?? "");
  }

  numberOf(index: number): number {
    const assigned = this.#assigned?.get(index);
    return assigned === undefined ? parseNumber(this.textOf(index)) : toNumber(assigned);
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
    if (this.#isSplit) return;
    this.#isSplit = true;
    this.#fields = this.#splitter(this.#text);
  }

  #join(): void {
    this.#text = this.#fields.join(this.#separator);
    this.#textIsValid = true;
  }
}

function negative(index: number): AwkError {
  return new AwkError(`attempt to access field ${index}`);
}
