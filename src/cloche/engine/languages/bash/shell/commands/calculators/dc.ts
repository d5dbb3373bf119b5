/** dc: the desk calculator with a stack. */
import { defineTool } from "../tool/define.ts";
import { CommandError } from "../tool/errors.ts";
import { LineReader } from "../tool/streams.ts";
import type { Tool } from "../tool/tool.ts";
import {
  add,
  compare,
  type Decimal,
  divide,
  formatDecimal,
  multiply,
  parseDecimal,
  raise,
  remainder,
  squareRoot,
  subtract,
  truncate,
  ZERO,
} from "./decimal.ts";

type Value = Decimal | string;

const USAGE = {
  letters: "e:f:hV",
  long: { "expression=": "e", "file=": "f" },
};
const STEPS = 500;
const MOST_DEPTH = 5000;

/** A program that is being run: text and place. */
interface Frame {
  text: string;
  at: number;
}

class Machine {
  #stack: Value[] = [];
  readonly #registers = new Map<string, Value[]>();
  readonly #arrays = new Map<string, Map<string, Value>>();
  readonly #frames: Frame[] = [];
  #scale = 0;
  #input = 10;
  #output = 10;
  #steps = 0;
  quit = false;

  constructor(private readonly tool: Tool, private readonly readLine: () => Promise<string | undefined>) {}

  async run(text: string): Promise<void> {
    this.#frames.push({ text, at: 0 });
    for (let frame = this.#frames.at(-1); frame !== undefined && !this.quit; frame = this.#frames.at(-1)) {
      if (frame.at >= frame.text.length) {
        this.#frames.pop();
        continue;
      }
      if (++this.#steps % STEPS === 0) await this.tool.attend();
      await this.#step(frame);
      if (this.tool.out.full) await this.tool.out.flush();
    }
  }

  async #step(frame: Frame): Promise<void> {
    const rest = frame.text.slice(frame.at, frame.at + 1);
    if (/[\d._A-F]/.test(rest)) return this.#number(frame);
    frame.at++;
    if (/\s/.test(rest)) return;
    if (rest === "[") return this.#string(frame);
    if (rest === "#") {
      const end = frame.text.indexOf("\n", frame.at);
      frame.at = end < 0 ? frame.text.length : end + 1;
      return;
    }
    if (rest === "?") {
      await this.tool.out.flush();
      const line = await this.readLine();
      if (line !== undefined) this.#execute(line);
      return;
    }
    if (rest === "!") return this.#compareOrRefuse(frame);
    if ("<>=".includes(rest)) return this.#compare(rest, false, frame);
    if ("+-*/%~^|".includes(rest)) return this.#arithmetic(rest);
    if ("sSlL:;".includes(rest)) return this.#register(rest, frame);
    this.#command(rest);
  }

