/** printf over byte strings, as bash does it. */
import { decodeText, encodeText } from "./byte_strings.ts";
import { quoteBackslash } from "../shell/expansion/quote.ts";
import { unescapeText } from "./escapes.ts";
import { strftime, type ZoneTime } from "./strftime.ts";

const HEAD = /%([-+ #0']*)(\*|\d+)?(?:(\.)(\*|-?\d+)?)?[hjlLtz]*/y;
const KINDS = "diouxXeEfFgGaAcsbqQn";
const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;

interface Spec {
  flags: string;
  width: number;
  precision: number | undefined;
  kind: string;
}

/** What printf prints; `ok` is false if there were messages that are no warnings. */
interface Formatted {
  bytes: string;
  /** What was said, and after how many bytes. */
  messages: [at: number, text: string][];
  ok: boolean;
}

/** What %n and times need. */
export interface Surroundings {
  /** Whether this is the program, not the builtin. */
  program?: boolean;
  /** Takes how many characters were printed before a %n; what is wrong with its name, if anything is. */
  count?(name: string, characters: number): string | undefined;
  zoneAt?(seconds: number): ZoneTime;
}

/** Formats arguments (strings); the format is used again while arguments are left. */
export function printf(format: string, args: string[], around: Surroundings = {}): Formatted {
  const run = new Run(encodeText(format), args.map(encodeText), around);
  run.all();
  return run;
}

class Run implements Formatted {
  bytes = "";
  messages: [at: number, text: string][] = [];
  ok = true;
  #next = 0;
  #stopped = false;

  constructor(
    private readonly format: string,
    private readonly args: string[],
    private readonly around: Surroundings,
  ) {}

  all(): void {
    do {
      const before = this.#next;
      this.#once();
      if (this.#next === before) return;
    } while (this.#next < this.args.length && !this.#stopped);
  }

  #once(): void {
    for (let at = 0; at < this.format.length && !this.#stopped;) {
      if (this.format[at] === "%") {
        at = this.#specification(at);
        continue;
      }
      const end = this.format.indexOf("%", at);
      const plain = this.format.slice(at, end < 0 ? undefined : end);
      const { program } = this.around;
      const { bytes, stopped, error } = unescapeText(plain, program ? "program format" : "format");
      if (error !== undefined && program) this.#fail(`printf: ${error}`);
      else if (error !== undefined) this.#say(`printf: ${error}`);
      this.#stopped ||= stopped;
      this.bytes += bytes;
      at += plain.length;
    }
  }

  /** Prints what a specification asks for; returns where it ends. */
  #specification(at: number): number {
    const { format } = this;
    HEAD.lastIndex = at;
    const match = HEAD.exec(format) as RegExpExecArray;
    const end = HEAD.lastIndex;
    const kind = format[end];
    if (kind === "%" && end === at + 1) {
      this.bytes += "%";
      return end + 1;
    }
    if (kind === "(") return this.#timed(at, match, end);
    if (kind !== undefined && KINDS.includes(kind)) {
      this.bytes += this.#value(this.#spec(match, kind));
      return end + 1;
    }
    this.#fail(
      kind === undefined
        ? `printf: \`${format.slice(at)}': missing format character`
        : `printf: \`${kind}': invalid format character`,
    );
    this.#stopped = true;
    return format.length;
  }

  /** `%(…)T` */
  #timed(at: number, match: RegExpExecArray, start: number): number {
    const { format } = this;
    let end = start;
    for (let depth = 0; end < format.length; end++) {
      if (format[end] === "(") depth++;
      else if (format[end] === ")" && --depth === 0) break;
    }
    if (format[end + 1] === "T") {
      const spec = this.#spec(match, "T");
      this.bytes += pad(encodeText(this.#time(format.slice(start + 1, end))), spec);
    } else {
      this.#say(`printf: warning: \`${format[end + 1] ?? ""}': invalid time format specification`);
      this.bytes += format.slice(at, end + 2);
    }
    return end + 2;
  }

  #spec([, flags, width, point, digits]: RegExpExecArray, kind: string): Spec {
    // A point alone is a precision of 0.
    const precision = point === undefined ? undefined : digits ?? "0";
    const star = width === "*" ? Number(this.#integer()) : Number(width ?? 0);
    const places = precision === "*"
      ? Number(this.#integer())
      : precision === undefined
      ? undefined
      : Number(precision);
    return {
      flags: star < 0 ? flags + "-" : flags,
      width: Math.abs(star),
      precision: places === undefined || places < 0 ? undefined : places,
      kind,
    };
  }

  #value(spec: Spec): string {
    switch (spec.kind) {
      case "s":
        return pad(this.#take() ?? "", spec);
      case "c":
        return pad((this.#take() ?? "").slice(0, 1) || "\0", { ...spec, precision: undefined });
      case "q":
        return pad(encodeText(quoteBackslash(textOf(this.#take() ?? ""))), spec);
      case "Q":
        return pad(encodeText(quoteBackslash(textOf((this.#take() ?? "").slice(0, spec.precision)))), {
          ...spec,
          precision: undefined,
        });
      case "n":
        this.#count(textOf(this.#take() ?? ""));
        return "";
      case "b": {
        const { bytes, stopped, error } = unescapeText(this.#take() ?? "", "argument");
        if (error !== undefined) this.#say(`printf: ${error}`);
        this.#stopped ||= stopped;
        return pad(bytes, spec);
      }
      case "d":
      case "i":
      case "o":
      case "u":
      case "x":
      case "X":
        return formatInteger(this.#integer(/[di]/.test(spec.kind)), spec);
      default:
        return formatFloat(this.#float(), spec);
    }
  }

  #take(): string | undefined {
    return this.args[this.#next++];
  }

  #time(format: string): string {
    const word = this.#take() ?? "-1";
    const when = word === "-1" || word === "-2" ? new Date() : new Date(Number(word) * 1000);
    return strftime(format || "%X", when, this.around.zoneAt?.(when.getTime() / 1000));
  }

  #count(name: string): void {
    const wrong = this.around.count?.(name, textOf(this.bytes).length);
    if (wrong !== undefined) this.#fail(`printf: ${wrong}`);
  }

  #integer(signed = true): bigint {
    const word = (this.#take() ?? "").trimStart();
    if (word === "") return 0n;
    if (/^['"]/.test(word)) return BigInt(textOf(word).codePointAt(1) ?? 0);
    const match = word.match(/^([-+]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9]\d*)/);
    if (!match || match[0] !== word) {
      this.#fail(`printf: ${word}: invalid ${/^[-+]?0\d/.test(word) ? "octal number" : "number"}`);
    }
    if (!match) return 0n;
    const digits = /^0[0-7]+$/.test(match[2]) ? `0o${match[2].slice(1)}` : match[2];
    const value = BigInt(digits) * (match[1] === "-" ? -1n : 1n);
    if (value <= (signed ? MAX_INT : MAX_UINT) && value >= (signed ? -MAX_INT - 1n : -MAX_UINT)) return value;
    this.#say(`printf: warning: ${word}: Numerical result out of range`);
    return signed ? value > 0n ? MAX_INT : -MAX_INT - 1n : MAX_UINT;
  }

  #float(): number {
    const word = (this.#take() ?? "").trim();
    if (word === "") return 0;
    if (/^['"]./.test(word)) return textOf(word).codePointAt(1) ?? 0;
    if (/^[-+]?inf(inity)?$/i.test(word)) return word.startsWith("-") ? -Infinity : Infinity;
    if (/^[-+]?nan$/i.test(word)) return NaN;
    const match = word.match(/^[-+]?(0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)/);
    if (!match || match[0] !== word) this.#fail(`printf: ${word}: invalid number`);
    return match ? Number(match[0].replace(/^\+/, "")) : 0;
  }

  #say(message: string): void {
    // Lines are written when they are whole.
    this.messages.push([this.bytes.lastIndexOf("\n") + 1, message]);
  }

  #fail(message: string): void {
    this.#say(message);
    this.ok = false;
  }
}

function textOf(bytes: string): string {
  return decodeText(bytes);
}

function pad(bytes: string, { flags, width, precision }: Spec): string {
  const cut = precision === undefined ? bytes : bytes.slice(0, precision);
  return flags.includes("-") ? cut.padEnd(width) : cut.padStart(width);
}

function formatInteger(value: bigint, spec: Spec): string {
  const signed = spec.kind === "d" || spec.kind === "i";
  const plain = signed ? (value < 0n ? -value : value) : BigInt.asUintN(64, value);
  const base = spec.kind === "o" ? 8 : /x/i.test(spec.kind) ? 16 : 10;
  let digits = plain.toString(base).padStart(spec.precision ?? 1, "0");
  let prefix = signed ? sign(value < 0n, spec.flags) : "";
  if (spec.flags.includes("#") && plain !== 0n) prefix = base === 16 ? "0x" : prefix;
  if (spec.flags.includes("#") && base === 8 && !digits.startsWith("0")) digits = "0" + digits;
  if (spec.kind === "X") [digits, prefix] = [digits.toUpperCase(), prefix.toUpperCase()];
  return fill(prefix, digits, spec, spec.precision === undefined);
}

function formatFloat(value: number, spec: Spec): string {
  const size = Math.abs(value);
  const lower = spec.kind.toLowerCase();
  const digits = !Number.isFinite(size) ? (Number.isNaN(size) ? "nan" : "inf") : floatDigits(size, lower, spec);
  const shown = spec.kind === lower ? digits : digits.toUpperCase();
  return fill(sign(value < 0 || Object.is(value, -0), spec.flags), shown, spec, Number.isFinite(size));
}

function floatDigits(size: number, kind: string, { precision, flags }: Spec): string {
  if (kind === "f") return toFixed(size, precision ?? 6) + (precision === 0 && flags.includes("#") ? "." : "");
  if (kind === "e") return exponent(size.toExponential(precision ?? 6));
  if (kind === "a") return `0x${size.toString(16)}p+0`;
  const places = precision === 0 ? 1 : precision ?? 6;
  const power = size === 0 ? 0 : Number(size.toExponential(places - 1).split("e")[1]);
  const scientific = power < -4 || power >= places;
  const text = scientific ? size.toExponential(places - 1) : toFixed(size, places - 1 - power);
  const trimmed = flags.includes("#") ? text : text.replace(/(\.\d*?)0+(?=e|$)/, "$1").replace(/\.(?=e|$)/, "");
  return scientific ? exponent(trimmed) : trimmed;
}

function toFixed(size: number, places: number): string {
  if (size >= 1e21) return BigInt(size).toString() + (places > 0 ? "." + "0".repeat(places) : "");
  const text = size.toFixed(Math.min(places, 100));
  // What is exactly in the middle goes to the even digit; JavaScript goes up.
  const halves = size * 2 ** (places + 1);
  const isMiddle = Number.isInteger(halves) && halves % 2 === 1;
  if (!isMiddle || Number(text.at(-1)) % 2 === 0) return text;
  const digits = String(BigInt(text.replace(".", "")) - 1n).padStart(places + 1, "0");
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

function exponent(text: string): string {
  return text.replace(/e([-+])(\d)$/, "e$10$2");
}

function sign(negative: boolean, flags: string): string {
  return negative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
}

function fill(prefix: string, digits: string, { flags, width }: Spec, zeros: boolean): string {
  if (flags.includes("-")) return (prefix + digits).padEnd(width);
  if (flags.includes("0") && zeros) return prefix + digits.padStart(width - prefix.length, "0");
  return (prefix + digits).padStart(width);
}
