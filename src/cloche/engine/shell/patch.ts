/** The one change made to just-bash: whoever calls `exec` may supply the interpreter that runs the script. */

/** Key under which `exec` options carry a factory `(Interpreter, options, state) => Interpreter`. */
export const INTERPRETER: unique symbol = Symbol.for("cloche.interpreter");

const CALL = /new (\w+)\((\w+),(\w+)\)\.executeScript\((\w+)\)/g;
const OPTIONS = /extraArgs:(\w+)\.args\b/g;

/** Rewrites the source of just-bash's entry module; throws if it is not the source this was written for. */
export function patchJustBash(source: string): string {
  const [, options] = only(source, OPTIONS, "the options of execInScope");
  const [call, interpreter, context, state, script] = only(source, CALL, "the call of the interpreter");
  const hook = `${options}[Symbol.for("cloche.interpreter")]`;
  const made = `${hook}?.(${interpreter},${context},${state})??new ${interpreter}(${context},${state})`;
  return source.replace(call, () => `(${made}).executeScript(${script})`);
}

function only(source: string, pattern: RegExp, what: string): RegExpMatchArray {
  const found = [...source.matchAll(pattern)];
  if (found.length === 1) return found[0];
  throw new Error(`cannot patch just-bash: ${what} was found ${found.length} times, not once; is this version 3.4.2?`);
}
