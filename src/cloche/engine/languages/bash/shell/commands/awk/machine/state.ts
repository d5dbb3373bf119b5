/** What a running program is: its record, variables and settings. */
import { CurrentRecord } from "../data/record.ts";
import { byContent, bySeparator, byWidths, splitBlanks, type Splitter } from "../data/splitting.ts";
import { AwkArray, type Conventions, Input, type Slot, toBoolean, toText } from "../data/values.ts";
import { AwkError } from "../errors.ts";
import { PatternCache } from "../regex/pattern.ts";
import type { Names } from "../program/resolver.ts";
import type { RecordRule } from "./record_reader.ts";
import { type Cell, makeSpecialCells } from "./variables.ts";

const ASSIGNMENT = /^([A-Za-z_][A-Za-z_0-9]*)=([\s\S]*)$/;

export class MachineState {
  readonly conventions: Conventions = { convert: "%.6g", output: "%.6g", ignoreCase: false, bytes: false };
  readonly patterns = new PatternCache();
  readonly record = new CurrentRecord(this.conventions);
  readonly cells: Map<string, Cell>;
  /** NR and FNR */
  recordCount = 0;
  fileRecordCount = 0;
  /** OFS, ORS and SUBSEP */
  fieldSeparator = " ";
  recordSeparator = "\n";
  keySeparator = "\x1c";
  /** RT */
  terminator = "";
  recordRule: RecordRule = { kind: "character", text: "\n" };
  /** How `split` without a separator splits: by FS. */
  splitter: Splitter = splitBlanks;
  #fieldMode: "separator" | "widths" | "content" = "separator";
  #separator = " ";
  #recordEnd = "\n";
  #widths = "";
  #content = "";

  constructor(names: Names) {
    this.cells = makeSpecialCells(this);
    for (const [name, isArray] of names.globals) {
      const special = this.cells.get(name);
      if (special && isArray) throw new AwkError(`attempt to use scalar \`${name}' as an array`);
      if (!special) this.cells.set(name, { value: isArray ? new AwkArray() : undefined });
    }
  }

  /** The variable of a name, made if there is none. */
  cell(name: string): Cell {
    let cell = this.cells.get(name);
    if (!cell) this.cells.set(name, cell = { value: undefined });
    return cell;
  }

  /** The array of a name. */
  array(name: string): AwkArray {
    const cell = this.cell(name);
    if (cell.value === undefined) cell.value = new AwkArray();
    if (cell.value instanceof AwkArray) return cell.value;
    throw new AwkError(`attempt to use scalar \`${name}' as an array`);
  }

  /** Sets a variable as `-v` does; `word` is name=value. False if it is not of that form. */
  assign(word: string, unescape: (value: string) => string): boolean {
    const match = word.match(ASSIGNMENT);
    if (!match) return false;
    const cell = this.cell(match[1]);
    if (cell.value instanceof AwkArray) throw new AwkError(`cannot use array \`${match[1]}' as a variable`);
    cell.value = new Input(unescape(match[2]));
    return true;
  }

  textOf(value: Slot): string {
    return toText(value, this.conventions);
  }

  useSeparator(separator: string): void {
    this.#separator = separator;
    this.#fieldMode = "separator";
    this.#updateSplitter();
  }

  useWidths(widths: string): void {
    this.#widths = widths;
    this.#fieldMode = "widths";
    this.#updateSplitter();
  }

  useContent(pattern: string): void {
    this.#content = pattern;
    this.#fieldMode = "content";
    this.#updateSplitter();
  }

  useRecordEnd(end: string): void {
    this.#recordEnd = end;
    if (end === "") this.recordRule = { kind: "paragraph" };
    else if (end.length === 1 && !(this.conventions.ignoreCase && /\p{L}/u.test(end))) {
      this.recordRule = { kind: "character", text: end };
    } else this.recordRule = { kind: "pattern", pattern: this.patterns.get(end) };
    this.#updateSplitter();
  }

  useCase(value: Slot): void {
    const ignoreCase = toBoolean(value);
    if (ignoreCase === this.conventions.ignoreCase) return;
    this.conventions.ignoreCase = ignoreCase;
    this.patterns.ignoreCase = ignoreCase;
    this.useRecordEnd(this.#recordEnd);
  }

  /** The fields of a text between matches of a separator. */
  splitterFor(separator: string): Splitter {
    return bySeparator(separator, this.patterns, false);
  }

  #updateSplitter(): void {
    this.splitter = bySeparator(this.#separator, this.patterns, this.#recordEnd === "");
    const mode = this.#fieldMode;
    this.record.splitter = mode === "separator"
      ? this.splitter
      : mode === "widths"
      ? byWidths(this.#widths)
      : byContent(this.patterns.get(this.#content));
  }
}
