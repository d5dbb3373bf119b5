/** What runs bc's programs: a stack of values, variables, and functions. */
import { CommandError } from "../../tool/errors.ts";
import type { Tool } from "../../tool/tool.ts";
import {
  add,
  compare,
  type Decimal,
  divide,
  formatDecimal,
  multiply,
  ONE,
  parseDecimal,
  raise,
  remainder,
  squareRoot,
  subtract,
  truncate,
  ZERO,
} from "../decimal.ts";
import { bessel, FUNCTIONS } from "./functions.ts";

/** A step of a program. */
export type Step = (machine: Machine) => void;
export type Special = "scale" | "ibase" | "obase" | "last";

export interface Parameter {
  name: string;
  kind: "number" | "array" | "reference";
}

export interface FunctionCode {
  name: string;
  isVoid: boolean;
  parameters: Parameter[];
  locals: Parameter[];
  steps: Step[];
}

type Cells = Map<number, Decimal>;
type Saved = { name: string; number: Decimal | undefined } | { name: string; cells: Cells | undefined };

/** What continues when a function returns. */
interface Frame {
  name: string;
  steps: Step[];
  at: number;
  /** How numbers are read in the function: as when it was called. */
  base: number;
  depth: number;
  saved: Saved[];
}

const STEPS = 500;
const MOST_CELL = 16_777_215n;
const MOST_FRAMES = 100_000;
const MOST_SCALE = 1_000_000;
const MATH_SCALE = 20;

/** Ends the program. */
export class Halt extends Error {}

export class Machine {
  /** The step that comes next. */
  at = 0;
  readonly functions = new Map<string, FunctionCode>();
  #steps: Step[] = [];
  #stack: Decimal[] = [];
  #frames: Frame[] = [];
  #numbers = new Map<string, Decimal>();
  #arrays = new Map<string, Cells>();
  #scale = 0;
  #input = 10;
  #output = 10;
  #last = ZERO;
  #column = 0;
  #done = 0;
  #wait: Promise<void> | undefined;

  constructor(
    private readonly tool: Tool,
    private readonly hasMath: boolean,
    private readonly lineLength: number,
    private readonly readNumber: () => Promise<string>,
  ) {
    if (hasMath) this.#scale = MATH_SCALE;
  }

