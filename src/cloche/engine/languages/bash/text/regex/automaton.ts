/**
 * Matches by an automaton whose states are made when they are first reached. It finds the longest match, as POSIX wants,
 * and takes one step for each character, however a pattern repeats.
 */
import { type Assertion, type CharacterSet, CLASSES, RegexError, type RegexNode } from "./syntax.ts";

/** One step of a pattern; `next` and `other` are places in the list of steps. */
type Step =
  | { kind: "test"; test: (code: number) => boolean; next: number }
  | { kind: "split"; next: number; other: number }
  | { kind: "assert"; what: Assertion; next: number }
  | { kind: "accept" };

const MOST_STEPS = 200_000;
const MOST_STATES = 4000;
const ASCII = 128;

/** What stands before or after a place in the text. */
const EDGE = 0;
const WORD = 1;
const OTHER = 2;
const NEWLINE = 3;

const wordTest = classTest("alnum");
const asciiKinds = Array.from(
  { length: ASCII },
  (_, code) => code === 10 ? NEWLINE : wordTest(code) || code === 95 ? WORD : OTHER,
);

function kindOf(code: number): number {
  return code < ASCII ? asciiKinds[code] : wordTest(code) ? WORD : OTHER;
}

function classTest(name: string): (code: number) => boolean {
  const expression = new RegExp(`[${CLASSES[name]}]`, "u");
  return (code) => expression.test(String.fromCodePoint(code));
}

function setTest({ negated, ranges, classes }: CharacterSet): (code: number) => boolean {
  const tests = classes.map(classTest);
  return (code) =>
    (ranges.some(([first, last]) => code >= first && code <= last) || tests.some((test) => test(code))) !== negated;
}

function ignoringCase(test: (code: number) => boolean): (code: number) => boolean {
  return (code) => {
    const char = String.fromCodePoint(code);
    return test(code) || test(char.toLowerCase().codePointAt(0) ?? 0) || test(char.toUpperCase().codePointAt(0) ?? 0);
  };
}

/** Turns a tree into steps, last step first. */
class StepList {
  readonly steps: Step[] = [{ kind: "accept" }];

  constructor(private readonly ignoreCase: boolean) {}

  add(step: Step): number {
    if (this.steps.length >= MOST_STEPS) throw new RegexError("Regular expression too big");
    return this.steps.push(step) - 1;
  }

  /** Adds a node before `next`; returns where it begins. */
  node(node: RegexNode, next: number): number {
    switch (node.kind) {
      case "char":
        return this.#test((code) => code === node.code, next);
      case "any":
        return this.add({ kind: "test", test: () => true, next });
      case "set":
        return this.#test(setTest(node), next);
      case "assert":
        return this.add({ kind: "assert", what: node.what, next });
      case "group":
        return this.node(node.item, next);
      case "reference":
        throw new RegexError("Invalid back reference");
      case "sequence":
        return node.items.reduceRight((after, item) => this.node(item, after), next);
      case "choice":
        return node.items.map((item) => this.node(item, next))
          .reduceRight((other, first) => this.add({ kind: "split", next: first, other }));
      case "repeat":
        return this.#repeat(node.item, node.least, node.most, next);
    }
  }

  #test(test: (code: number) => boolean, next: number): number {
    return this.add({ kind: "test", test: this.ignoreCase ? ignoringCase(test) : test, next });
  }

  #repeat(item: RegexNode, least: number, most: number, next: number): number {
    let begin = next;
    if (most === Infinity) {
      const loop: Step = { kind: "split", next: 0, other: next };
      begin = this.add(loop);
      loop.next = this.node(item, begin);
    } else {
      for (let i = least; i < most; i++) {
        begin = this.add({ kind: "split", next: this.node(item, begin), other: next });
      }
    }
    for (let i = 0; i < least; i++) begin = this.node(item, begin);
    return begin;
  }
}

/** The steps that are possible at one place of a text, and what stood before it. */
class State {
  readonly ascii: (State | undefined)[] = new Array(ASCII).fill(undefined);
  readonly others = new Map<number, State>();
  /** What is known of this state before an edge, a word's character, or another. */
  readonly closures: (Closure | undefined)[] = [undefined, undefined, undefined, undefined];

  constructor(readonly places: number[], readonly before: number) {}
}

