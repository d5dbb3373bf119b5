/** seq. */
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";

const USAGE = {
  letters: "f:s:w",
  long: { "format=": "f", "separator=": "s", "equal-width": "w" },
  synopsis: "[OPTION]... [FIRST [INCREMENT]] LAST",
  strict: true,
};
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

interface Value {
  /** As a whole number of units of the last decimal. */
  value: number;
  decimals: number;
  width: number;
  exact: bigint | undefined;
}

function readValue(word: string): Value {
  const trimmed = word.trim();
  if (/^[-+]?inf(inity)?$/i.test(trimmed)) {
    return { value: trimmed.startsWith("-") ? -Infinity : Infinity, decimals: 0, width: 3, exact: undefined };
  }
  if (/^[-+]?0[xX][0-9a-fA-F]+$/.test(trimmed)) {
    const value = Number(trimmed.replace(/^[-+]/, "")) * (trimmed.startsWith("-") ? -1 : 1);
    return { value, decimals: 0, width: String(value).length, exact: undefined };
  }
  if (!NUMBER.test(trimmed)) {
    if (/^[-+]?nan$/i.test(trimmed)) throw new UsageError(`invalid 'not-a-number' argument: '${word}'`);
    throw new UsageError(`invalid floating point argument: '${word}'`);
  }
  const [, mantissa, exponent] = /^([^eE]*)(?:[eE](.*))?$/.exec(trimmed.replace(/^\+/, "")) ?? [];
  const [whole, fraction = ""] = mantissa.split(".");
  const decimals = Math.max(0, fraction.length - Number(exponent ?? 0));
  const exact = decimals === 0 && exponent === undefined ? BigInt(whole || "0") : undefined;
  const width = exponent === undefined
    ? whole.length + (whole === "" || whole === "-" ? 1 : 0)
    : String(Math.trunc(Number(trimmed))).length;
  return { value: Number(trimmed), decimals, width, exact };
}

const seq = defineTool("seq", USAGE, async (tool) => {
  const { given } = tool;
  const words = given.operands;
  if (words.length === 0) throw new UsageError("missing operand");
  if (words.length > 3) throw new UsageError(`extra operand '${words[3]}'`);
  const values = words.map(readValue);
  const last = values[values.length - 1];
  const first = values.length > 1 ? values[0] : readValue("1");
  const step = values.length > 2 ? values[1] : readValue("1");
  if (step.value === 0) throw new UsageError(`invalid Zero increment value: '${words[1]}'`);
  const format = given.get("f");
  if (format !== undefined && given.has("w")) {
    throw new UsageError("format string may not be specified when printing equal width strings");
  }
  const decimals = Math.max(first.decimals, step.decimals);
  const show = format === undefined ? makePlain(first, last, decimals, given.has("w")) : makeFormat(format);
  const glue = given.get("s") ?? "\n";
  const up = step.value > 0;
  const isWhole = decimals === 0 && first.exact !== undefined && step.exact !== undefined;
  let out = "";
  let count = 0;
  const isLarge = isWhole &&
    ![first, step, last].every(({ value }) => Number.isSafeInteger(value) || value === Infinity);
  const limit = last.exact ?? last.value;
  for (;; count++) {
    const value = isLarge && first.exact !== undefined && step.exact !== undefined
      ? first.exact + step.exact * BigInt(count)
      : isWhole
      ? first.value + step.value * count
      : count === 0
      ? first.value
      : Number((first.value + step.value * count).toFixed(Math.min(100, decimals)));
    if (up ? value > limit : value < limit) break;
    out += (count === 0 ? "" : glue) + show(value);
    if (out.length < 32768) continue;
    tool.out.write(out);
    out = "";
    await tool.out.flush();
    await tool.attend();
  }
  tool.out.write(count === 0 ? "" : `${out}\n`);
}, endOptions);

function makePlain(first: Value, last: Value, decimals: number, equal: boolean): (value: number | bigint) => string {
  const print = (value: number | bigint) =>
    typeof value === "bigint" || decimals === 0
      ? plainNumber(value)
      : (Object.is(value, -0) ? "-" : "") + value.toFixed(decimals);
  if (!equal) return print;
  const tail = decimals > 0 ? decimals + 1 : 0;
  const end = last.decimals > 0 && decimals === 0 ? String(Math.trunc(last.value)).length : last.width;
  const width = Math.max(first.width, end) + tail;
  return (value) => {
    const text = print(value);
    return text.startsWith("-") ? `-${text.slice(1).padStart(width - 1, "0")}` : text.padStart(width, "0");
  };
}

function plainNumber(value: number | bigint): string {
  return typeof value === "number" && Math.abs(value) >= 1e21 ? BigInt(value).toString() : String(value);
}

function makeFormat(format: string): (value: number | bigint) => string {
  const [whole, before, flags, width, precision, kind, after] =
    /^((?:[^%]|%%)*)%([-+ #0']*)(\d*)(?:\.(\d*))?[lL]?([aefgEFGA])((?:[^%]|%%)*)$/s.exec(format) ?? [];
  if (whole === undefined) {
    const bare = format.replace(/%%/g, "");
    if (!bare.includes("%")) throw new CommandError(`format '${format}' has no % directive`);
    if (/%[^%]*%/.test(bare)) throw new CommandError(`format '${format}' has too many % directives`);
    const [, bad] = /%[-+ #0']*\d*(?:\.\d*)?[lL]?(.?)/s.exec(bare) ?? [];
    throw new CommandError(
      bad === "" || bad === undefined
        ? `format '${format}' ends in %`
        : `format '${format}' has unknown %${bad} directive`,
    );
  }
  const digits = precision === undefined ? 6 : Number(precision || 0);
  return (value) => {
    const number = Number(value);
    const body = formatFloat(Math.abs(number), kind, digits, flags.includes("#"));
    const sign = number < 0 ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
    const size = Number(width || 0);
    const text = flags.includes("-")
      ? (sign + body).padEnd(size)
      : flags.includes("0")
      ? sign + body.padStart(size - sign.length, "0")
      : (sign + body).padStart(size);
    return before.replace(/%%/g, "%") + text + after.replace(/%%/g, "%");
  };
}

function formatFloat(value: number, kind: string, digits: number, keep: boolean): string {
  const exponential = (text: string) => text.replace(/e([-+])(\d)$/, "e$10$2");
  let text: string;
  if (kind === "f" || kind === "F") text = value.toFixed(digits);
  else if (kind === "e" || kind === "E") text = exponential(value.toExponential(digits));
  else {
    const precision = digits || 1;
    const exponent = value === 0 ? 0 : Number(value.toExponential(precision - 1).split("e")[1]);
    const scientific = exponent < -4 || exponent >= precision;
    text = scientific ? value.toExponential(precision - 1) : value.toFixed(precision - 1 - exponent);
    if (!keep && text.includes(".")) text = text.replace(/\.?0+(?=e|$)/, "");
    text = exponential(text);
  }
  return kind === kind.toUpperCase() ? text.toUpperCase() : text;
}

/** Numbers such as -1 are operands, not options. */
function endOptions(args: string[]): string[] {
  let at = 0;
  while (at < args.length && /^-[^\d.i]/.test(args[at]) && args[at] !== "--") at += /^-w*[fs]$/.test(args[at]) ? 2 : 1;
  return args[at] === "--" ? args : [...args.slice(0, at), "--", ...args.slice(at)];
}

export const commands = [seq];