  /** Runs steps to their end; what goes wrong in them is reported. */
  async run(steps: Step[]): Promise<void> {
    [this.#steps, this.at] = [steps, 0];
    try {
      for (;;) {
        const step = this.#steps[this.at++];
        if (step !== undefined) step(this);
        else if (this.#frames.length > 0) this.return();
        else return;
        if (this.#wait) await this.#wait;
        if (++this.#done % STEPS > 0) continue;
        const turn = this.tool.attend();
        if (turn) await turn;
      }
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.#report("error", error.message);
      while (this.#frames.length > 0) this.return();
    } finally {
      this.#stack = [];
    }
  }

  push(value: Decimal): void {
    this.#stack.push(value);
  }

  pop(): Decimal {
    return this.#stack.pop() ?? ZERO;
  }

  popTruth(): boolean {
    return this.pop().digits !== 0n;
  }

  pushTruth(holds: boolean): void {
    this.push(holds ? ONE : ZERO);
  }

  /** Pushes what is on top once more. */
  copyTop(): void {
    this.push(this.#stack.at(-1) ?? ZERO);
  }

  pushNumber(text: string): void {
    this.push(this.#parse(text));
  }

  /** A digit on its own means itself in every base, one among others the largest that the base has. */
  #parse(text: string): Decimal {
    const base = this.#frames.at(-1)?.base ?? this.#input;
    return parseDecimal(text, base, /^-?0*[0-9A-Z]$/.test(text) ? 35 : base - 1);
  }

  negate(): void {
    const { digits, scale } = this.pop();
    this.push({ digits: -digits, scale });
  }

  compute(sign: string): void {
    const right = this.pop();
    const left = this.pop();
    this.push(this.#compute(sign, left, right));
  }

  #compute(sign: string, left: Decimal, right: Decimal): Decimal {
    if ((sign === "/" || sign === "%") && right.digits === 0n) {
      throw new CommandError(sign === "/" ? "Divide by zero" : "Modulo by zero");
    }
    if (sign === "+") return add(left, right);
    if (sign === "-") return subtract(left, right);
    if (sign === "*") return multiply(left, right, this.#scale);
    if (sign === "/") return divide(left, right, this.#scale);
    if (sign === "%") return remainder(left, right, this.#scale);
    const exponent = truncate(right);
    if (right.digits % 10n ** BigInt(right.scale) !== 0n) this.#report("warning", "non-zero scale in exponent");
    if (exponent < 0n && left.digits === 0n) throw new CommandError("divide by zero");
    return raise(left, exponent, this.#scale);
  }

  compare(sign: string): void {
    const right = this.pop();
    const order = compare(this.pop(), right);
    if (sign === "==") this.pushTruth(order === 0);
    else if (sign === "!=") this.pushTruth(order !== 0);
    else if (sign === "<") this.pushTruth(order < 0);
    else if (sign === ">") this.pushTruth(order > 0);
    else this.pushTruth(sign === "<=" ? order <= 0 : order >= 0);
  }

  load(name: string): void {
    this.push(this.#numbers.get(name) ?? ZERO);
  }

  /** What is on top becomes the value, and stays. */
  store(name: string): void {
    this.#numbers.set(name, this.#stack.at(-1) ?? ZERO);
  }

  #popCell(name: string): number {
    const cell = truncate(this.pop());
    if (cell < 0n || cell > MOST_CELL) throw new CommandError(`Array ${name} subscript out of bounds.`);
    return Number(cell);
  }

  #cellsOf(name: string): Cells {
    let cells = this.#arrays.get(name);
    if (!cells) this.#arrays.set(name, cells = new Map());
    return cells;
  }

  loadCell(name: string): void {
    const cell = this.#popCell(name);
    this.push(this.#arrays.get(name)?.get(cell) ?? ZERO);
  }

  /** The same for a cell whose number is below the value. */
  storeCell(name: string): void {
    const value = this.pop();
    this.#cellsOf(name).set(this.#popCell(name), value);
    this.push(value);
  }

  loadSpecial(name: Special): void {
    if (name === "last") return this.push(this.#last);
    const value = name === "scale" ? this.#scale : name === "ibase" ? this.#input : this.#output;
    this.push({ digits: BigInt(value), scale: 0 });
  }

  storeSpecial(name: Special): void {
    const value = this.#stack.at(-1) ?? ZERO;
    const number = truncate(value);
    if (name === "last") this.#last = value;
    else if (name === "scale") this.#scale = this.#bound(name, number, 0, MOST_SCALE);
    else if (name === "ibase") this.#input = this.#bound(name, number, 2, 36);
    else this.#output = this.#bound(name, number, 2, 2 ** 31 - 1);
  }

  #bound(name: string, value: bigint, least: number, most: number): number {
    if (value < least) {
      this.#report("warning", name === "scale" ? "negative scale, set to 0" : `${name} too small, set to ${least}`);
      return least;
    }
    if (value <= most) return Number(value);
    this.#report("warning", `${name} too large, set to ${most}`);
    return most;
  }

  /** Calls a function with what is on the stack, and with arrays, which are named. */
  call(name: string, args: (string | undefined)[]): void {
    const values = args.map(() => ZERO);
    for (let i = args.length - 1; i >= 0; i--) if (args[i] === undefined) values[i] = this.pop();
    const code = this.functions.get(name);
    if (code) return this.#enter(code, args, values);
    const known = this.hasMath && !args.some((arg) => arg !== undefined) ? FUNCTIONS[name] : undefined;
    if (known && args.length === 1) return this.push(known(values[0], this.#scale));
    if (name === "j" && this.hasMath && args.length === 2) return this.push(bessel(values[0], values[1], this.#scale));
    throw new CommandError(known ? "Parameter number mismatch" : `Function ${name} not defined.`);
  }

  #enter(code: FunctionCode, args: (string | undefined)[], values: Decimal[]): void {
    const { parameters, locals } = code;
    if (args.length !== parameters.length) throw new CommandError("Parameter number mismatch");
    if (this.#frames.length >= MOST_FRAMES) throw new CommandError(`Functions are nested too deep: ${MOST_FRAMES}`);
    const given = parameters.map(({ name, kind }, i) => {
      const array = args[i];
      if ((array === undefined) !== (kind === "number")) {
        throw new CommandError(`Parameter type mismatch, parameter ${name}.`);
      }
      if (array === undefined) return values[i];
      return kind === "reference" ? this.#cellsOf(array) : new Map(this.#arrays.get(array));
    });
    const saved = [...parameters, ...locals].map(({ name, kind }): Saved =>
      kind === "number" ? { name, number: this.#numbers.get(name) } : { name, cells: this.#arrays.get(name) }
    );
    for (const { name, kind } of locals) {
      if (kind === "number") this.#numbers.delete(name);
      else this.#arrays.delete(name);
    }
    parameters.forEach(({ name }, i) => {
      const value = given[i];
      if (value instanceof Map) this.#arrays.set(name, value);
      else this.#numbers.set(name, value);
    });
    const depth = this.#stack.length;
    this.#frames.push({ name: code.name, steps: this.#steps, at: this.at, base: this.#input, depth, saved });
    [this.#steps, this.at] = [code.steps, 0];
  }

  /** Leaves a function with this value. */
  return(value = ZERO): void {
    const frame = this.#frames.pop();
    if (!frame) return;
    for (const kept of frame.saved.toReversed()) {
      if ("number" in kept) putBack(this.#numbers, kept.name, kept.number);
      else putBack(this.#arrays, kept.name, kept.cells);
    }
    [this.#steps, this.at] = [frame.steps, frame.at];
    this.#stack.length = frame.depth;
    this.push(value);
  }

  squareRoot(): void {
    const value = this.pop();
    if (value.digits < 0n) throw new CommandError("Square root of a negative number");
    this.push(squareRoot(value, this.#scale));
  }

  measure(what: "length" | "scale"): void {
    const { digits, scale } = this.pop();
    const size = String(digits).replace("-", "").length;
    this.push({ digits: BigInt(what === "scale" ? scale : Math.max(size, scale)), scale: 0 });
  }

  readInput(): void {
    const read = async () => {
      await this.tool.flush();
      const [, sign, digits] = /^\s*(-?)\s*([0-9A-Z]*\.?[0-9A-Z]*)/.exec(await this.readNumber()) ?? [];
      this.push(this.#parse(sign + digits));
      this.#wait = undefined;
    };
    this.#wait = read();
  }

  /** Prints the value of a statement. */
  show(): void {
    this.#last = this.pop();
    this.#printNumber(this.#last);
    this.print("\n");
  }

  printTop(): void {
    this.#printNumber(this.pop());
  }

  #printNumber(value: Decimal): void {
    this.print(value.digits === 0n ? "0" : formatDecimal(value, this.#output));
  }

  /** Prints text; lines that are too long are continued. */
  print(text: string): void {
    const room = this.lineLength - 2;
    if (this.lineLength === 0) return this.tool.print(text);
    for (const part of text.split(/(\n)/)) {
      let rest = part;
      while (rest !== "\n" && this.#column + rest.length > room) {
        this.tool.print(`${rest.slice(0, room - this.#column)}\\\n`);
        rest = rest.slice(room - this.#column);
        this.#column = 0;
      }
      this.tool.print(rest);
      this.#column = rest === "\n" ? 0 : this.#column + rest.length;
    }
  }

  #report(kind: "error" | "warning", message: string): void {
    const name = this.#frames.at(-1)?.name ?? "(main)";
    this.tool.say(`Runtime ${kind} (func=${name}, adr=${this.at}): ${message}`);
  }
}

function putBack<T>(map: Map<string, T>, name: string, value: T | undefined): void {
  if (value === undefined) map.delete(name);
  else map.set(name, value);
}
