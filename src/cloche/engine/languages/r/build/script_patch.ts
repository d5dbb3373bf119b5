/** Patches webR's JavaScript: makes it a module, gives it our files, and removes its ways to run other code. */

/** Texts that Emscripten wrote, each with its replacement; each occurs exactly once. */
type Change = [from: string, to: string];

const REFUSED = 'throw new Error("code of JavaScript cannot be run from R")';

const CHANGES: Change[] = [
  ['var Module=typeof Module!="undefined"?Module:{};', ""],
  ["ENVIRONMENT_IS_WEB=!!globalThis.window;", "ENVIRONMENT_IS_WEB=false;"],
  [
    "ENVIRONMENT_IS_WORKER=!!globalThis.WorkerGlobalScope;",
    "ENVIRONMENT_IS_WORKER=true;",
  ],
  [
    'globalThis.process?.versions?.node&&globalThis.process?.type!="renderer"',
    "false",
  ],
  ["_scriptName=self.location.href", '_scriptName=""'],
  [
    "globalThis[name]=Module[name]=exportedSymbol",
    "Module[name]=exportedSymbol",
  ],
  // Its memory comes from a snapshot, so the code that would fill it is left out.
  [
    'wasmExports["__wasm_call_ctors"]()',
    'Module.restoring||wasmExports["__wasm_call_ctors"]()',
  ],
  [
    'moduleExports["__wasm_apply_data_relocs"];if',
    'Module.restoring?undefined:moduleExports["__wasm_apply_data_relocs"];if',
  ],
  [
    'init=moduleExports["__wasm_call_ctors"];if',
    'init=Module.restoring?undefined:moduleExports["__wasm_call_ctors"];if',
  ],
  [
    "metadata.memorySize?alignMemory(getMemory(metadata.memorySize+memAlign),memAlign):0",
    "Module.place(()=>metadata.memorySize?alignMemory(getMemory(metadata.memorySize+memAlign),memAlign):0)",
  ],
  [
    "if(!runtimeInitialized){return undefined}if(PATH",
    "if(!runtimeInitialized||!PATH.isAbs(libName)){return undefined}if(PATH",
  ],
  [
    "try{return loadDynamicLibrary(filename,combinedFlags,localScope,handle)}",
    "try{loadDynamicLibrary(filename,combinedFlags,localScope,handle);Module.loadedLibrary(filename,combinedFlags,handle);return true}",
  ],
  // A refused library is not there the next time either.
  [
    "catch(e){dlSetError(`could not load dynamic lib: ${filename}",
    "catch(e){delete LDSO.loadedLibsByName[filename];delete LDSO.loadedLibsByHandle[handle];" +
    "dlSetError(`could not load dynamic lib: ${filename}",
  ],
  [
    "result=addFunction(result,result.sig);HEAPU32[symbolIndex>>2]=newSymIndex",
    "result=addFunction(result,result.sig);HEAPU32[symbolIndex>>2]=newSymIndex;Module.foundFunction(handle,symbol)",
  ],
  // C has read the file already, but whether it may run is decided here.
  ["if(data&&dataSize){", "if(false){"],
  ['FS.readFile(f,{encoding:"binary"})', "Module.readLibrary(f)"],
  [
    "var module=binary instanceof WebAssembly.Module?binary:new WebAssembly.Module(binary);var instance=new WebAssembly.Instance(module,info);",
    "var module=binary instanceof WebAssembly.Module?binary:new WebAssembly.Module(binary);var instance=new WebAssembly.Instance(module,info);Module.watch(instance);",
  ],
  [
    "({module:binary,instance}=await WebAssembly.instantiate(binary,info))",
    "({module:binary,instance}=await WebAssembly.instantiate(binary,info));Module.watch(instance)",
  ],
  // One module for all of JavaScript's functions that C has pointers to, instead of one for each.
  [
    "var reportUndefinedSymbols=()=>{",
    "var reportUndefinedSymbols=()=>{addWrapped();",
  ],
  // Functions of the module itself get a pointer on request.
  [
    "var updateGOT=(exports,replace)=>{",
    "var updateGOT=(exports,replace,asked)=>{",
  ],
  [
    "var existingEntry=GOT[symName]&&",
    "if(asked&&!GOT[symName])continue;var existingEntry=GOT[symName]&&",
  ],
  ["updateGOT(origExports)", "updateGOT(origExports,false,true)"],
  // Files within the module are kept elsewhere.
  [
    'FS.createPath("/",PATH.dirname(name),true,true);FS.createDataFile(name,null,HEAP8.subarray(content,content+len),true,true,true)',
    "Module.embedded(name,content,len)",
  ],
  // Guests must not fill this thread's own memory, nor leave it.
  [
    "createNode(parent,name,mode,dev){if(FS.isBlkdev",
    "createNode(parent,name,mode,dev){if(Module.sealed)throw new FS.ErrnoError(69);if(FS.isBlkdev",
  ],
  ["getHeapMax=()=>2147483648", "getHeapMax=()=>Module.limit"],
  [
    "createSocket(family,type,protocol){",
    "createSocket(family,type,protocol){throw new FS.ErrnoError(63);",
  ],
  // JavaScript that C wants to run, for example to open a URL, has no effect.
  ["eval(UTF8ToString(ptr))};", "};"],
  ["ptr=>eval(UTF8ToString(ptr))|0;", "ptr=>0;"],
  ["var s=eval(UTF8ToString(ptr));", "var s=null;"],
  ["ASM_CONSTS[start]=eval(func)", REFUSED],
  ["moduleExports[name]=eval(func)", REFUSED],
  ["eval(data);loadDone()", REFUSED],
  [
    "createWasm();run();",
    "Object.setPrototypeOf(wasmImports,null);keepNeeded();Module.loadLibrary=loadDynamicLibrary;Module.findFunction=(handle,symbol)=>addFunction(LDSO.loadedLibsByHandle[handle].exports[symbol]);Module.table=()=>wasmTable;Module.memory=()=>wasmMemory;Module.updateViews=updateMemoryViews;createWasm();run();",
  ],
];

