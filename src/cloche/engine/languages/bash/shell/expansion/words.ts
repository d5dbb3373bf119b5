/** Words to fields. */
import { evaluateArithmetic, expandNode, provideText, strictly } from "../arithmetic/evaluate.ts";
import { type ArrayElement, type ExpandedAssignment, ExpansionError, type Interpreter } from "../interpreter.ts";
import { readVariable } from "../state/assign.ts";
import { AssociativeArray } from "../state/arrays.ts";
import { provideExpansion } from "../state/convert.ts";
import type {
  ArithmeticNode,
  AssignmentNode,
  ParameterPart,
  SubscriptNode,
  WordNode,
  WordPart,
} from "../syntax/nodes.ts";
import { Parser } from "../syntax/parser.ts";
import { ShellSyntaxError } from "../syntax/scanner.ts";
import { parseWord } from "../syntax/words.ts";
import type { Task } from "../task.ts";
import { expandBraces } from "./braces.ts";
import { FieldBuilder } from "./fields.ts";
import { expandGlob } from "./glob.ts";
import { countElements, expandParameter, readParameter } from "./parameters.ts";
import { expandArithmetic } from "./subscripts.ts";
import { expandTilde } from "./tilde.ts";

const IFS = " \t\n";

/** All expansions: the fields that words become. */
export function* expandWords(shell: Interpreter, words: WordNode[]): Task<string[]> {
  const fields: string[] = [];
  for (const word of words) {
    if (word.plain !== undefined) fields.push(word.plain);
    else if (!word.parts.some((part) => part.type === "Brace")) yield* expandOne(shell, word, fields);
    else {
      for (const each of expandBraces(word, shell.state.options.has("braceexpand"))) {
        if (typeof each === "string") fields.push(each);
        else yield* expandOne(shell, each, fields);
      }
    }
  }
  return fields;
}

function* expandOne(shell: Interpreter, word: WordNode, fields: string[]): Task<void> {
  const { parts } = word;
  if (parts.length === 1 && parts[0].type === "DoubleQuoted" && parts[0].parts.length === 1) {
    const text = expandSimply(shell, parts[0].parts[0]);
    if (text !== undefined) return void fields.push(text);
  }
  const out = new FieldBuilder(readVariable(shell, "IFS") ?? IFS);
  yield* expandParts(shell, parts, out, "bare");
  out.breakOpen();
  const globs = !shell.state.options.has("noglob");
  for (const field of out.fields) {
    if (!field.pattern || !globs) fields.push(field.text);
    else for (const name of yield* expandGlob(shell, field)) fields.push(name);
  }
}

/** A part that is one text without waiting; undefined if it may be more. */
function expandSimply(shell: Interpreter, part: WordPart): string | undefined {
  if (part.type === "Parameter" && isSimple(part)) return readParameter(shell, part);
  if (part.type === "ArithmeticExpansion" && !part.expression.word) return String(expandNode(shell, part.expression));
  return undefined;
}

function isSimple({ name, operation, subscript, indirect }: ParameterPart): boolean {
  return !operation && !subscript && !indirect && name !== "@" && name !== "*";
}

/** How parts stand: within double quotes, without quotes, or in the word of `${x-word}`, whose text is split too. */
export type Quoting = "quoted" | "bare" | "expanded";

/** Expands parts into a builder. */
export function* expandParts(shell: Interpreter, parts: WordPart[], out: FieldBuilder, quoting: Quoting): Task<void> {
  const quoted = quoting === "quoted";
  for (const part of parts) {
    switch (part.type) {
      case "Literal":
        if (quoting === "bare") out.addLiteral(part.value);
        else add(out, part.value, quoted);
        break;
      case "Quoted":
        out.addQuoted(part.value);
        break;
      case "DoubleQuoted":
        yield* expandQuoted(shell, part.parts, out);
        break;
      case "Parameter":
        if (isSimple(part)) add(out, readParameter(shell, part), quoted);
        else yield* expandParameter(shell, part, out, quoted);
        break;
      case "CommandSubstitution":
        add(out, yield* shell.substitute(part.body), quoted);
        break;
      case "ArithmeticExpansion":
        add(out, String(yield* compute(shell, part.expression)), quoted);
        break;
      case "ProcessSubstitution":
        out.addQuoted(shell.substituteProcess(part));
        break;
      case "Tilde":
        out.addQuoted(expandTilde(shell, part.user));
        break;
      case "Brace":
        for (const each of expandBraces({ type: "Word", parts: [part], text: "" }, false)) {
          if (typeof each === "string") out.addLiteral(each);
        }
    }
  }
}

function* compute(shell: Interpreter, node: ArithmeticNode): Task<number | bigint> {
  try {
    return yield* evaluateArithmetic(shell, node);
  } catch (error) {
    throw strictly(shell, error);
  }
}

/** Double quotes make a field, unless all that is in them is an empty "$@". */
function* expandQuoted(shell: Interpreter, parts: WordPart[], out: FieldBuilder): Task<void> {
  if (parts.length === 0) return out.addQuoted("");
  if (parts.length === 1 || !parts.some(isList)) return yield* expandParts(shell, parts, out, "quoted");
  const inner = new FieldBuilder("");
  yield* expandParts(shell, parts, inner, "quoted");
  inner.breakOpen();
  const { fields } = inner;
  if (fields.length === 1 && fields[0].text === "" && isEmptyList(shell, parts)) return;
  fields.forEach(({ text }, i) => {
    if (i > 0) out.separators === undefined ? out.addQuoted(" ") : out.breakField();
    out.addQuoted(text);
  });
}

