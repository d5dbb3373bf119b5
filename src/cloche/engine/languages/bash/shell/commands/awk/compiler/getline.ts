/** getline in all its forms. */
import { Input } from "../data/values.ts";
import type { RecordReader } from "../machine/record_reader.ts";
import type { GetlineExpr } from "../program/syntax.ts";
import type { ExpressionCompiler } from "./expressions.ts";

/** 1 if there was a record, 0 at the end, -1 if there is nothing to read. */
type Result = number | Promise<number>;

/** Reads one record when it is called; the expression is free of what waits. */
export function compileGetline(compiler: ExpressionCompiler, expr: GetlineExpr): () => Result {
  const { machine } = compiler;
  const { state, streams } = machine;
  const target = expr.target && compiler.reference(expr.target);
  const store = (record: string): void => {
    if (!target) {
      state.record.text = record;
      return;
    }
    target.prepare();
    target.set(new Input(record));
  };
  if (expr.input === "main") {
    return () => {
      const record = machine.input.next();
      const use = (found: string | undefined) => {
        if (found === undefined) return 0;
        store(found);
        return 1;
      };
      return record instanceof Promise ? flushBefore(machine, record).then(use) : use(record);
    };
  }
  const source = expr.source ? compiler.text(expr.source) : () => "";
  const failure = state.cell("ERRNO");
  const readFrom = (reader: RecordReader | undefined): Result => {
    if (!reader) {
      failure.value = streams.failure;
      return -1;
    }
    const record = reader.next(state.recordRule);
    const use = (found: string | undefined) => {
      if (found === undefined) return 0;
      state.terminator = reader.terminator;
      store(found);
      return 1;
    };
    return record instanceof Promise ? flushBefore(machine, record).then(use) : use(record);
  };
  return () => {
    const reader = streams.input(expr.input, source());
    return reader instanceof Promise ? reader.then(readFrom) : readFrom(reader);
  };
}

/** Shows what was printed before it waits for input. */
async function flushBefore<T>(machine: ExpressionCompiler["machine"], promise: Promise<T>): Promise<T> {
  await machine.streams.stdout.flush();
  return await promise;
}
