/** Compiles statements to instructions. */
import { loopKeys } from "../functions/arrays.ts";
import { formatText } from "../data/printf.ts";
import { compareValues, type Slot, toNumber } from "../data/values.ts";
import { AwkError } from "../errors.ts";
import { KeyList, type Machine, STOP } from "../machine/machine.ts";
import type { Output } from "../machine/output.ts";
import type { ArrayExpr, Expr, PrintStatement, Statement, SwitchCase } from "../program/syntax.ts";
import { childrenOf, retarget } from "../program/walk.ts";
import { type Emitter, Label } from "./emitter.ts";
import type { ExpressionCompiler } from "./expressions.ts";

interface Loop {
  exit: Label;
  /** Undefined in a switch. */
  repeat: Label | undefined;
}

export class StatementCompiler {
  readonly #machine: Machine;
  readonly #expressions: ExpressionCompiler;
  readonly #loops: Loop[] = [];

  constructor(private readonly emitter: Emitter, private readonly isFunction: boolean) {
    this.#machine = emitter.machine;
    this.#expressions = emitter.expressions;
  }

  all(statements: Statement[]): void {
    for (const statement of statements) this.one(statement);
  }

  one(statement: Statement): void {
    const { emitter } = this;
    if (statement.kind === "block") return this.all(statement.body);
    emitter.line = statement.line;
    switch (statement.kind) {
      case "expression":
        return this.#expression(statement.value);
      case "print":
        return this.#print(statement);
      case "if":
        return this.#if(statement.test, statement.yes, statement.no);
      case "while":
        return this.#loop(undefined, statement.test, undefined, statement.body);
      case "do":
        return this.#do(statement.test, statement.body);
      case "for":
        return this.#loop(statement.first, statement.test, statement.step, statement.body);
      case "forIn":
        return this.#forIn(statement);
      case "switch":
        return this.#switch(statement.value, statement.cases);
      case "delete":
        return this.#delete(statement.array, statement.keys);
      case "break":
        return emitter.jump(this.#loops[this.#loops.length - 1].exit);
      case "continue":
        return this.#continue();
      case "next":
        return emitter.emit(() => () => this.#machine.leaveRecord(""));
      case "nextfile":
        return emitter.emit(() => () => this.#machine.leaveRecord("nextfile"));
      case "return":
        return this.#return(statement.value);
      case "exit":
        return this.#exit(statement.value);
    }
  }

  #expression(value: Expr): void {
    const plain = this.emitter.plain(value);
    if (plain.kind === "temporary") return;
    this.emitter.emitAction(this.#expressions.value(plain));
  }

  #if(test: Expr, yes: Statement, no: Statement | undefined): void {
    const { emitter } = this;
    const [otherwise, end] = [new Label(), new Label()];
    emitter.branch(test, true, otherwise);
    this.one(yes);
    if (no) emitter.jump(end);
    emitter.place(otherwise);
    if (no) this.one(no);
    emitter.place(end);
  }

  #within(loop: Loop, body: () => void): void {
    this.#loops.push(loop);
    body();
    this.#loops.pop();
  }

  #loop(first: Statement | undefined, test: Expr | undefined, step: Statement | undefined, body: Statement): void {
    const { emitter } = this;
    const [begin, repeat, exit] = [new Label(), new Label(), new Label()];
    if (first) this.one(first);
    emitter.place(begin);
    if (test) emitter.branch(test, true, exit);
    this.#within({ exit, repeat }, () => this.one(body));
    emitter.place(repeat);
    if (step) this.one(step);
    emitter.jumpBack(begin);
    emitter.place(exit);
  }

