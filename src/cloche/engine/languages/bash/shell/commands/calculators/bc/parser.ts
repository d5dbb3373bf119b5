/** bc's language, as steps of its machine. */
import { ONE } from "../decimal.ts";
import { type FunctionCode, Halt, type Machine, type Parameter, type Special, type Step } from "./machine.ts";
import type { Token } from "./tokens.ts";

/** A mistake in a program. */
export class Mistake extends Error {
  constructor(readonly line: number, message = "syntax error") {
    super(message);
  }
}

/** The program may go on in the next line. */
export class Unfinished extends Error {}

/** `quit` was read. */
export class Quit extends Error {}

/** What a line gives: steps to run, or a function. */
export type Item = Step[] | FunctionCode;

type Kind = "value" | "assignment" | "void";
type Place = { name: string; form: "name" | "cell" } | { name: Special; form: "special" };
type Target = { at: number };

const LIMITS = [
  ["BC_BASE_MAX", 2 ** 31 - 1],
  ["BC_DIM_MAX", 16_777_215],
  ["BC_SCALE_MAX", 1_000_000],
  ["BC_STRING_MAX", 2 ** 31 - 1],
];
const ESCAPES: Record<string, string> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  q: '"',
  r: "\r",
  t: "\t",
  "\\": "\\",
};
const RELATIONS = ["==", "!=", "<=", ">=", "<", ">"];
const ASSIGNMENTS = ["=", "+=", "-=", "*=", "/=", "%=", "^="];

export class Parser {
  #at = 0;
  #steps: Step[] = [];
  #loops: { next: Target; end: Target }[] = [];
  #inFunction = false;

  constructor(private readonly tokens: Token[], private readonly isVoid: (name: string) => boolean) {}

  /** The next item; undefined at the end. */
  next(): Item | undefined {
    this.#steps = [];
    if (this.#is("end")) return undefined;
    if (this.#take("keyword", "define")) return this.#define();
    this.#statements();
    if (!this.#take("line")) this.#fail();
    return this.#steps;
  }

  get #token(): Token {
    return this.tokens[this.#at];
  }

  #fail(message?: string): never {
    if (this.#is("end")) throw new Unfinished();
    throw new Mistake(this.#token.line, message);
  }

  #is(kind: Token["kind"], text?: string): boolean {
    return this.#token.kind === kind && (text === undefined || this.#token.text === text);
  }

  #take(kind: Token["kind"], text?: string): boolean {
    if (!this.#is(kind, text)) return false;
    this.#at++;
    return true;
  }

  #takeMark(marks: string[]): string | undefined {
    const { kind, text } = this.#token;
    if (kind !== "mark" || !marks.includes(text)) return undefined;
    this.#at++;
    return text;
  }

  #need(mark: string): void {
    if (!this.#take("mark", mark)) this.#fail();
  }

  #needName(): string {
    const { kind, text } = this.#token;
    if (kind !== "name") this.#fail();
    this.#at++;
    return text;
  }

  #skipLines(): void {
    while (this.#take("line"));
  }

  #emit(step: Step): void {
    this.#steps.push(step);
  }

