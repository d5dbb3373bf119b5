/**
 * Emits instructions. What may wait inside of an expression (calls, getline, system) is taken out of it: it becomes an
 * instruction of its own that leaves its value in the frame, and the rest of the expression is evaluated afterwards.
 */
import { AwkError } from "../errors.ts";
import { type Instruction, type Machine } from "../machine/machine.ts";
import type { BuiltinExpr, CallExpr, Expr, GetlineExpr, Target } from "../program/syntax.ts";
import { childrenOf, retarget, withChildren } from "../program/walk.ts";
import { toBoolean } from "../data/values.ts";
import type { ExpressionCompiler } from "./expressions.ts";
import { compileGetline } from "./getline.ts";

/** A place in the code that is known later. */
export class Label {
  at = -1;
}

/** Built-in functions that wait. */
const WAITING = new Set(["system", "close", "fflush"]);

/** Arguments that are variables, not values. */
const REFERENCES: Record<string, number[]> = {
  split: [1, 3],
  patsplit: [1, 3],
  match: [2],
  asort: [0, 1],
  asorti: [0, 1],
  sub: [2],
  gsub: [2],
  length: [0],
  isarray: [0],
  typeof: [0],
};

function waits(expr: Expr): boolean {
  if (expr.kind === "call" || expr.kind === "getline") return true;
  if (expr.kind === "builtin" && WAITING.has(expr.name)) return true;
  return childrenOf(expr).some(waits);
}

export class Emitter {
  readonly instructions: Instruction[] = [];
  readonly lines: number[] = [];
  /** The line of the program that is compiled. */
  line = 0;

  constructor(readonly machine: Machine, readonly expressions: ExpressionCompiler, private slots: number) {}

  /** How many values a frame holds. */
  get slotCount(): number {
    return this.slots;
  }

  /** A new place in the frame. */
  reserve(): number {
    return this.slots++;
  }

  /** Adds an instruction, which is told the place of the next. */
  emit(make: (next: number) => Instruction): void {
    this.lines.push(this.line);
    this.instructions.push(make(this.instructions.length + 1));
  }

  /** Adds an instruction that goes on with the next. */
  emitAction(act: () => void): void {
    this.emit((next) => () => {
      act();
      return next;
    });
  }

  place(label: Label): void {
    label.at = this.instructions.length;
  }

  jump(label: Label): void {
    this.emit(() => () => label.at);
  }

  /** A jump to an earlier place. */
  jumpBack(label: Label): void {
    const { machine } = this;
    this.emit(() => () => machine.jumpBack(label.at));
  }

  /** Jumps if the expression is not as wanted. */
  branch(expr: Expr, wanted: boolean, otherwise: Label): void {
    const test = this.expressions.test(this.plain(expr));
    this.emit(wanted ? (next) => () => test() ? next : otherwise.at : (next) => () => test() ? otherwise.at : next);
  }

  /** The expression without what waits, whose instructions are added. */
  plain(expr: Expr): Expr {
    if (!waits(expr)) return expr;
    switch (expr.kind) {
      case "logic":
        return this.#logic(expr.op, expr.left, expr.right);
      case "choice":
        return this.#choice(expr.test, expr.yes, expr.no);
      case "call":
        return this.#call(expr);
      case "getline":
        return this.#getline(expr);
      case "builtin":
        return this.#builtin(expr);
      case "group":
        return this.plain(expr.parts[0]);
    }
    return withChildren(expr, this.plainAll(childrenOf(expr)));
  }

  /** Expressions that are evaluated together; `references` are places of variables among them. */
  plainAll(exprs: Expr[], references: number[] = []): Expr[] {
    const last = exprs.findLastIndex(waits);
    return exprs.map((expr, i) => {
      if (references.includes(i)) return this.#plainReference(expr, i < last);
      const plain = this.plain(expr);
      // What comes before a call must not see what the call changes.
      return i < last ? this.hold(plain) : plain;
    });
  }

  /** Evaluates an expression now and returns the place of its value. */
  hold(expr: Expr): Expr {
    if (["number", "string", "regex", "temporary"].includes(expr.kind)) return expr;
    const slot = this.reserve();
    const { machine } = this;
    const value = this.expressions.value(expr);
    this.emitAction(() => machine.locals[slot] = value());
    return { kind: "temporary", slot };
  }