  #do(test: Expr, body: Statement): void {
    const { emitter } = this;
    const [begin, repeat, exit] = [new Label(), new Label(), new Label()];
    emitter.place(begin);
    this.#within({ exit, repeat }, () => this.one(body));
    emitter.place(repeat);
    emitter.branch(test, true, exit);
    emitter.jumpBack(begin);
    emitter.place(exit);
  }

  #forIn({ target, array: arrayExpr, body }: Statement & { kind: "forIn" }): void {
    const { emitter } = this;
    const machine = this.#machine;
    const [begin, exit] = [new Label(), new Label()];
    const slot = emitter.reserve();
    const array = this.#expressions.array(this.#plainArray(arrayExpr));
    const variable = this.#expressions.reference(target);
    emitter.emitAction(() => machine.locals[slot] = new KeyList(loopKeys(machine, array())));
    emitter.place(begin);
    emitter.emit((next) => () => {
      const list = machine.locals[slot] as KeyList;
      if (list.at >= list.keys.length) return exit.at;
      variable.set(list.keys[list.at++]);
      return next;
    });
    this.#within({ exit, repeat: begin }, () => this.one(body));
    emitter.jumpBack(begin);
    emitter.place(exit);
  }

  #plainArray(array: ArrayExpr): ArrayExpr {
    return retarget(array, this.emitter.plainAll(childrenOf(array))) as ArrayExpr;
  }

  #switch(value: Expr, cases: SwitchCase[]): void {
    const { emitter } = this;
    const held = emitter.hold(emitter.plain(value));
    const exit = new Label();
    const labels = cases.map((one) => {
      const label = new Label();
      if (one.value) this.#case(held, one.value, label);
      return label;
    });
    const otherwise = cases.findIndex((one) => one.value === undefined);
    emitter.jump(otherwise < 0 ? exit : labels[otherwise]);
    this.#within({ exit, repeat: undefined }, () =>
      cases.forEach((one, i) => {
        emitter.place(labels[i]);
        this.all(one.body);
      }));
    emitter.place(exit);
  }

  #case(held: Expr, wanted: Expr, label: Label): void {
    const { emitter } = this;
    if (wanted.kind === "regex") {
      return emitter.branch({ kind: "match", negated: false, text: held, pattern: wanted }, false, label);
    }
    const { conventions } = this.#machine.state;
    const [a, b] = [this.#expressions.value(held), this.#expressions.value(wanted)];
    emitter.emit((next) => () => compareValues(a(), b(), conventions) === 0 ? label.at : next);
  }

  #delete(arrayExpr: ArrayExpr, keys: Expr[] | undefined): void {
    const { emitter } = this;
    if (!keys) {
      const array = this.#expressions.array(this.#plainArray(arrayExpr));
      emitter.emitAction(() => array().map.clear());
      return;
    }
    const plainKeys = emitter.plainAll(keys);
    const [array, key] = [this.#expressions.array(this.#plainArray(arrayExpr)), this.#expressions.key(plainKeys)];
    emitter.emitAction(() => array().map.delete(key()));
  }

  #continue(): void {
    const loop = this.#loops.findLast(({ repeat }) => repeat !== undefined);
    if (!loop?.repeat) throw new AwkError("`continue' is not allowed outside a loop");
    this.emitter.jump(loop.repeat);
  }

  #return(expr: Expr | undefined): void {
    const value = expr ? this.#expressions.value(this.emitter.plain(expr)) : () => undefined;
    const machine = this.#machine;
    if (this.isFunction) this.emitter.emit(() => () => machine.return(value()));
  }

  #exit(expr: Expr | undefined): void {
    const machine = this.#machine;
    const code = expr && this.#expressions.number(this.emitter.plain(expr));
    this.emitter.emit(() => () => {
      if (code) machine.exitCode = Math.trunc(toNumber(code())) & 255;
      return machine.leave("exit");
    });
  }

  #print({ formatted, args, output }: PrintStatement): void {
    const { emitter } = this;
    const machine = this.#machine;
    const plain = emitter.plainAll(output ? [...args, output.target] : args);
    const target = output && this.#expressions.text(plain.pop() as Expr);
    const text = formatted ? this.#formatted(plain) : this.#line(plain);
    if (!output || !target) {
      const { stdout } = machine.streams;
      emitter.emit((next) => () => machine.write(stdout, text(), next));
      return;
    }
    const { kind } = output;
    emitter.emit((next) => () => {
      const line = text();
      const found = machine.streams.output(kind, target());
      if (!(found instanceof Promise)) return machine.write(found, line, next);
      return machine.wait(found.then((opened: Output) => opened.write(line)), next);
    });
  }

  #line(args: Expr[]): () => string {
    const { state } = this.#machine;
    const { record } = state;
    if (args.length === 0) return () => record.text + state.recordSeparator;
    const texts = args.map((arg) => this.#expressions.printed(arg));
    const [a, b] = texts;
    if (texts.length === 1) return () => a() + state.recordSeparator;
    if (texts.length === 2) return () => a() + state.fieldSeparator + b() + state.recordSeparator;
    return () => {
      let line = a();
      for (let i = 1; i < texts.length; i++) line += state.fieldSeparator + texts[i]();
      return line + state.recordSeparator;
    };
  }

  #formatted([formatExpr, ...rest]: Expr[]): () => string {
    const format = this.#expressions.text(formatExpr);
    const values = rest.map((expr) => this.#expressions.value(expr));
    const { conventions } = this.#machine.state;
    return () => formatText(format(), values.map((value): Slot => value()), conventions);
  }

  /** Ends the code. */
  end(): void {
    const machine = this.#machine;
    this.emitter.emit(() => this.isFunction ? () => machine.return(undefined) : () => STOP);
  }
}
