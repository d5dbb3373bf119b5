/** bc: arithmetic of any precision. */
import { unescapeText } from "../../text/escapes.ts";
import {
  add,
  compare,
  divide,
  formatNumber,
  int,
  modulo,
  multiply,
  type Num,
  ONE,
  parseNumber,
  raise,
  squareRoot,
  toInteger,
  ZERO,
} from "./number.ts";
import { call as mathCall } from "./math.ts";
import { type Expr, Parser, type Stmt } from "./parser.ts";
import {
  checkInterrupt,
  CommandError,
  type Context,
  defineCommand,
  readOptions,
  readText,
  stdinOf,
  textResult,
} from "../command.ts";
import { decodeText } from "../../text/byte_strings.ts";

const MATH_SCALE = 20;
const LINE = 69;
const MAX_DEPTH = 500;

class Leave {
  constructor(readonly how: "break" | "continue" | "return" | "quit", readonly value: Num = ZERO) {}
}

type Function = Stmt & { kind: "define" };

class Machine {
  out = "";
  errors = "";
  scale = 0;
  #input = 10;
  #output = 10;
  #last = ZERO;
  #depth = 0;
  #steps = 0;
  #names = new Map<string, Num>();
  #arrays = new Map<string, Map<bigint, Num>>();
  readonly #functions = new Map<string, Function>();

  constructor(private readonly ctx: Context, private readonly math: boolean) {
    if (math) this.scale = MATH_SCALE;
  }

  /** Runs a program; false if it said quit. */
  run(source: string): boolean {
    const parser = new Parser(source);
    for (;;) {
      try {
        const statement = parser.next();
        if (!statement) return true;
        this.#do(statement);
      } catch (error) {
        if (error instanceof Leave) {
          if (error.how === "quit") return false;
          continue;
        }
        if (!(error instanceof CommandError)) throw error;
        const syntax = error.message === "syntax error";
        this.errors += syntax
          ? "(standard_in) 1: syntax error\n"
          : `Runtime error (func=(main), adr=0): ${error.message}\n`;
        if (syntax) parser.recover();
      }
    }
  }