const ALIASES: Record<string, string> = {
  wasmTable: "__indirect_function_table",
  wasmMemory: "memory",
  incrementUncaughtExceptionCount: "__increment_uncaught_exception",
  decrementUncaughtExceptionCount: "__decrement_uncaught_exception",
};

/** Converts all functions of JavaScript that C calls by pointer to WebAssembly at once. */
const WRAPPING = `
function addWrapped(){
  var found=[];
  for(var [name,entry] of Object.entries(GOT)){
    if(entry.value!=-1)continue;
    var value=resolveGlobalSymbol(name,true).sym;
    if(typeof value=="function"&&value.sig&&!getFunctionAddress(value))found.push(value);
  }
  var wrapped=Module.wrap(found);
  found.forEach((value,index)=>{var at=getEmptyTableSlot();setWasmTableEntry(at,wrapped[index]);functionsInTableMap.set(value,at)});
}`;

/** Turns the text of R.js into a module whose default export starts R with the settings it is given. */
export function patchScript(
  text: string,
  exports: string[],
  needed: Set<string>,
): string {
  let script = text.slice(text.indexOf("var Module=typeof Module!="));
  const free = freeNames(script, exports);
  script = cut(
    script,
    "function exportAliases(",
    "var __RELOC_FUNCS__",
    aliasing(free),
  );
  script = cut(
    script,
    "if(ENVIRONMENT_IS_NODE){var fs=require",
    "var out=console.log",
    "readBinary=Module.readBinary;readAsync=async name=>readBinary(name);",
  );
  for (const [from, to] of CHANGES) script = change(script, from, to);
  script = script.replaceAll("globalThis.Module.webr.", "Module.webr.");
  const keep = `function keepNeeded(){var needed=new Set(${JSON.stringify([...needed])});` +
    `for(var name of Object.keys(wasmImports))if(needed.size&&!needed.has(name))delete wasmImports[name]}`;
  const names = [...free, ...Object.keys(ALIASES)].join(",");
  return `export default function(Module){var ${names};${WRAPPING}\n${keep}\n${script}\n}\n`;
}

/** Exports of the module that the script uses as if they were global. */
function freeNames(script: string, exports: string[]): string[] {
  const exported = new Set(exports.map((name) => `_${name}`));
  const used = new Set(
    Array.from(script.matchAll(/(?<![\w$.])_\w+/g), ([name]) => name),
  );
  return [...used].filter((name) => exported.has(name) && !isDeclared(script, name));
}

function isDeclared(script: string, name: string): boolean {
  return ["var", "let", "const", "function"].some((word) => new RegExp(`\\b${word} ${name}\\b`).test(script));
}

function aliasing(free: string[]): string {
  const aliases = Object.entries(ALIASES).map(([name, exported]) => `${name}=wasmExports["${exported}"];`);
  return `function exportAliases(wasmExports){${aliases.join("")}${free.map((n) => `${n}=Module["${n}"];`).join("")}}`;
}

function cut(script: string, from: string, to: string, put: string): string {
  const start = script.indexOf(from);
  const end = script.indexOf(to, start);
  if (start < 0 || end < 0) throw new Error(`webR's script has no ${from}`);
  return script.slice(0, start) + put + script.slice(end);
}

function change(script: string, from: string, to: string): string {
  const parts = script.split(from);
  if (parts.length !== 2) {
    throw new Error(`webR's script has ${parts.length - 1} times ${from}`);
  }
  return parts.join(to);
}