  #number(frame: Frame): void {
    const [text] = /^_?[\dA-F]*(?:\.[\dA-F]*)?/.exec(frame.text.slice(frame.at)) ?? [""];
    frame.at += Math.max(1, text.length);
    this.#stack.push(parseDecimal(text, this.#input));
  }

  #string(frame: Frame): void {
    const start = frame.at;
    let depth = 1;
    for (; frame.at < frame.text.length && depth > 0; frame.at++) {
      if (frame.text[frame.at] === "[") depth++;
      else if (frame.text[frame.at] === "]") depth--;
    }
    this.#stack.push(frame.text.slice(start, depth === 0 ? frame.at - 1 : frame.at));
  }

  #complain(text: string): void {
    this.tool.complain(text);
  }

  /** The values on top, the deepest first; nothing is taken if there are too few. */
  #take(count: number): Value[] | undefined {
    if (this.#stack.length >= count) return this.#stack.splice(this.#stack.length - count);
    this.#complain("stack empty");
    return undefined;
  }

  /** The same for numbers. */
  #takeNumbers(count: number): Decimal[] | undefined {
    const values = this.#take(count);
    if (!values) return undefined;
    const numbers = values.filter((value): value is Decimal => typeof value !== "string");
    if (numbers.length === count) return numbers;
    this.#stack.push(...values);
    this.#complain("non-numeric value");
    return undefined;
  }

  #arithmetic(sign: string): void {
    const numbers = this.#takeNumbers(sign === "|" ? 3 : 2);
    if (!numbers) return;
    const [a, b, c] = numbers;
    const divisor = sign === "|" ? c : b;
    if ("/%~|".includes(sign) && divisor.digits === 0n) {
      this.#stack.push(...numbers);
      return this.#complain(sign === "%" ? "remainder by zero" : "divide by zero");
    }
    if (sign === "+") this.#stack.push(add(a, b));
    else if (sign === "-") this.#stack.push(subtract(a, b));
    else if (sign === "*") this.#stack.push(multiply(a, b, this.#scale));
    else if (sign === "/") this.#stack.push(divide(a, b, this.#scale));
    else if (sign === "%") this.#stack.push(remainder(a, b, this.#scale));
    else if (sign === "~") this.#stack.push(divide(a, b, this.#scale), remainder(a, b, this.#scale));
    else if (sign === "^") this.#stack.push(raise(a, truncate(b), this.#scale));
    else {
      let [result, square, left] = [1n, truncate(a), truncate(b)];
      const modulus = truncate(c);
      for (; left > 0n; left >>= 1n) {
        if (left & 1n) result = result * square % modulus;
        square = square * square % modulus;
      }
      this.#stack.push({ digits: result, scale: 0 });
    }
  }

  #register(kind: string, frame: Frame): void {
    const name = frame.text[frame.at++] ?? "";
    const values = this.#registers.get(name) ?? [];
    this.#registers.set(name, values);
    if (kind === ":" || kind === ";") return this.#array(kind, name);
    if (kind === "l") {
      this.#stack.push(values.at(-1) ?? ZERO);
      return;
    }
    if (kind === "L") {
      const value = values.pop();
      if (value === undefined) {
        return this.#complain(`stack register '${name}' (0${name.charCodeAt(0).toString(8)}) is empty`);
      }
      this.#stack.push(value);
      return;
    }
    const [value] = this.#take(1) ?? [];
    if (value === undefined) return;
    if (kind === "s") values.pop();
    values.push(value);
  }

  #array(kind: string, name: string): void {
    const array = this.#arrays.get(name) ?? new Map<string, Value>();
    this.#arrays.set(name, array);
    const [index] = this.#takeNumbers(1) ?? [];
    if (index === undefined) return;
    const key = String(truncate(index));
    if (kind === ";") {
      this.#stack.push(array.get(key) ?? ZERO);
      return;
    }
    const [value] = this.#take(1) ?? [];
    if (value !== undefined) array.set(key, value);
  }

  #compareOrRefuse(frame: Frame): void {
    const sign = frame.text[frame.at];
    if (sign !== undefined && "<>=".includes(sign)) {
      frame.at++;
      return this.#compare(sign, true, frame);
    }
    const end = frame.text.indexOf("\n", frame.at);
    frame.at = end < 0 ? frame.text.length : end + 1;
    throw new CommandError("running commands with `!' is not supported");
  }

  #compare(sign: string, negated: boolean, frame: Frame): void {
    const name = frame.text[frame.at++] ?? "";
    const [second, top] = this.#takeNumbers(2) ?? [];
    if (!second || !top) return;
    const order = compare(top, second);
    const holds = sign === "<" ? order < 0 : sign === ">" ? order > 0 : order === 0;
    if (holds === negated) return;
    const value = this.#registers.get(name)?.at(-1);
    if (typeof value === "string") this.#execute(value);
    else if (value !== undefined) this.#stack.push(value);
  }

  /** Runs a text; the last thing that a text does takes its place. */
  #execute(text: string): void {
    const frame = this.#frames.at(-1);
    if (frame && frame.at >= frame.text.length) this.#frames.pop();
    if (this.#frames.length >= MOST_DEPTH) {
      throw new CommandError(`macros are nested too deep: more than ${MOST_DEPTH}`);
    }
    this.#frames.push({ text, at: 0 });
  }

  #print(value: Value): string {
    return typeof value === "string" ? value : formatDecimal(value, this.#output);
  }

  #command(letter: string): void {
    const stack = this.#stack;
    const { out } = this.tool;
    switch (letter) {
      case "p":
        if (stack.length === 0) return this.#complain("stack empty");
        return out.write(`${this.#print(stack[stack.length - 1])}\n`);
      case "n": {
        const [value] = this.#take(1) ?? [];
        if (value !== undefined) out.write(this.#print(value));
        return;
      }
      case "P": {
        const [value] = this.#take(1) ?? [];
        if (value !== undefined) out.write(typeof value === "string" ? value : bytesOf(truncate(value)));
        return;
      }
      case "f":
        return out.write(stack.toReversed().map((value) => `${this.#print(value)}\n`).join(""));
      case "c":
        this.#stack = [];
        return;
      case "d":
        if (stack.length === 0) return this.#complain("stack empty");
        stack.push(stack[stack.length - 1]);
        return;
      case "r": {
        const [a, b] = this.#take(2) ?? [];
        if (a !== undefined) stack.push(b, a);
        return;
      }
      case "R": {
        const [count] = this.#takeNumbers(1) ?? [];
        if (count) this.#rotate(Number(truncate(count)));
        return;
      }
      case "z":
        stack.push({ digits: BigInt(stack.length), scale: 0 });
        return;
      case "v":
        return this.#root();
      case "q":
        // Leaves this text and the one that has called it.
        this.#frames.pop();
        if (this.#frames.pop() === undefined || this.#frames.length === 0) this.quit = true;
        return;
      case "Q": {
        const [count] = this.#takeNumbers(1) ?? [];
        if (count) this.#frames.splice(Math.max(1, this.#frames.length - Number(truncate(count))));
        return;
      }
      case "x": {
        const [value] = this.#take(1) ?? [];
        if (typeof value === "string") this.#execute(value);
        else if (value !== undefined) stack.push(value);
        return;
      }
      default:
        return this.#setting(letter);
    }
  }

  #root(): void {
    const [value] = this.#takeNumbers(1) ?? [];
    if (!value) return;
    if (value.digits >= 0n) this.#stack.push(squareRoot(value, this.#scale));
    else {
      this.#stack.push(value);
      this.#complain("square root of negative number");
    }
  }

  #rotate(count: number): void {
    const size = Math.min(Math.abs(count), this.#stack.length);
    if (size < 2) return;
    const top = this.#stack.splice(-size);
    this.#stack.push(...(count > 0 ? [...top.slice(1), top[0]] : [top[size - 1], ...top.slice(0, -1)]));
  }

  #setting(letter: string): void {
    const stack = this.#stack;
    if (letter === "I" || letter === "O" || letter === "K") {
      const value = letter === "I" ? this.#input : letter === "O" ? this.#output : this.#scale;
      stack.push({ digits: BigInt(value), scale: 0 });
      return;
    }
    if (letter === "Z" || letter === "X" || letter === "a") return this.#measure(letter);
    if (!"iok".includes(letter)) {
      return this.#complain(`'${letter}' (0${letter.charCodeAt(0).toString(8)}) unimplemented`);
    }
    const [value] = this.#takeNumbers(1) ?? [];
    if (!value) return;
    const number = Number(truncate(value));
    if (letter === "i") {
      if (number < 2 || number > 16) return this.#complain("input base must be a number between 2 and 16 (inclusive)");
      this.#input = number;
    } else if (letter === "o") {
      if (number < 2) return this.#complain("output base must be a number greater than 1");
      this.#output = number;
    } else if (number < 0) this.#complain("scale must be a nonnegative number");
    else this.#scale = number;
  }

  #measure(letter: string): void {
    const [value] = this.#take(1) ?? [];
    if (value === undefined) return;
    if (letter === "a") {
      const text = typeof value === "string" ? value.slice(0, 1) : String.fromCharCode(Number(truncate(value) & 255n));
      this.#stack.push(text);
      return;
    }
    const size = letter === "X"
      ? typeof value === "string" ? 0 : value.scale
      : typeof value === "string"
      ? value.length
      : Math.max(String(value.digits).replace("-", "").length, value.scale);
    this.#stack.push({ digits: BigInt(size), scale: 0 });
  }
}

/** A number as the bytes that it is in base 256. */
function bytesOf(value: bigint): string {
  let text = "";
  for (let left = value < 0n ? -value : value; left > 0n; left >>= 8n) {
    text = String.fromCharCode(Number(left & 255n)) + text;
  }
  return text;
}

const dc = defineTool("dc", USAGE, async (tool) => {
  const { given } = tool;
  const readLine = async () => {
    const reader = new LineReader(tool.open("-"), tool.coding);
    const [line, ...more] = await reader.next() ?? [];
    reader.giveBack(more);
    return line;
  };
  const machine = new Machine(tool, readLine);
  for (const [key, value = ""] of given.list) {
    if (machine.quit) break;
    if (key === "e") await machine.run(value);
    if (key === "f") await machine.run(await tool.readText(value));
  }
  const files = given.operands.length > 0 ? given.operands : given.list.length > 0 ? [] : ["-"];
  for (const name of files) if (!machine.quit) await machine.run(await tool.readText(name));
  return 0;
});

export const commands = [dc];
