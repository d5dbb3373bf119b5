/** The changes made to just-bash: `exec` may be given an interpreter, and no cap cuts what a script expands to. */

/** Key under which `exec` options carry a factory `(Interpreter, options, state) => Interpreter`. */
export const INTERPRETER: unique symbol = Symbol.for("cloche.interpreter");

const CALL = /new (\w+)\((\w+),(\w+)\)\.executeScript\((\w+)\)/g;
const OPTIONS = /extraArgs:(\w+)\.args\b/g;
const FREE = String(Number.MAX_SAFE_INTEGER);

/** Caps that no option of just-bash changes: what each is called, where it stands, what it becomes. */
const CAPS: [what: string, pattern: RegExp, replacement: string][] = [
  ["the cap on ranges", /var (\w+)=1e4,(\w+)=\{maxResults:\1,/g, `var $1=${FREE},$2={maxResults:$1,`],
  [
    "the quiet end of a range",
    /(if\(\w+\.length>=(\w+)\.maxResults\))return!1;(let (\w+)=\w+\(\w+\);if\(\4>\2\.maxStringBytes-\w+\.value\)throw new (\w+)\()/g,
    '$1throw new $5(`brace expansion result limit exceeded (${$2.maxResults})`,"array_elements");$3',
  ],
  [
    "the cap on all brace expansions of a script",
    /Math\.min\(\w+,\w+\.limits\.maxBraceExpansionResults\)(?=,"brace expansion")/g,
    FREE,
  ],
  ["the cap on the work of one brace expansion", /var (\w+)=1e5;(?=async function)/g, `var $1=${FREE};`],
  [
    "the caps on the length of a script",
    /var (\w+)=1e6,(\w+)=1e5,(\w+)=1e6,(?=\w+=200,)/g,
    `var $1=${FREE},$2=${FREE},$3=${FREE},`,
  ],
  ["the cap on the commands of a script", /(?<=>)1e4(?=&&this\.error\("Parser stuck)/g, FREE],
];

/** Rewrites the source of just-bash's entry module; throws if it is not the source this was written for. */
export function patchJustBash(source: string): string {
  const [, options] = only(source, OPTIONS, "the options of execInScope");
  const [call, interpreter, context, state, script] = only(source, CALL, "the call of the interpreter");
  const hook = `${options}[Symbol.for("cloche.interpreter")]`;
  const made = `${hook}?.(${interpreter},${context},${state})??new ${interpreter}(${context},${state})`;
  return liftCaps(source.replace(call, () => `(${made}).executeScript(${script})`));
}

/** Removes the limits that cannot be set by options. */
function liftCaps(source: string): string {
  for (const [what, pattern, replacement] of CAPS) {
    only(source, pattern, what);
    source = source.replace(pattern, replacement);
  }
  return source;
}

function only(source: string, pattern: RegExp, what: string): RegExpMatchArray {
  const found = [...source.matchAll(pattern)];
  if (found.length === 1) return found[0];
  throw new Error(`cannot patch just-bash: ${what} was found ${found.length} times, not once; is this version 3.4.2?`);
}
