/** Arithmetic: evaluates text, compiled once to functions. */
import { fatal, type Interpreter } from "../interpreter.ts";
import { AssociativeArray } from "../state/arrays.ts";
import { assignElement, assignVariable, readElement, readValue, readVariable } from "../state/assign.ts";
import { expandSubscriptText, provideArithmetic } from "../state/convert.ts";
import type { ArithmeticNode, WordNode } from "../syntax/nodes.ts";
import type { Task } from "../task.ts";
import {
  add,
  and,
  complement,
  divide,
  type Int,
  isTrue,
  multiply,
  or,
  power,
  remainder,
  shiftLeft,
  shiftRight,
  subtract,
  xor,
} from "./number.ts";
import { type Node, parseTree, type Target } from "./parse.ts";
import { ArithmeticError, blame } from "./tokens.ts";

export type { Int } from "./number.ts";
export { ArithmeticError, blame } from "./tokens.ts";

/** A compiled expression. */
export type Expression = (shell: Interpreter) => Int;

const CACHE_SIZE = 4096;
const MAX_DEPTH = 1024;
const SIMPLE = /^-?(?:0|[1-9]\d{0,14})$/;
const COMPILED: unique symbol = Symbol("compiled");

const cache = new Map<string, Expression>();
/** Of texts that were expanded as a whole: what looks like an expansion in their subscripts is none. */
const expandedCache = new Map<string, Expression>();
let depth = 0;

/** Expands the text of arithmetic that has something to expand in it. */
type Expand = (shell: Interpreter, word: WordNode) => Task<string>;

let expand: Expand | undefined;

/** Expansion stands above arithmetic, so it brings itself in. */
export function provideText(given: Expand): void {
  expand = given;
}

/** Reads an expression; the same text is read once. */
export function parseArithmetic(text: string, expanded = false): Expression {
  const known = expanded ? expandedCache : cache;
  const found = known.get(text);
  if (found) return found;
  const { root } = parseTree(text);
  const expression = root ? compile(root, { text, expanded }) : () => 0;
  if (known.size >= CACHE_SIZE) {
    const [oldest] = known.keys();
    known.delete(oldest);
  }
  known.set(text, expression);
  return expression;
}

/** What an expression was compiled from. */
interface Source {
  text: string;
  expanded: boolean;
}

export function evaluate(shell: Interpreter, expression: Expression): Int {
  return expression(shell);
}

/** The value of text that is expanded already: subscripts, `-i` variables, `let`, operands of -eq. */
export function evaluateText(shell: Interpreter, text: string): Int {
  return SIMPLE.test(text) ? Number(text) + 0 : parseArithmetic(text)(shell);
}

/** The number that a subscript stands for; messages name nobody. */
function evaluateSubscript(shell: Interpreter, text: string): Int {
  try {
    return evaluateText(shell, text);
  } catch (error) {
    throw blame(error, "");
  }
}

provideArithmetic(evaluateText, evaluateSubscript);

type Cached = ArithmeticNode & { [COMPILED]?: Expression };

/** The value of a node in which nothing is to be expanded. */
export function evaluateNode(shell: Interpreter, node: ArithmeticNode): Int {
  const cached: Cached = node;
  return (cached[COMPILED] ??= parseArithmetic(node.text, true))(shell);
}

/** The same for `$((…))`: in POSIX mode a mistake ends a script. */
export function expandNode(shell: Interpreter, node: ArithmeticNode): Int {
  try {
    return evaluateNode(shell, node);
  } catch (error) {
    throw strictly(shell, error);
  }
}

export function strictly(shell: Interpreter, error: unknown): unknown {
  const { options, interactive } = shell.state;
  const ends = error instanceof ArithmeticError && options.has("posix") && !interactive;
  return ends ? fatal(shell, error.message) : error;
}

/** Expands and evaluates. */
export function* evaluateArithmetic(shell: Interpreter, node: ArithmeticNode): Task<Int> {
  if (node.word === undefined || expand === undefined) return evaluateNode(shell, node);
  const text = yield* expand(shell, node.word);
  return SIMPLE.test(text) ? Number(text) + 0 : parseArithmetic(text, true)(shell);
}

/** Operators that cannot fail and need both sides. */
const OPERATORS: Record<string, (a: Int, b: Int) => Int> = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "<<": shiftLeft,
  ">>": shiftRight,
  "&": and,
  "|": or,
  "^": xor,
  // deno-lint-ignore eqeqeq -- a number and a bigint may be equal
  "==": (a, b) => a == b ? 1 : 0,
  // deno-lint-ignore eqeqeq -- as above
  "!=": (a, b) => a != b ? 1 : 0,
  "<": (a, b) => a < b ? 1 : 0,
  ">": (a, b) => a > b ? 1 : 0,
  "<=": (a, b) => a <= b ? 1 : 0,
  ">=": (a, b) => a >= b ? 1 : 0,
  ",": (_, b) => b,
};

