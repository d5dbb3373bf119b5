/** expr. */
import { compileRegex } from "../../../text/regex/regex.ts";
import { RegexError } from "../../../text/regex/syntax.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";

const COMPARISONS: Record<string, (order: number) => boolean> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  "=": (order) => order === 0,
  "==": (order) => order === 0,
  "!=": (order) => order !== 0,
  ">=": (order) => order >= 0,
  ">": (order) => order > 0,
};

function isInteger(text: string): boolean {
  return /^-?\d+$/.test(text);
}

/** Empty, or zero however it is written. */
function isNull(text: string): boolean {
  return text === "" || /^-?0+$/.test(text);
}

class ExprParser {
  #at = 0;

  constructor(private readonly words: string[]) {}

  run(): string {
    const value = this.#either(true);
    if (this.#at < this.words.length) {
      throw new CommandError(`syntax error: unexpected argument '${this.words[this.#at]}'`, 2);
    }
    return value;
  }

  #next(...words: string[]): string | undefined {
    const word = this.words[this.#at];
    if (word === undefined || !words.includes(word)) return undefined;
    this.#at++;
    return word;
  }

  /** With `counts` false, operands are read and not computed: division by zero does not matter there. */
  #either(counts: boolean): string {
    let left = this.#both(counts);
    while (this.#next("|")) {
      const right = this.#both(counts && isNull(left));
      if (isNull(left)) left = isNull(right) ? "0" : right;
    }
    return left;
  }

  #both(counts: boolean): string {
    let left = this.#comparison(counts);
    while (this.#next("&")) {
      const right = this.#comparison(counts && !isNull(left));
      if (isNull(left) || isNull(right)) left = "0";
    }
    return left;
  }

  #comparison(counts: boolean): string {
    let left = this.#sum(counts);
    for (let sign = this.#next(...Object.keys(COMPARISONS)); sign; sign = this.#next(...Object.keys(COMPARISONS))) {
      const right = this.#sum(counts);
      const order = isInteger(left) && isInteger(right)
        ? BigInt(left) < BigInt(right) ? -1 : BigInt(left) > BigInt(right) ? 1 : 0
        : left < right
        ? -1
        : left > right
        ? 1
        : 0;
      left = COMPARISONS[sign](order) ? "1" : "0";
    }
    return left;
  }

  #sum(counts: boolean): string {
    let left = this.#product(counts);
    for (let sign = this.#next("+", "-"); sign; sign = this.#next("+", "-")) {
      left = compute(left, sign, this.#product(counts), counts);
    }
    return left;
  }

  #product(counts: boolean): string {
    let left = this.#match(counts);
    for (let sign = this.#next("*", "/", "%"); sign; sign = this.#next("*", "/", "%")) {
      left = compute(left, sign, this.#match(counts), counts);
    }
    return left;
  }

  #match(counts: boolean): string {
    let left = this.#operand(counts);
    while (this.#next(":")) left = match(left, this.#operand(counts));
    return left;
  }

  #operand(counts: boolean): string {
    const word = this.words[this.#at++];
    if (word === undefined) {
      throw new CommandError(`syntax error: missing argument after '${this.words[this.words.length - 1]}'`, 2);
    }
    if (word === "(") {
      const value = this.#either(counts);
      if (this.#next(")")) return value;
      const found = this.words[this.#at];
      throw new CommandError(
        found === undefined
          ? `syntax error: expecting ')' after '${this.words[this.#at - 1]}'`
          : `syntax error: expecting ')' instead of '${found}'`,
        2,
      );
    }
    if (word === ")") throw new CommandError("syntax error: unexpected ')'", 2);
    if (word === "+") return this.words[this.#at] === undefined ? this.#operand(counts) : this.words[this.#at++];
    if (word === "length") return String([...this.#operand(counts)].length);
    if (word === "match") return match(this.#operand(counts), this.#operand(counts));
    if (word === "index") {
      const [text, chars] = [[...this.#operand(counts)], [...this.#operand(counts)]];
      return String(text.findIndex((char) => chars.includes(char)) + 1);
    }
    if (word !== "substr") return word;
    const [text, from, length] = [this.#operand(counts), this.#operand(counts), this.#operand(counts)];
    if (!isInteger(from) || !isInteger(length) || Number(from) < 1 || Number(length) < 1) return "";
    return [...text].slice(Number(from) - 1, Number(from) - 1 + Number(length)).join("");
  }
}

function compute(left: string, sign: string, right: string, counts: boolean): string {
  if (!counts) return left;
  if (!isInteger(left) || !isInteger(right)) throw new CommandError("non-integer argument", 2);
  const [a, b] = [BigInt(left), BigInt(right)];
  if (sign === "+") return String(a + b);
  if (sign === "-") return String(a - b);
  if (sign === "*") return String(a * b);
  if (b === 0n) throw new CommandError("division by zero", 2);
  return String(sign === "/" ? a / b : a % b);
}

function match(text: string, pattern: string): string {
  try {
    const matcher = compileRegex(pattern, { extended: false });
    const found = matcher.find(text, 0);
    const groups = matcher.groups > 0;
    if (!found || found.start !== 0) return groups ? "" : "0";
    return groups ? found.groups[0] ?? "" : String([...text.slice(0, found.end)].length);
  } catch (error) {
    if (error instanceof RegexError) throw new CommandError(error.message, 2);
    throw error;
  }
}

const expr = defineTool("expr", { synopsis: "EXPRESSION", code: 2 }, (tool) => {
  const words = tool.given.operands;
  if (words.length === 0) throw new UsageError("missing operand");
  const value = new ExprParser(words).run();
  tool.out.write(`${value}\n`);
  return isNull(value) ? 1 : 0;
}, (args) => {
  if (args.length === 1 && (args[0] === "--help" || args[0] === "--version")) return args;
  return args[0] === "--" ? args : ["--", ...args];
});

export const commands = [expr];
