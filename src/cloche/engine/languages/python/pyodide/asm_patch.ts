/** Textual changes to the pinned pyodide.asm.mjs, made once when the assets are prepared. */

const FILL_TABLE = "updateGOT(origExports);LDSO.init();";
const LOAD_SIDE_MODULE = "var loadWebAssemblyModule=(binary,flags,libName,localScope,handle)=>{";
const TAKE_SIGNAL =
  "let result=Module.Py_EmscriptenSignalBuffer[0];Module.Py_EmscriptenSignalBuffer[0]=0;return result";
const TAKE_AT_ONCE = "return Atomics.exchange(Module.Py_EmscriptenSignalBuffer,0,0)";
const ASSIGN = "function assignWasmExports(wasmExports){";
/** Exports that the engine's own code uses. */
const OWN = "_Py_Version ___stack_low _emscripten_builtin_memalign _emscripten_stack_get_current _free _malloc".split(
  " ",
);

const FILL_LATER = "{const asked={};for(const name in GOT)if(name in origExports)asked[name]=origExports[name];" +
  "updateGOT(asked);Module.fillTable=()=>{Module.fillTable=undefined;" +
  "const all=Module.allExports?.(origExports)??origExports;" +
  'mergeLibSymbols(all,"main");updateGOT(all)}}LDSO.init();';

/** Each text occurs exactly once. */
const CHANGES = [
  { what: "taking a signal in one step", from: TAKE_SIGNAL, to: TAKE_AT_ONCE },
  { what: "filling the table later", from: FILL_TABLE, to: FILL_LATER },
  {
    what: "filling the table with the first side module",
    from: LOAD_SIDE_MODULE,
    to: LOAD_SIDE_MODULE + "Module.fillTable?.();",
  },
];

/** The changes that cannot be made to this source, and why: what to look at for another version of Pyodide. */
export function findMisfits(source: string): string[] {
  const steps = [
    ...CHANGES.map(({ what, from }) => ({ what, step: () => void parted(source, from) })),
    { what: "dropping variables of unused exports", step: () => void split(source) },
  ];
  return steps.flatMap(({ what, step }) => {
    try {
      step();
      return [];
    } catch (error) {
      return [`${what}: ${error instanceof Error ? error.message : error}`];
    }
  });
}

/**
 * One signal in a hundred came between Pyodide's check and its reset, and was lost: now both are one step.
 *
 * The 8,500 exports of the main module cost 40 ms and 10 MB at every start, and only side modules need more than a
 * hundred of them: enter what the main module itself asks for, and the rest with the first side module.
 */
export function patchAsm(source: string): string {
  const linked = CHANGES.reduce((text, { from, to }) => replaceOnce(text, from, to), source);
  const { before, assigned, after } = split(linked);
  const start = before.slice(0, before.lastIndexOf("var "));
  const used = usedWords(start + after);
  const kept = assigned.filter(({ names }) => names.some((name) => used.has(name)));
  const variables = kept.map(({ names }) => names[0]);
  return `${start}var ${variables},wasmTable,wasmMemory;${ASSIGN}${kept.map(({ text }) => text).join(";")}${after}`;
}

/** Names of exports that the patched source asks for, among other words. */
export function askedExports(patched: string): Set<string> {
  const texts = patched.matchAll(/"([\w$]+)"|wasmExports\.([\w$]+)/g);
  return new Set(Array.from(texts, ([, quoted, member]) => quoted ?? member));
}

interface Assigned {
  /** The variable first, then the properties of the module. */
  names: string[];
  text: string;
}

/** The part that assigns each export to a variable, and the text before and after it. */
function split(source: string): { before: string; assigned: Assigned[]; after: string } {
  const [before, rest] = parted(source, ASSIGN);
  const end = rest.indexOf("}");
  const assigned = rest.slice(0, end).split(";").filter(Boolean).map((text) => {
    const names = text.split("=").slice(0, -1).map((target) => target.replace(/^Module\["(.*)"\]$/, "$1"));
    if (names.length === 0 || !names.every((name) => /^[\w$]+$/.test(name))) throw unknown(text);
    return { names, text };
  });
  return { before, assigned, after: rest.slice(end) };
}

function usedWords(source: string): Set<string> {
  return new Set([...source.match(/[\w$]+/g) ?? [], ...OWN]);
}

function replaceOnce(source: string, from: string, to: string): string {
  return parted(source, from).join(to);
}

function parted(source: string, by: string): [string, string] {
  const parts = source.split(by);
  if (parts.length !== 2) throw unknown(`'${by}' occurs ${parts.length - 1} times, not once`);
  return [parts[0], parts[1]];
}

function unknown(why: string): Error {
  return new Error(`pyodide.asm.mjs is not the pinned version: ${why}`);
}
