/** Types of the exports of Lua's module that are used: Lua's C interface, and a few functions of C. */

export const OK = 0;
export const NO_MEMORY = 4;
export const MULTIPLE = -1;
export const MASK_COUNT = 8;
export const TYPE = { nil: 0, boolean: 1, number: 3, string: 4, table: 5, function: 6, userdata: 7, thread: 8 };
/** The index of a C function's first value. */
export const UPVALUE = -1_001_001;

export interface Exports {
  memory: WebAssembly.Memory;
  __indirect_function_table: WebAssembly.Table;
  __wasm_call_ctors(): void;
  emscripten_stack_init(): void;
  stackSave(): number;
  stackRestore(at: number): void;
  stackAlloc(size: number): number;
  setThrew(threw: number, value: number): void;
  malloc(size: number): number;
  free(address: number): void;
  fflush(file: number): number;

  luaL_newstate(): number;
  luaL_openlibs(thread: number): void;
  lua_close(thread: number): void;
  luaL_loadbufferx(thread: number, data: number, size: number, name: number, mode: number): number;
  luaL_loadfilex(thread: number, path: number, mode: number): number;
  lua_pcallk(thread: number, args: number, results: number, handler: number, context: number, next: number): number;
  luaL_traceback(thread: number, of: number, message: number, level: number): void;
  lua_error(thread: number): number;
  lua_sethook(thread: number, hook: number, mask: number, count: number): void;
  lua_newthread(thread: number): number;

  lua_gettop(thread: number): number;
  lua_settop(thread: number, index: number): void;
  lua_pushvalue(thread: number, index: number): void;
  lua_rotate(thread: number, index: number, by: number): void;
  lua_checkstack(thread: number, slots: number): number;
  lua_type(thread: number, index: number): number;
  lua_tonumberx(thread: number, index: number, valid: number): number;
  lua_toboolean(thread: number, index: number): number;
  lua_tolstring(thread: number, index: number, size: number): number;
  lua_touserdata(thread: number, index: number): number;
  lua_pushnil(thread: number): void;
  lua_pushnumber(thread: number, value: number): void;
  lua_pushinteger(thread: number, value: bigint): void;
  lua_pushboolean(thread: number, value: number): void;
  lua_pushlstring(thread: number, data: number, size: number): number;
  lua_pushcclosure(thread: number, entry: number, values: number): void;
  lua_createtable(thread: number, items: number, fields: number): void;
  lua_getglobal(thread: number, name: number): number;
  lua_setglobal(thread: number, name: number): void;
  lua_getfield(thread: number, index: number, name: number): number;
  lua_setfield(thread: number, index: number, name: number): void;
  lua_rawseti(thread: number, index: number, key: bigint): void;
}