function compile(node: Node, source: Source): Expression {
  switch (node.type) {
    case "Number": {
      const { value } = node;
      return () => value;
    }
    case "Name":
      return compileName(node.target, source);
    case "Unary":
      return compileUnary(node.operator, compile(node.operand, source));
    case "Step":
      return compileStep(node.target, node.by, node.before, source);
    case "Binary":
      return compileBinary(node.operator, compile(node.left, source), compile(node.right, source), source, node.rest);
    case "Choice": {
      const [condition, yes, no] = [node.condition, node.yes, node.no].map((each) => compile(each, source));
      return (shell) => isTrue(condition(shell)) ? yes(shell) : no(shell);
    }
    case "Assign":
      return compileAssignment(node, source);
  }
}

function compileUnary(operator: string, operand: Expression): Expression {
  switch (operator) {
    case "-":
      return (shell) => subtract(0, operand(shell));
    case "!":
      return (shell) => isTrue(operand(shell)) ? 0 : 1;
    case "~":
      return (shell) => complement(operand(shell));
    default:
      return operand;
  }
}

function compileBinary(
  operator: string,
  left: Expression,
  right: Expression,
  source: Source,
  rest: string,
): Expression {
  if (operator === "&&") return (shell) => isTrue(left(shell)) && isTrue(right(shell)) ? 1 : 0;
  if (operator === "||") return (shell) => isTrue(left(shell)) || isTrue(right(shell)) ? 1 : 0;
  const act = operatorOf(operator, source, rest);
  return (shell) => {
    const value = left(shell);
    return act(value, right(shell));
  };
}

function operatorOf(operator: string, source: Source, rest: string): (a: Int, b: Int) => Int {
  if (operator === "/" || operator === "%") {
    const act = operator === "/" ? divide : remainder;
    return (a, b) => {
      if (!isTrue(b)) throw new ArithmeticError(source.text, "division by 0", rest);
      return act(a, b);
    };
  }
  if (operator === "**") {
    return (a, b) => {
      if (b < 0) throw new ArithmeticError(source.text, "exponent less than 0", rest);
      return power(a, b);
    };
  }
  return OPERATORS[operator];
}

/** The value of a variable: a number, or an expression in its turn. */
function valueOf(shell: Interpreter, value: string | undefined, target: Target): Int {
  if (value === undefined) {
    if (shell.state.options.has("nounset")) throw fatal(shell, `${target.name}: unbound variable`);
    return 0;
  }
  if (SIMPLE.test(value)) return Number(value) + 0;
  if (depth >= MAX_DEPTH) throw new ArithmeticError(value, "expression recursion level exceeded", value);
  depth++;
  try {
    return parseArithmetic(value)(shell);
  } finally {
    depth--;
  }
}

function compileName(target: Target, source: Source): Expression {
  const { name, subscript } = target;
  if (subscript === undefined) return (shell) => valueOf(shell, readVariable(shell, name), target);
  return (shell) => valueOf(shell, readElement(shell, name, keyOf(shell, target, source)), target);
}

/** The subscript of a target: of an associative array the key, else an index, evaluated once. */
function keyOf(shell: Interpreter, { name, subscript = "" }: Target, source: Source): string {
  if (readValue(shell, name) instanceof AssociativeArray) {
    return expandSubscriptText(shell, subscript);
  }
  if (subscript === "") throw new ArithmeticError(source.text, "bad array subscript", `${name}[${subscript}]`);
  const bare = source.expanded
    ? subscript.replace(/\\?"/g, "").replace(/\\([\\$`"'[\]])/g, "$1")
    : subscript.includes("'")
    ? subscript
    : expandSubscriptText(shell, subscript);
  return String(evaluateText(shell, bare));
}

function store(shell: Interpreter, { name }: Target, key: string | undefined, value: Int): void {
  if (key === undefined) assignVariable(shell, name, String(value));
  else assignElement(shell, name, key, String(value));
}

function load(shell: Interpreter, target: Target, key: string | undefined): Int {
  const value = key === undefined ? readVariable(shell, target.name) : readElement(shell, target.name, key);
  return valueOf(shell, value, target);
}

function compileStep(target: Target, by: 1 | -1, before: boolean, source: Source): Expression {
  return (shell) => {
    const key = target.subscript === undefined ? undefined : keyOf(shell, target, source);
    const old = load(shell, target, key);
    const changed = add(old, by);
    store(shell, target, key, changed);
    return before ? changed : old;
  };
}

function compileAssignment({ operator, target, value, rest }: Node & { type: "Assign" }, source: Source): Expression {
  const right = compile(value, source);
  const act = operator === "" ? undefined : operatorOf(operator, source, rest);
  return (shell) => {
    const key = target.subscript === undefined ? undefined : keyOf(shell, target, source);
    const old = act ? load(shell, target, key) : 0;
    const result = act ? act(old, right(shell)) : right(shell);
    store(shell, target, key, result);
    return result;
  };
}
