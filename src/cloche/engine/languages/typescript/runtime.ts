/** TypeScript: strips the types, then runs as JavaScript. */

import { type Glue, TypeStripper } from "./strip_types.ts";
import JavaScriptRuntime from "../javascript/runtime.ts";

const PROGRAM = "swc.wasm";
const GLUE = "swc.js";

export default class TypeScriptRuntime extends JavaScriptRuntime {
  override async load(): Promise<void> {
    const { pack, shared } = this.worker;
    const glue = await import(pack.url(GLUE)) as Glue;
    const stripper = new TypeStripper(glue, pack.module(PROGRAM), () => shared.interrupted);
    this.strip = (code, file) => stripper.strip(code, file);
    await super.load();
  }
}
