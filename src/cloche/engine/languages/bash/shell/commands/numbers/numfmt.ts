/** numfmt: numbers with units, and back. */
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import type { Tool } from "../tool/tool.ts";

const USAGE = {
  letters: "d:z",
  long: {
    "from=": "from",
    "from-unit=": "from-unit",
    "to=": "to",
    "to-unit=": "to-unit",
    "round=": "round",
    "suffix=": "suffix",
    "padding=": "padding",
    "field=": "field",
    "delimiter=": "d",
    "format=": "format",
    "header?": "header",
    "invalid=": "invalid",
    grouping: "grouping",
    "zero-terminated": "z",
    debug: "debug",
  },
  synopsis: "[OPTION]... [NUMBER]...",
};
const UNITS = "KMGTPEZY";
const SCALES = ["none", "auto", "si", "iec", "iec-i"];
const ROUNDINGS: Record<string, (value: number) => number> = {
  up: Math.ceil,
  down: Math.floor,
  "from-zero": (value) => value < 0 ? Math.floor(value) : Math.ceil(value),
  "towards-zero": Math.trunc,
  nearest: (value) => Math.sign(value) * Math.round(Math.abs(value)),
};

class Invalid extends Error {}

interface Format {
  prefix: string;
  suffix: string;
  width: number | undefined;
  left: boolean;
  zeros: boolean;
  precision: number | undefined;
}