  #jump(to: Target): void {
    this.#emit((machine) => machine.at = to.at);
  }

  #jumpUnless(to: Target): void {
    this.#emit((machine) => {
      if (!machine.popTruth()) machine.at = to.at;
    });
  }

  /** The place of the step that comes next. */
  #here(target: Target = { at: 0 }): Target {
    target.at = this.#steps.length;
    return target;
  }

  #list<T>(item: () => T): T[] {
    const items = [item()];
    while (this.#take("mark", ",")) items.push(item());
    return items;
  }

  #define(): FunctionCode {
    const isVoid = this.#take("keyword", "void");
    const name = this.#needName();
    this.#need("(");
    const parameters = this.#is("mark", ")") ? [] : this.#list(() => this.#parameter());
    this.#need(")");
    this.#skipLines();
    this.#need("{");
    while (this.#take("line") || this.#take("mark", ";"));
    const locals = this.#take("keyword", "auto") ? this.#list(() => this.#parameter()) : [];
    if (locals.length > 0 && !this.#is("line") && !this.#is("mark", ";") && !this.#is("mark", "}")) this.#fail();
    this.#inFunction = true;
    this.#block();
    return { name, isVoid, parameters, locals, steps: this.#steps };
  }

  #parameter(): Parameter {
    const byReference = this.#take("mark", "*") || this.#take("mark", "&");
    const name = this.#needName();
    if (!this.#take("mark", "[")) return byReference ? this.#fail() : { name, kind: "number" };
    this.#need("]");
    return { name, kind: byReference ? "reference" : "array" };
  }

  #statements(): void {
    for (;;) {
      if (!this.#is("line") && !this.#is("mark", ";")) this.#statement();
      if (!this.#take("mark", ";")) return;
    }
  }

  /** The statements up to a closing brace. */
  #block(): void {
    for (;;) {
      while (this.#take("line") || this.#take("mark", ";"));
      if (this.#take("mark", "}")) return;
      this.#statement();
      if (!this.#is("line") && !this.#is("mark", ";") && !this.#is("mark", "}")) this.#fail();
    }
  }

  #statement(): void {
    const { kind, text } = this.#token;
    if (this.#take("mark", "{")) return this.#block();
    if (kind === "string") {
      this.#at++;
      return this.#emit((machine) => machine.print(text));
    }
    const parse = kind === "keyword" ? this.#keywords[text] : undefined;
    if (!parse) return this.#valueStatement();
    this.#at++;
    parse();
  }

  readonly #keywords: Record<string, () => void> = {
    if: () => this.#if(),
    while: () => this.#while(),
    for: () => this.#for(),
    print: () => this.#list(() => this.#printed()),
    return: () => this.#return(),
    break: () => this.#leaveLoop("end", "Break outside a for/while"),
    continue: () => this.#leaveLoop("next", "Continue outside a for"),
    quit: () => {
      throw new Quit();
    },
    halt: () =>
      this.#emit(() => {
        throw new Halt();
      }),
    limits: () => {
      const lines = LIMITS.map(([name, value]) => `${String(name).padEnd(15)} = ${value}\n`);
      this.#emit((machine) => machine.print(lines.join("")));
    },
    warranty: () => this.#emit((machine) => machine.print("bc comes without any warranty.\n")),
  };

  #valueStatement(): void {
    const kind = this.#expression();
    if (kind === "value") this.#emit((machine) => machine.show());
    else this.#emit((machine) => machine.pop());
  }

  #printed(): void {
    const { kind, text } = this.#token;
    if (kind !== "string") {
      this.#needValue(this.#expression());
      return this.#emit((machine) => machine.printTop());
    }
    this.#at++;
    const meant = text.replace(/\\([^])/g, (_, letter: string) => ESCAPES[letter] ?? "");
    this.#emit((machine) => machine.print(meant));
  }

  #condition(): void {
    this.#need("(");
    this.#needValue(this.#expression());
    this.#need(")");
  }

  #if(): void {
    this.#condition();
    const otherwise = { at: 0 };
    this.#jumpUnless(otherwise);
    this.#skipLines();
    this.#statement();
    if (!this.#take("keyword", "else")) return void this.#here(otherwise);
    const end = { at: 0 };
    this.#jump(end);
    this.#here(otherwise);
    this.#skipLines();
    this.#statement();
    this.#here(end);
  }

  #while(): void {
    const next = this.#here();
    this.#condition();
    const end = { at: 0 };
    this.#jumpUnless(end);
    this.#loop(next, end);
  }

  #for(): void {
    const part = (mark: string) => {
      const isThere = !this.#is("mark", mark);
      if (isThere) this.#needValue(this.#expression());
      this.#need(mark);
      return isThere;
    };
    const drop = (isThere: boolean) => isThere && this.#emit((machine) => machine.pop());
    this.#need("(");
    drop(part(";"));
    const test = this.#here();
    const [next, body, end] = [{ at: 0 }, { at: 0 }, { at: 0 }];
    if (part(";")) this.#jumpUnless(end);
    this.#jump(body);
    this.#here(next);
    drop(part(")"));
    this.#jump(test);
    this.#here(body);
    this.#loop(next, end);
  }

  /** The body of a loop, then what comes after it. */
  #loop(next: Target, end: Target): void {
    this.#loops.push({ next, end });
    this.#skipLines();
    this.#statement();
    this.#loops.pop();
    this.#jump(next);
    this.#here(end);
  }

  #leaveLoop(to: "next" | "end", mistake: string): void {
    const loop = this.#loops.at(-1);
    if (!loop) throw new Mistake(this.#token.line, mistake);
    this.#jump(loop[to]);
  }

  #return(): void {
    if (!this.#inFunction) throw new Mistake(this.#token.line, "Return outside of a function.");
    const ends = this.#is("line") || this.#is("mark", ";") || this.#is("mark", "}");
    if (ends) return this.#emit((machine) => machine.return());
    this.#needValue(this.#expression());
    this.#emit((machine) => machine.return(machine.pop()));
  }

  #needValue(kind: Kind): void {
    if (kind === "void") throw new Mistake(this.#token.line, "void expression");
  }

  /** The least binding first: ||, &&, !, comparisons, assignments, sums, products, powers, signs. */
  #expression(): Kind {
    return this.#short("||", () => this.#short("&&", () => this.#not()));
  }

  /** Operators that look at their right side only if the left does not decide. */
  #short(sign: "||" | "&&", operand: () => Kind): Kind {
    let kind = operand();
    while (this.#take("mark", sign)) {
      this.#needValue(kind);
      const end = { at: 0 };
      this.#emit((machine) => {
        const holds = machine.popTruth();
        if (holds !== (sign === "||")) return;
        machine.pushTruth(holds);
        machine.at = end.at;
      });
      this.#needValue(operand());
      this.#emit((machine) => machine.pushTruth(machine.popTruth()));
      this.#here(end);
      kind = "value";
    }
    return kind;
  }

  #not(): Kind {
    if (!this.#take("mark", "!")) return this.#relation();
    this.#needValue(this.#not());
    this.#emit((machine) => machine.pushTruth(!machine.popTruth()));
    return "value";
  }

  #relation(): Kind {
    return this.#binary(RELATIONS, () => this.#sum(), (machine, sign) => machine.compare(sign));
  }

  #sum(): Kind {
    return this.#arithmetic(["+", "-"], () => this.#arithmetic(["*", "/", "%"], () => this.#power()));
  }

  #arithmetic(signs: string[], operand: () => Kind): Kind {
    return this.#binary(signs, operand, (machine, sign) => machine.compute(sign));
  }

  #binary(signs: string[], operand: () => Kind, run: (machine: Machine, sign: string) => void): Kind {
    let kind = operand();
    for (let sign = this.#takeMark(signs); sign !== undefined; sign = this.#takeMark(signs)) {
      const meant = sign;
      this.#needValue(kind);
      this.#needValue(operand());
      this.#emit((machine) => run(machine, meant));
      kind = "value";
    }
    return kind;
  }

  #power(): Kind {
    const kind = this.#sign();
    if (!this.#take("mark", "^")) return kind;
    this.#needValue(kind);
    this.#needValue(this.#power());
    this.#emit((machine) => machine.compute("^"));
    return "value";
  }

  #sign(): Kind {
    if (this.#is("mark", "!")) return this.#not();
    if (this.#take("mark", "-")) {
      this.#needValue(this.#sign());
      this.#emit((machine) => machine.negate());
      return "value";
    }
    const sign = this.#takeMark(["++", "--"]);
    if (sign === undefined) return this.#primary();
    const place = this.#place();
    if (!place) this.#fail();
    this.#count(place, sign[0]);
    return "value";
  }

  #primary(): Kind {
    const { kind, text } = this.#token;
    if (this.#take("mark", "(")) {
      const inner = this.#expression();
      this.#need(")");
      return inner === "void" ? inner : "value";
    }
    if (kind === "number") {
      this.#at++;
      this.#emit((machine) => machine.pushNumber(text));
      return "value";
    }
    if (this.tokens[this.#at + 1]?.text === "(" && kind !== "mark") return this.#call();
    const place = this.#place();
    if (!place) this.#fail();
    const assignment = this.#takeMark(ASSIGNMENTS);
    if (assignment !== undefined) return this.#assign(place, assignment.slice(0, -1));
    const sign = this.#takeMark(["++", "--"]);
    if (sign === undefined) this.#load(place);
    else {
      // The value from before: counted, and counted back.
      this.#count(place, sign[0]);
      this.#emit((machine) => machine.push(ONE));
      this.#emit((machine) => machine.compute(sign === "++" ? "-" : "+"));
    }
    return "value";
  }

  #call(): Kind {
    const { kind, text } = this.#token;
    this.#at += 2;
    if (kind === "name") {
      const args = this.#is("mark", ")") ? [] : this.#list(() => this.#argument());
      this.#need(")");
      this.#emit((machine) => machine.call(text, args));
      return this.isVoid(text) ? "void" : "value";
    }
    if (text === "read" || text === "random") {
      this.#need(")");
      if (text === "read") this.#emit((machine) => machine.readInput());
      else this.#emit((machine) => machine.push({ digits: BigInt(Math.floor(Math.random() * 2 ** 31)), scale: 0 }));
      return "value";
    }
    if (text !== "length" && text !== "scale" && text !== "sqrt") this.#fail();
    this.#needValue(this.#expression());
    this.#need(")");
    this.#emit((machine) => text === "sqrt" ? machine.squareRoot() : machine.measure(text));
    return "value";
  }

  /** An argument; the name if it is an array. */
  #argument(): string | undefined {
    const [name, open, close] = this.tokens.slice(this.#at, this.#at + 3);
    if (name.kind === "name" && open?.text === "[" && close?.text === "]") {
      this.#at += 3;
      return name.text;
    }
    this.#needValue(this.#expression());
  }

  /** What can be assigned to; the number of a cell is on the stack then. */
  #place(): Place | undefined {
    const { kind, text } = this.#token;
    if (this.#take("mark", ".")) return { name: "last", form: "special" };
    if (kind === "keyword") {
      if (text !== "scale" && text !== "ibase" && text !== "obase" && text !== "last") return undefined;
      this.#at++;
      return { name: text, form: "special" };
    }
    if (!this.#take("name")) return undefined;
    if (!this.#take("mark", "[")) return { name: text, form: "name" };
    this.#needValue(this.#expression());
    this.#need("]");
    return { name: text, form: "cell" };
  }

  #load({ name, form }: Place): void {
    if (form === "special") this.#emit((machine) => machine.loadSpecial(name));
    else if (form === "cell") this.#emit((machine) => machine.loadCell(name));
    else this.#emit((machine) => machine.load(name));
  }

  #store({ name, form }: Place): void {
    if (form === "special") this.#emit((machine) => machine.storeSpecial(name));
    else if (form === "cell") this.#emit((machine) => machine.storeCell(name));
    else this.#emit((machine) => machine.store(name));
  }

  #loadToChange(place: Place): void {
    if (place.form === "cell") this.#emit((machine) => machine.copyTop());
    this.#load(place);
  }

  #count(place: Place, sign: string): void {
    this.#loadToChange(place);
    this.#emit((machine) => machine.push(ONE));
    this.#emit((machine) => machine.compute(sign));
    this.#store(place);
  }

  #assign(place: Place, sign: string): Kind {
    if (sign !== "") this.#loadToChange(place);
    this.#needValue(this.#sum());
    if (sign !== "") this.#emit((machine) => machine.compute(sign));
    this.#store(place);
    return "assignment";
  }
}