  #do(statement: Stmt): void {
    if (++this.#steps % 1024 === 0) checkInterrupt(this.ctx);
    switch (statement.kind) {
      case "expr":
        return this.#show(statement.value, statement.shown);
      case "print":
        for (const value of statement.values) this.#print(value);
        return;
      case "block":
        for (const inner of statement.body) this.#do(inner);
        return;
      case "if":
        if (this.#true(statement.test)) this.#do(statement.then);
        else if (statement.otherwise) this.#do(statement.otherwise);
        return;
      case "while":
        return this.#loop(statement.test, undefined, statement.body);
      case "for":
        if (statement.first) this.#value(statement.first);
        return this.#loop(statement.test, statement.step, statement.body);
      case "define":
        this.#functions.set(statement.name, statement);
        return;
      case "return":
        throw new Leave("return", statement.value && this.#value(statement.value));
      default:
        throw new Leave(statement.kind);
    }
  }

  #loop(test: Expr | undefined, step: Expr | undefined, body: Stmt): void {
    while (test === undefined || this.#true(test)) {
      try {
        this.#do(body);
      } catch (error) {
        if (!(error instanceof Leave) || error.how === "return" || error.how === "quit") throw error;
        if (error.how === "break") return;
      }
      if (step) this.#value(step);
    }
  }

  #show(expression: Expr, shown: boolean): void {
    if (expression.kind === "string") {
      this.out += expression.text;
      return;
    }
    const value = this.#value(expression);
    if (!shown) return;
    this.#last = value;
    this.out += wrap(formatNumber(value, this.#output)) + "\n";
  }

  #print(expression: Expr): void {
    if (expression.kind === "string") this.out += unescapeText(expression.text.replace(/\\q/g, '"'), "format").bytes;
    else this.out += wrap(formatNumber(this.#value(expression), this.#output));
  }

  #true(expression: Expr): boolean {
    return this.#value(expression).digits !== 0n;
  }

  #value(expression: Expr): Num {
    if (++this.#steps % 1024 === 0) checkInterrupt(this.ctx);
    switch (expression.kind) {
      case "number":
        return parseNumber(expression.text, this.#input);
      case "string":
        throw new CommandError("syntax error");
      case "name":
      case "element":
        return this.#read(expression);
      case "call":
        return this.#call(expression.name, expression.args);
      case "unary": {
        const of = this.#value(expression.of);
        if (expression.op === "!") return int(of.digits === 0n ? 1 : 0);
        return expression.op === "-" ? { ...of, digits: -of.digits } : of;
      }
      case "binary":
        return this.#binary(expression.op, expression.left, expression.right);
      case "assign": {
        const value = this.#value(expression.value);
        return this.#write(
          expression.to,
          expression.op === "" ? value : this.#compute(expression.op, this.#read(expression.to), value),
        );
      }
      case "step": {
        const before = this.#read(expression.to);
        const after = this.#write(expression.to, add(before, ONE, expression.op === "+" ? 1n : -1n));
        return expression.before ? after : before;
      }
    }
  }

  #binary(op: string, left: Expr, right: Expr): Num {
    if (op === "&&") return int(this.#true(left) && this.#true(right) ? 1 : 0);
    if (op === "||") return int(this.#true(left) || this.#true(right) ? 1 : 0);
    return this.#compute(op, this.#value(left), this.#value(right));
  }

  #compute(op: string, a: Num, b: Num): Num {
    const tests: Record<string, (order: number) => boolean> = {
      "==": (n) => n === 0,
      "!=": (n) => n !== 0,
      "<": (n) => n < 0,
      ">": (n) => n > 0,
      "<=": (n) => n <= 0,
      ">=": (n) => n >= 0,
    };
    if (op in tests) return int(tests[op](compare(a, b)) ? 1 : 0);
    switch (op) {
      case "+":
        return add(a, b);
      case "-":
        return add(a, b, -1n);
      case "*":
        return multiply(a, b, this.scale);
      case "/":
        return divide(a, b, this.scale);
      case "%":
        return modulo(a, b, this.scale);
      default:
        return raise(a, b, this.scale);
    }
  }

  #read(place: Expr): Num {
    if (place.kind === "element") return this.#arrays.get(place.name)?.get(toInteger(this.#value(place.index))) ?? ZERO;
    if (place.kind !== "name") throw new CommandError("syntax error");
    const special: Record<string, Num> = {
      scale: int(this.scale),
      ibase: int(this.#input),
      obase: int(this.#output),
      last: this.#last,
    };
    return special[place.name] ?? this.#names.get(place.name) ?? ZERO;
  }

  #write(place: Expr, value: Num): Num {
    if (place.kind === "element") {
      let array = this.#arrays.get(place.name);
      if (!array) this.#arrays.set(place.name, array = new Map());
      array.set(toInteger(this.#value(place.index)), value);
    } else if (place.kind === "name") {
      this.#assign(place.name, value);
    } else throw new CommandError("syntax error");
    return value;
  }

  #assign(name: string, value: Num): void {
    const number = Number(toInteger(value));
    if (name === "scale") this.scale = Math.max(0, number);
    else if (name === "ibase") this.#input = Math.min(36, Math.max(2, number));
    else if (name === "obase") this.#output = Math.max(2, number);
    else if (name === "last") this.#last = value;
    else this.#names.set(name, value);
  }

  #call(name: string, args: Expr[]): Num {
    const own = this.#functions.get(name);
    if (own) return this.#invoke(own, args);
    const [first] = args;
    if (first === undefined) throw new CommandError(`Function ${name} not defined.`);
    const value = this.#value(first);
    if (name === "sqrt") return squareRoot(value, this.scale);
    if (name === "length") return int(Math.max(String(value.digits).replace("-", "").length, value.scale, 1));
    if (name === "scale") return int(value.scale);
    if (this.math) return mathCall(name, value, this.scale);
    throw new CommandError(`Function ${name} not defined.`);
  }

  #invoke(own: Function, args: Expr[]): Num {
    if (args.length !== own.params.length) throw new CommandError("Parameter number mismatch");
    if (++this.#depth > MAX_DEPTH) throw new CommandError("Stack error");
    const given = args.map((arg) => arg.kind === "name" && arg.name.endsWith("[]") ? undefined : this.#value(arg));
    const [names, arrays, base] = [this.#names, this.#arrays, this.#input];
    const locals = new Set([...own.params, ...own.autos]);
    const saved = new Map([...locals].map((name) => [name, names.get(name)]));
    const savedArrays = new Map(
      [...locals].filter((name) => name.endsWith("[]")).map((
        name,
      ) => [name.slice(0, -2), arrays.get(name.slice(0, -2))]),
    );
    own.autos.forEach((name) => name.endsWith("[]") ? arrays.delete(name.slice(0, -2)) : names.set(name, ZERO));
    own.params.forEach((name, i) => {
      const arg = args[i];
      if (given[i] !== undefined) names.set(name, given[i] ?? ZERO);
      else if (arg.kind === "name") arrays.set(name.slice(0, -2), new Map(arrays.get(arg.name.slice(0, -2))));
    });
    try {
      this.#do(own.body);
      return ZERO;
    } catch (error) {
      if (error instanceof Leave && error.how === "return") return error.value;
      throw error;
    } finally {
      this.#depth--;
      this.#input = base;
      for (const [name, value] of saved) value === undefined ? names.delete(name) : names.set(name, value);
      for (const [name, value] of savedArrays) value === undefined ? arrays.delete(name) : arrays.set(name, value);
    }
  }
}

// Long numbers are broken as the real one breaks them.
function wrap(text: string): string {
  if (text.length <= LINE) return text;
  return (text.match(new RegExp(`.{1,${LINE - 1}}`, "g")) ?? []).join("\\\n");
}

const bc = defineCommand("bc", async (args, ctx) => {
  const given = readOptions(args, "lqswiv", {
    mathlib: "l",
    quiet: "q",
    standard: "s",
    warn: "w",
    interactive: "i",
    version: "v",
  });
  if (given.has("v")) return textResult("bc (cloche) 1.07\n");
  const machine = new Machine(ctx, given.has("l"));
  let open = true;
  for (const name of given.rest) open &&= machine.run(await readText(ctx, name));
  if (open) machine.run(decodeText(stdinOf(ctx)));
  return textResult(machine.out, 0, machine.errors);
});

export const commands = [bc];