function readFormat(format: string): Format {
  const [whole, before, flags, width, precision, after] =
    /^((?:[^%]|%%)*)%([-0' ]*)(\d*)(?:\.(\d*))?f((?:[^%]|%%)*)$/s.exec(format) ?? [];
  if (whole === undefined) {
    if (!format.replaceAll("%%", "").includes("%")) throw new CommandError(`format '${format}' has no % directive`);
    throw new CommandError(`invalid format '${format}', directive must be %[0]['][-][N][.][N]f`);
  }
  return {
    prefix: before.replaceAll("%%", "%"),
    suffix: after.replaceAll("%%", "%"),
    width: width === "" ? undefined : Number(width),
    left: flags.includes("-"),
    zeros: flags.includes("0"),
    precision: precision === undefined ? undefined : Number(precision || 0),
  };
}

function unitSize(word: string | undefined): number {
  if (word === undefined) return 1;
  const [, digits, letter, i] = /^(\d*)([KMGTPEZY]?)(i?)$/.exec(word) ?? [];
  if (digits === undefined || word === "" || digits === "0") throw new CommandError(`invalid unit size: '${word}'`);
  return Number(digits || 1) * (i ? 1024 : 1000) ** (UNITS.indexOf(letter || "?") + 1);
}

function parse(text: string, from: string): number {
  const [whole, number, letter, i] = /^([-+]?\d+(?:\.\d+)?)([KMGTPEZYk]?)(i?)$/.exec(text) ?? [];
  if (whole === undefined) {
    const [start] = /^[-+]?\d+(?:\.\d+)?/.exec(text) ?? [];
    if (start === undefined) throw new Invalid(`invalid number: '${text}'`);
    throw new Invalid(
      /^[A-Za-z]/.test(text.slice(start.length)) && from === "none"
        ? `rejecting suffix in input: '${text}' (consider using --from)`
        : `invalid suffix in input: '${text}'`,
    );
  }
  if (letter === "") {
    if (i !== "") throw new Invalid(`invalid suffix in input: '${text}'`);
    return Number(number);
  }
  if (from === "none") throw new Invalid(`rejecting suffix in input: '${text}' (consider using --from)`);
  if (from === "iec-i" && i === "") throw new Invalid(`missing 'i' suffix in input: '${text}' (e.g Ki/Mi/Gi)`);
  if ((from === "si" || from === "iec") && i !== "") throw new Invalid(`invalid suffix in input '${text}': 'i'`);
  const base = from === "si" || from === "auto" && i === "" ? 1000 : 1024;
  return Number(number) * base ** (UNITS.indexOf(letter.toUpperCase()) + 1);
}

class Converter {
  readonly #from: string;
  readonly #to: string;
  readonly #round: (value: number) => number;
  readonly #format: Format | undefined;
  readonly #padding: number;
  readonly #fromUnit: number;
  readonly #toUnit: number;

  constructor(private readonly tool: Tool) {
    const { given } = tool;
    const choose = (key: string) => {
      const word = given.get(key) ?? "none";
      if (!SCALES.includes(word) || key === "to" && word === "auto") {
        throw new UsageError(`invalid argument '${word}' for '--${key}'`);
      }
      return word;
    };
    this.#from = choose("from");
    this.#to = choose("to");
    const rounding = given.get("round") ?? "from-zero";
    if (!(rounding in ROUNDINGS)) throw new UsageError(`invalid argument '${rounding}' for '--round'`);
    this.#round = ROUNDINGS[rounding];
    const format = given.get("format");
    this.#format = format === undefined ? undefined : readFormat(format);
    const padding = given.get("padding") ?? "0";
    if (!/^-?\d+$/.test(padding) || given.has("padding") && Number(padding) === 0) {
      throw new CommandError(`invalid padding value '${padding}'`);
    }
    this.#padding = this.#format?.width === undefined
      ? Number(padding)
      : this.#format.width * (this.#format.left ? -1 : 1);
    this.#fromUnit = unitSize(given.get("from-unit"));
    this.#toUnit = unitSize(given.get("to-unit"));
  }

  /** A field, converted; `width` is what it takes if nothing else is said. */
  convert(field: string, width: number): string {
    const suffix = this.tool.given.get("suffix") ?? "";
    const bare = suffix !== "" && field.endsWith(suffix) ? field.slice(0, -suffix.length) : field;
    const decimals = /\.(\d+)/.exec(bare)?.[1].length ?? 0;
    const value = parse(bare, this.#from) * this.#fromUnit / this.#toUnit;
    let text = this.#show(value, decimals) + suffix;
    if (this.#format?.zeros && this.#format.width) {
      text = text.startsWith("-")
        ? `-${text.slice(1).padStart(this.#format.width - 1, "0")}`
        : text.padStart(this.#format.width, "0");
    }
    const padding = this.#padding === 0 ? width : this.#padding;
    const padded = padding < 0 ? text.padEnd(-padding) : text.padStart(padding);
    return `${this.#format?.prefix ?? ""}${padded}${this.#format?.suffix ?? ""}`;
  }

  #show(value: number, decimals: number): string {
    const precision = this.#format?.precision;
    const rounded = (amount: number, places: number) =>
      (this.#round(Number((amount * 10 ** places).toPrecision(15))) / 10 ** places).toFixed(places);
    if (this.#to === "none") {
      return rounded(
        value,
        precision ??
          (this.#fromUnit === 1 && this.#toUnit === 1 && this.#from === "none"
            ? decimals
            : Number.isInteger(value)
            ? 0
            : decimals),
      );
    }
    const base = this.#to === "si" ? 1000 : 1024;
    let power = 0;
    let scaled = value;
    while (Math.abs(scaled) >= base && power < UNITS.length) {
      scaled /= base;
      power++;
    }
    const places = precision ?? (power > 0 && Math.abs(scaled) < 10 ? 1 : 0);
    let text = rounded(scaled, places);
    if (Math.abs(Number(text)) >= base && power < UNITS.length) {
      power++;
      text = rounded(Number(text) / base, precision ?? 1);
    } else if (precision === undefined && places === 1 && Math.abs(Number(text)) >= 10) text = rounded(scaled, 0);
    return text + (power === 0 ? "" : UNITS[power - 1] + (this.#to === "iec-i" ? "i" : ""));
  }
}

function readFields(word: string): (field: number) => boolean {
  if (word === "-") return () => true;
  const ranges = word.split(",").map((part) => {
    const [, first, dash, last] = /^(\d*)(-?)(\d*)$/.exec(part) ?? [];
    if (first === undefined || part === "" || part === "0") throw new CommandError(`invalid field value '${part}'`);
    return [Number(first || 1), dash === "" ? Number(first) : Number(last || Infinity)];
  });
  return (field) => ranges.some(([first, last]) => field >= first && field <= last);
}

const numfmt = defineTool("numfmt", USAGE, async (tool) => {
  const { given } = tool;
  const converter = new Converter(tool);
  const chosen = readFields(given.get("field") ?? "1");
  const delimiter = given.get("d");
  const mode = given.get("invalid") ?? "abort";
  // The locales of a sandbox group no digits.
  if (given.has("grouping") && given.has("format")) {
    throw new CommandError("--grouping cannot be combined with --format");
  }
  if (given.has("grouping") && given.has("to")) throw new CommandError("grouping cannot be combined with --to");
  if (!["abort", "fail", "warn", "ignore"].includes(mode)) {
    throw new UsageError(`invalid argument '${mode}' for '--invalid'`);
  }
  const mark = given.has("z") ? "\0" : "\n";
  const change = (line: string): string => {
    let field = 0;
    const parts = delimiter === undefined ? line.match(/[ \t]*[^ \t]+|[ \t]+$/g) ?? [line] : line.split(delimiter);
    return parts.map((part) => {
      if (!chosen(++field)) return part;
      const text = part.trimStart();
      const blanks = part.length - text.length;
      try {
        const keeps = delimiter === undefined && blanks > (field === 1 ? 0 : 1);
        const lead = delimiter === undefined && field > 1 ? " " : "";
        return lead + converter.convert(text, keeps ? part.length - lead.length : 0);
      } catch (error) {
        if (!(error instanceof Invalid)) throw error;
        if (mode === "abort") throw new CommandError(error.message, 2);
        if (mode !== "ignore") tool.complain(error.message);
        if (mode === "fail") tool.code = 2;
        return part;
      }
    }).join(delimiter ?? "");
  };
  if (given.operands.length > 0) {
    for (const word of given.operands) tool.out.write(change(word) + mark);
    return tool.code;
  }
  let header = given.has("header") ? Number(given.get("header") || 1) : 0;
  for await (const lines of tool.batches(tool.open("-"), mark.charCodeAt(0))) {
    for (const line of lines) {
      tool.out.write((header > 0 ? line : change(line)) + mark);
      header--;
    }
  }
  return tool.code;
}, (args) => {
  // A negative number is no option.
  const at = args.findIndex((arg) => /^-\d/.test(arg));
  return at < 0 || args.includes("--") ? args : [...args.slice(0, at), "--", ...args.slice(at)];
});

export const commands = [numfmt];
