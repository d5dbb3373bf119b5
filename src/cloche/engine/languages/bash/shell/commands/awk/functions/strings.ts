/** Functions of texts. */
import { characterCount, charactersBefore, lowerCase, sliceCharacters, upperCase } from "../data/characters.ts";
import { formatText } from "../data/printf.ts";
import { AwkArray, Input, type Slot } from "../data/values.ts";
import { AwkError } from "../errors.ts";
import type { ArrayExpr, Expr } from "../program/syntax.ts";
import type { Pattern } from "../regex/pattern.ts";
import type { ExpressionCompiler } from "../compiler/expressions.ts";
import { byContent, byPattern, type Splitter } from "../data/splitting.ts";
import { type Builtins, textual } from "./builtin.ts";

/** The characters from `start`, counted from 1; a start before the text is its first character. */
function substring(text: string, start: number, length: number): string {
  if (start !== start || !(length >= 1)) return "";
  const first = Math.max(1, Math.trunc(start)) - 1;
  return sliceCharacters(text, first, first + Math.trunc(length));
}

/** Whether an argument is an array itself, as in `length(array)`. */
function refersToArray(expr: Expr, compiler: ExpressionCompiler): boolean {
  if (expr.kind === "group") return refersToArray(expr.parts[0], compiler);
  if (expr.kind === "element") return true;
  return expr.kind === "name" && (expr.slot >= 0 || compiler.names.globals.get(expr.name) === true);
}

/** How `split` splits by an expression. */
function splitterOf(expr: Expr | undefined, compiler: ExpressionCompiler): () => Splitter {
  const { state } = compiler.machine;
  if (!expr) return () => state.splitter;
  if (expr.kind === "regex") {
    const pattern = compiler.pattern(expr);
    return () => byPattern(pattern());
  }
  const separator = compiler.text(expr);
  return () => state.splitterFor(separator());
}

function fill(array: AwkArray, texts: string[], from = 1): void {
  array.map.clear();
  for (let i = 0; i < texts.length; i++) array.map.set(String(i + from), new Input(texts[i]));
}

/** split and patsplit: elements, and what stands between them. */
function splitting(
  makeSplitter: (expr: Expr | undefined, compiler: ExpressionCompiler) => () => Splitter,
): Builtins[""] {
  return {
    kind: "number",
    compile([textExpr, arrayExpr, by, between], compiler) {
      const text = compiler.text(textExpr);
      const splitter = makeSplitter(by, compiler);
      const array = compiler.array(arrayExpr as ArrayExpr);
      const gaps = between === undefined ? undefined : compiler.array(between as ArrayExpr);
      return () => {
        const separators: string[] | undefined = gaps === undefined ? undefined : [];
        const fields = splitter()(text(), separators);
        fill(array(), fields);
        if (gaps && separators) fillGaps(gaps(), separators, fields.length);
        return fields.length;
      };
    },
  };
}

/** The separators; element 0 and the last exist only if something stands before the first field or behind the last. */
function fillGaps(array: AwkArray, gaps: string[], count: number): void {
  array.map.clear();
  gaps.forEach((gap, i) => {
    if (gap !== "" || i > 0 && i < count) array.map.set(String(i), new Input(gap));
  });
}

/** Puts the groups of a match into the array of `match(text, pattern, array)`. */
function fillGroups(array: AwkArray, pattern: Pattern, text: string, separator: string): void {
  const { start, end } = pattern;
  const { map } = array;
  const put = (key: string, found: string, at: number) => {
    map.set(key, new Input(found));
    map.set(`${key}${separator}start`, charactersBefore(text, at) + 1);
    map.set(`${key}${separator}length`, characterCount(found));
  };
  put("0", text.slice(start, end), start);
  pattern.groups(text, start, end).forEach((group, i) => group && put(String(i + 1), group.text, group.start));
}

export const strings: Builtins = {
  toupper: textual(upperCase),
  tolower: textual(lowerCase),
  length: {
    kind: "number",
    compile([arg], compiler) {
      const { state } = compiler.machine;
      if (!arg) return () => characterCount(state.record.text);
      if (!refersToArray(arg, compiler)) {
        const text = compiler.text(arg);
        return () => characterCount(text());
      }
      const value = compiler.argument(arg.kind === "group" ? arg.parts[0] : arg, false);
      return () => {
        const found: Slot = value();
        return found instanceof AwkArray ? found.map.size : characterCount(state.textOf(found));
      };
    },
  },
  substr: {
    kind: "text",
    compile([textExpr, startExpr, lengthExpr], compiler) {
      const [text, start] = [compiler.text(textExpr), compiler.number(startExpr)];
      const length = lengthExpr ? compiler.number(lengthExpr) : () => Infinity;
      return () => substring(text(), start(), length());
    },
  },
  index: {
    kind: "number",
    compile([textExpr, partExpr], compiler) {
      if (partExpr.kind === "regex") {
        throw new AwkError("index: regexp constant as second argument is not allowed");
      }
      const [text, part] = [compiler.text(textExpr), compiler.text(partExpr)];
      const { conventions } = compiler.machine.state;
      return () => {
        const [whole, wanted] = conventions.ignoreCase ? [lowerCase(text()), lowerCase(part())] : [text(), part()];
        const at = whole.indexOf(wanted);
        return at < 0 ? 0 : charactersBefore(whole, at) + 1;
      };
    },
  },
  sprintf: {
    kind: "text",
    compile([formatExpr, ...rest], compiler) {
      const format = compiler.text(formatExpr);
      const values = rest.map((expr) => compiler.value(expr));
      const { conventions } = compiler.machine.state;
      return () => formatText(format(), values.map((value) => value()), conventions);
    },
  },
  split: splitting(splitterOf),
  patsplit: splitting((expr, compiler) => {
    const { state } = compiler.machine;
    if (!expr) return () => byContent(state.patterns.get(state.textOf(state.cell("FPAT").value)));
    const pattern = compiler.pattern(expr);
    return () => byContent(pattern());
  }),
  match: {
    kind: "number",
    compile([textExpr, patternExpr, arrayExpr], compiler) {
      const [text, pattern] = [compiler.text(textExpr), compiler.pattern(patternExpr)];
      const array = arrayExpr === undefined ? undefined : compiler.array(arrayExpr as ArrayExpr);
      const { state } = compiler.machine;
      const [start, length] = [state.cell("RSTART"), state.cell("RLENGTH")];
      return () => {
        const subject = text();
        const found = pattern();
        const target = array?.();
        target?.map.clear();
        if (!found.find(subject, 0)) {
          start.value = 0;
          length.value = -1;
          return 0;
        }
        const at = charactersBefore(subject, found.start) + 1;
        start.value = at;
        length.value = characterCount(subject.slice(found.start, found.end));
        if (target) fillGroups(target, found, subject, state.keySeparator);
        return at;
      };
    },
  },
};
