/** What a built-in function is. */
import type { Value } from "../data/values.ts";
import type { ExpressionCompiler } from "../compiler/expressions.ts";
import type { Expr } from "../program/syntax.ts";

export interface Builtin {
  /** What it always returns. */
  kind: "number" | "text" | "any";
  compile(args: Expr[], compiler: ExpressionCompiler): () => Value;
}

export type Builtins = Record<string, Builtin>;

/** A function of numbers. */
export function numeric(compute: (...args: number[]) => number): Builtin {
  return {
    kind: "number",
    compile(args, compiler) {
      const [a, b] = args.map((arg) => compiler.number(arg));
      if (args.length === 1) return () => compute(a());
      if (args.length === 2) return () => compute(a(), b());
      const all = args.map((arg) => compiler.number(arg));
      return () => compute(...all.map((number) => number()));
    },
  };
}

/** A function of one text that returns one. */
export function textual(change: (text: string) => string): Builtin {
  return {
    kind: "text",
    compile([arg], compiler) {
      const text = compiler.text(arg);
      return () => change(text());
    },
  };
}
