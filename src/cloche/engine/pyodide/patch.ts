/** Textual changes to the pinned pyodide.asm.mjs, made once when the assets are prepared. */

const FILL_TABLE = "updateGOT(origExports);LDSO.init();";
const LOAD_SIDE_MODULE = "var loadWebAssemblyModule=(binary,flags,libName,localScope,handle)=>{";

/**
 * Entering all 9,000 exports of the main module into the function table costs 10 ms at every start and is only needed
 * when a side module is linked: enter what the main module itself asks for, and the rest with the first side module.
 */
export function patchAsm(source: string): string {
  const lazy = "{const asked={};for(const name in GOT)if(name in origExports)asked[name]=origExports[name];" +
    "updateGOT(asked);Module.fillTable=()=>{Module.fillTable=undefined;updateGOT(origExports)}}LDSO.init();";
  return replaceOnce(
    replaceOnce(source, FILL_TABLE, lazy),
    LOAD_SIDE_MODULE,
    LOAD_SIDE_MODULE + "Module.fillTable?.();",
  );
}

function replaceOnce(source: string, from: string, to: string): string {
  const parts = source.split(from);
  if (parts.length !== 2) {
    throw new Error(`pyodide.asm.mjs is not the pinned version: '${from}' occurs ${parts.length - 1} times, not once`);
  }
  return parts.join(to);
}