interface Closure {
  tests: number[];
  accepts: boolean;
}

/** An automaton for one pattern. */
export class Automaton {
  readonly #steps: Step[];
  readonly #begin: number;
  #states = new Map<string, State>();
  #begins: (State | undefined)[] = [];

  /** With `restarts` a match may begin at every place. */
  constructor(node: RegexNode, ignoreCase: boolean, private readonly restarts = false) {
    const list = new StepList(ignoreCase);
    this.#begin = list.node(node, 0);
    this.#steps = list.steps;
  }

  /** Where the longest match that begins at `at` ends, or -1. */
  matchAt(text: string, at: number): number {
    let state = this.#first(beforeOf(text, at));
    let last = -1;
    for (let i = at;;) {
      const code = i < text.length ? text.codePointAt(i) as number : -1;
      const kind = code < 0 ? EDGE : kindOf(code);
      const closure = state.closures[kind] ?? this.#close(state, kind);
      if (closure.accepts) last = i;
      if (code < 0 || closure.tests.length === 0) return last;
      state = (code < ASCII ? state.ascii[code] : state.others.get(code)) ?? this.#advance(state, closure, code, kind);
      if (state.places.length === 0) return last;
      i += code > 0xffff ? 2 : 1;
    }
  }

  /** Whether the text matches anywhere from `at` on; one pass over the text, for an automaton that restarts. */
  matchesAfter(text: string, at: number): boolean {
    let state = this.#first(beforeOf(text, at));
    for (let i = at;;) {
      const code = i < text.length ? text.codePointAt(i) as number : -1;
      const kind = code < 0 ? EDGE : kindOf(code);
      const closure = state.closures[kind] ?? this.#close(state, kind);
      if (closure.accepts) return true;
      if (code < 0) return false;
      state = (code < ASCII ? state.ascii[code] : state.others.get(code)) ?? this.#advance(state, closure, code, kind);
      i += code > 0xffff ? 2 : 1;
    }
  }

  #first(before: number): State {
    return this.#begins[before] ??= this.#state([this.#begin], before);
  }

  #state(places: number[], before: number): State {
    const key = `${before}:${places.join()}`;
    const known = this.#states.get(key);
    if (known) return known;
    if (this.#states.size >= MOST_STATES) {
      this.#states = new Map();
      this.#begins = [];
    }
    const state = new State(places, before);
    this.#states.set(key, state);
    return state;
  }

  /** Follows what takes no character. */
  #close(state: State, after: number): Closure {
    const seen = new Set<number>();
    const stack = [...state.places];
    const tests: number[] = [];
    let accepts = false;
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      if (seen.has(place)) continue;
      seen.add(place);
      const step = this.#steps[place];
      if (step.kind === "test") tests.push(place);
      else if (step.kind === "accept") accepts = true;
      else if (step.kind === "split") stack.push(step.next, step.other);
      else if (holds(step.what, state.before, after)) stack.push(step.next);
    }
    return state.closures[after] = { tests, accepts };
  }

  #advance(state: State, closure: Closure, code: number, kind: number): State {
    const places = new Set<number>(this.restarts ? [this.#begin] : []);
    for (const place of closure.tests) {
      const step = this.#steps[place];
      if (step.kind === "test" && step.test(code)) places.add(step.next);
    }
    const next = this.#state([...places].sort((a, b) => a - b), kind);
    if (code < ASCII) state.ascii[code] = next;
    else state.others.set(code, next);
    return next;
  }
}

function beforeOf(text: string, at: number): number {
  if (at === 0) return EDGE;
  const unit = text.charCodeAt(at - 1);
  return kindOf(unit >= 0xdc00 && unit <= 0xdfff && at > 1 ? text.codePointAt(at - 2) ?? unit : unit);
}

function holds(what: Assertion, before: number, after: number): boolean {
  const starts = before !== WORD && after === WORD;
  const ends = before === WORD && after !== WORD;
  switch (what) {
    case "start":
      return before === EDGE;
    case "end":
      return after === EDGE;
    case "line start":
      return before === EDGE || before === NEWLINE;
    case "line end":
      return after === EDGE || after === NEWLINE;
    case "word start":
      return starts;
    case "word end":
      return ends;
    case "boundary":
      return starts || ends;
    case "no boundary":
      return !starts && !ends;
  }
}
