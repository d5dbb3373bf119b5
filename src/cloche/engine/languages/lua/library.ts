/** The functions that Lua's own library lacks here, as the prelude gets them. */

import { Pipes } from "./vm/pipes.ts";
import type { HostFunction, LuaServices, LuaState } from "./state.ts";

/** Where modules are searched. */
export const PATH = [
  "./?.lua",
  "./?/init.lua",
  "/opt/languages/lua/?.lua",
  "/opt/languages/lua/?/init.lua",
].join(";");

const NUMBER_BASE = 256;

export class Library {
  readonly #pipes: Pipes;

  constructor(private readonly state: LuaState, private readonly world: LuaServices) {
    this.#pipes = new Pipes(state.vm);
  }

  readonly functions: Record<string, HostFunction> = {
    getenv: (thread) => {
      const value = this.world.variable(this.#name(thread, "getenv"));
      if (value === undefined) this.state.vm.exports.lua_pushnil(thread);
      else this.state.push(thread, value);
      return 1;
    },
    clock: (thread) => {
      this.state.vm.exports.lua_pushnumber(thread, performance.now() / 1000);
      return 1;
    },
    exit: (thread) => {
      this.state.stop({ why: "exit", code: this.#exitCode(thread) });
      return this.state.fail(thread, "exit");
    },
    pipe: (thread) => {
      const [command, mode] = [this.#name(thread, "popen"), this.state.text(thread, 2)];
      const path = this.state.vm.system.pipe(command, mode === "r");
      if (path === null) this.state.vm.exports.lua_pushnil(thread);
      else this.state.push(thread, path);
      return 1;
    },
    closing: (thread) => {
      const { exports } = this.state.vm;
      const file = exports.lua_touserdata(thread, 1);
      if (file === 0) return this.state.fail(thread, "this is no file");
      this.#pipes.add(file, this.state.text(thread, 2) ?? "");
      exports.lua_settop(thread, 1);
      return 1;
    },
    provide: (thread) => {
      const name = this.#name(thread, "require");
      const refusal = this.state.vm.system.wait(() => this.world.provide(name), "");
      if (refusal === null) this.state.vm.exports.lua_pushnil(thread);
      else this.state.push(thread, refusal);
      return 1;
    },
  };

  /** Closes a file that has a command at its other end. */
  close(thread: number): number {
    const { exports } = this.state.vm;
    const code = this.#pipes.close(thread);
    if (code === 0) exports.lua_pushboolean(thread, 1);
    else exports.lua_pushnil(thread);
    this.state.push(thread, "exit");
    exports.lua_pushinteger(thread, BigInt(code ?? 0));
    return 3;
  }

  #name(thread: number, of: string): string {
    const name = this.state.text(thread, 1);
    if (name === null) this.state.fail(thread, `bad argument #1 to '${of}' (string expected)`);
    return name ?? "";
  }

  /** No value and `true` mean success, `false` means failure. */
  #exitCode(thread: number): number {
    const { exports } = this.state.vm;
    if (exports.lua_gettop(thread) === 0) return 0;
    const code = exports.lua_tonumberx(thread, 1, 0);
    if (this.state.text(thread, 1) !== null) return (Math.trunc(code) % NUMBER_BASE + NUMBER_BASE) % NUMBER_BASE;
    return exports.lua_toboolean(thread, 1) ? 0 : 1;
  }
}