function isList(part: WordPart): boolean {
  return part.type === "Parameter" && (part.name === "@" || part.subscript === "@");
}

/** Whether the lists among the parts have no elements. */
function isEmptyList(shell: Interpreter, parts: WordPart[]): boolean {
  return parts.filter(isList).every((part) => part.type === "Parameter" && countElements(shell, part) === 0) &&
    parts.every((part) => part.type !== "Literal");
}

function add(out: FieldBuilder, text: string, quoted: boolean): void {
  if (quoted) out.addQuoted(text);
  else out.addExpanded(text);
}

/** One field, neither split nor globbed. */
export function* expandWord(shell: Interpreter, word: WordNode): Task<string> {
  if (word.plain !== undefined) return word.plain;
  if (word.parts.length === 1) {
    const [part] = word.parts;
    const inner = part.type === "DoubleQuoted" && part.parts.length === 1 ? part.parts[0] : part;
    const text = expandSimply(shell, inner);
    if (text !== undefined) return text;
    if (inner.type === "CommandSubstitution") return yield* shell.substitute(inner.body);
  }
  return (yield* buildWord(shell, word)).text;
}

function* buildWord(shell: Interpreter, word: WordNode): Task<FieldBuilder> {
  const out = new FieldBuilder(undefined);
  yield* expandParts(shell, word.parts, out, "bare");
  return out;
}

/** A pattern in which what was quoted is escaped. */
export function* expandPattern(shell: Interpreter, word: WordNode): Task<string> {
  return (yield* buildWord(shell, word)).escaped;
}

const REGEX_SPECIAL = /[\\^$.|?*+()[\]{}]/g;

/** The right side of `=~`: what was quoted matches itself. */
export function* expandRegex(shell: Interpreter, word: WordNode): Task<string> {
  const out = yield* buildWord(shell, word);
  return out.escape((quoted) => quoted.replace(REGEX_SPECIAL, "\\$&"));
}

/** What replaces a match: quoted `&` and backslashes are escaped. */
export function* expandReplacement(shell: Interpreter, word: WordNode): Task<string> {
  const out = yield* buildWord(shell, word);
  return out.escape((quoted) => quoted.replace(/[\\&]/g, "\\$&"));
}

export function* expandHereDocument(shell: Interpreter, word: WordNode): Task<string> {
  return word.plain ?? (yield* buildQuoted(shell, word));
}

function* buildQuoted(shell: Interpreter, word: WordNode): Task<string> {
  const out = new FieldBuilder(undefined);
  yield* expandParts(shell, word.parts, out, "quoted");
  return out.text;
}

/** The target of a redirection; undefined if that is not one word. */
export function* expandTarget(shell: Interpreter, word: WordNode): Task<string | undefined> {
  const { options, interactive } = shell.state;
  if (options.has("posix") && !interactive) return yield* expandWord(shell, word);
  const fields = yield* expandWords(shell, [word]);
  return fields.length === 1 ? fields[0] : undefined;
}

export function* expandSubscript(shell: Interpreter, name: string, subscript: SubscriptNode): Task<string> {
  const variable = shell.state.variables.find(name);
  if (variable?.value instanceof AssociativeArray) return yield* expandWord(shell, subscript.word);
  return subscript.word.plain ?? (yield* expandWord(shell, subscript.word));
}

/** `associative`: a list that is assigned is one of keys and values, which are neither split nor patterns. */
export function* expandAssignment(
  shell: Interpreter,
  node: AssignmentNode,
  associative = false,
): Task<ExpandedAssignment> {
  const { name, append } = node;
  const expanded: ExpandedAssignment = { name, append, value: "" };
  if (node.subscript) expanded.subscript = yield* expandSubscript(shell, name, node.subscript);
  if (!node.array) {
    if (node.value) expanded.value = yield* expandWord(shell, node.value);
    return expanded;
  }
  const pairs = associative || shell.state.variables.find(name)?.value instanceof AssociativeArray;
  const elements: ArrayElement[] = [];
  for (const { subscript, append: adds, value } of node.array) {
    if (subscript) {
      const key = yield* expandWord(shell, subscript.word);
      elements.push({ subscript: key, append: adds, value: yield* expandWord(shell, value) });
    } else if (pairs) elements.push({ append: false, value: yield* expandWord(shell, value) });
    else for (const text of yield* expandWords(shell, [value])) elements.push({ append: false, value: text });
  }
  return { ...expanded, value: elements };
}

provideText(expandArithmetic);
provideExpansion((shell, text) => {
  let word: WordNode;
  try {
    word = parseWord(new Parser(text), { until: "", noBraces: true, noTilde: true });
  } catch (error) {
    // A quote that does not close is a character of the key.
    if (error instanceof ShellSyntaxError) return text;
    throw error;
  }
  return runNow(expandWord(shell, word));
});

/** The result of an expansion where nothing can be waited for. */
export function runNow(task: Task<string>): string {
  const step = task.next();
  if (!step.done) throw new ExpansionError("a substitution in a subscript has to wait", false);
  return step.value;
}