  #plainReference(expr: Expr, hold: boolean): Expr {
    if (expr.kind === "group") return this.#plainReference(expr.parts[0], hold);
    if (expr.kind !== "name" && expr.kind !== "field" && expr.kind !== "element") return this.plain(expr);
    const keys = this.plainAll(childrenOf(expr));
    return retarget(expr, hold ? keys.map((key) => this.hold(key)) : keys);
  }

  #logic(op: "&&" | "||", left: Expr, right: Expr): Expr {
    const slot = this.reserve();
    const end = new Label();
    const { machine } = this;
    const first = this.expressions.test(this.plain(left));
    const goesOn = op === "&&";
    this.emit((next) => () => {
      const result = first();
      machine.locals[slot] = result ? 1 : 0;
      return result === goesOn ? next : end.at;
    });
    const second = this.expressions.test(this.plain(right));
    this.emitAction(() => machine.locals[slot] = second() ? 1 : 0);
    this.place(end);
    return { kind: "temporary", slot };
  }

  #choice(test: Expr, yes: Expr, no: Expr): Expr {
    const slot = this.reserve();
    const [otherwise, end] = [new Label(), new Label()];
    const { machine } = this;
    this.branch(test, true, otherwise);
    const first = this.expressions.value(this.plain(yes));
    this.emit(() => () => {
      machine.locals[slot] = first();
      return end.at;
    });
    this.place(otherwise);
    const second = this.expressions.value(this.plain(no));
    this.emitAction(() => machine.locals[slot] = second());
    this.place(end);
    return { kind: "temporary", slot };
  }

  #call(expr: CallExpr): Expr {
    const { machine, expressions } = this;
    const slot = this.reserve();
    const named = expr.by && expressions.text(expr.by);
    const arrays = expressions.names.arrayParameters.get(expr.name) ?? [];
    const references = expr.args.flatMap((arg, i) => arg.kind === "name" || arrays[i] ? [i] : []);
    // A variable's value is taken when the call is made, unless another call comes in between.
    const late = expr.args.some(waits) ? references.filter((i) => this.#isArray(expr.args[i], arrays[i])) : references;
    const args = this.plainAll(expr.args, late).map((arg, i) => expressions.argument(arg, arrays[i] ?? false));
    const find = () => {
      const found = machine.functions.get(named ? named() : expr.name);
      if (!found) throw new AwkError(`function \`${named ? named() : expr.name}' not defined`);
      return found;
    };
    if (named) this.emit((next) => () => machine.call(find(), args.map((arg) => arg()), slot, next));
    else {
      const called = find();
      this.emit((next) => () => {
        const values = new Array(args.length);
        for (let i = 0; i < args.length; i++) values[i] = args[i]();
        return machine.call(called, values, slot, next);
      });
    }
    return { kind: "temporary", slot };
  }

  #isArray(expr: Expr, wanted: boolean): boolean {
    return wanted || expr.kind === "name" && expr.slot < 0 && this.expressions.names.globals.get(expr.name) === true;
  }

  #getline(expr: GetlineExpr): Expr {
    const slot = this.reserve();
    const children = this.plainAll(childrenOf(expr));
    const plain = withChildren(expr, children) as GetlineExpr;
    const read = compileGetline(this.expressions, plain);
    const { machine } = this;
    this.emit((next) => () => {
      const result = read();
      return machine.settle(result, (value) => machine.locals[slot] = value, next);
    });
    return { kind: "temporary", slot };
  }

  #builtin(expr: BuiltinExpr): Expr {
    const args = this.plainAll(expr.args, REFERENCES[expr.name] ?? []);
    if (!WAITING.has(expr.name)) return { ...expr, args };
    const { machine } = this;
    const slot = this.reserve();
    const texts = args.map((arg) => this.expressions.text(arg));
    const act = expr.name === "system" ? runSystem : expr.name === "close" ? closeStream : flushStream;
    this.emit((next) => () =>
      machine.settle(act(machine, texts.map((text) => text())), (value) => machine.locals[slot] = value, next)
    );
    return { kind: "temporary", slot };
  }

  /** A target whose keys are plain. */
  plainTarget(target: Target): Target {
    return retarget(target, this.plainAll(childrenOf(target)));
  }

  /** Whether something has to be evaluated in several steps. */
  needsSteps(expr: Expr): boolean {
    return waits(expr);
  }
}

async function runSystem({ streams, host }: Machine, [command]: string[]): Promise<number> {
  await streams.flushAll();
  return await host.runCommand(command);
}

async function closeStream({ streams }: Machine, [name, end]: string[]): Promise<number> {
  if (end !== undefined && end !== "to" && end !== "from") {
    throw new AwkError("close: second argument must be `to' or `from'");
  }
  return await streams.close(name, end ?? "both");
}

async function flushStream({ streams }: Machine, [name]: string[]): Promise<number> {
  if (name !== undefined && name !== "") return await streams.flush(name) ? 0 : -1;
  await streams.flushAll();
  return 0;
}

/** Whether a value counts as true, for values that are held. */
export const isTrue = toBoolean;
