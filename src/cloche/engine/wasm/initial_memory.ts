/** The initial memory of a program, before anything has run. */

export function readInitialMemory(program: Uint8Array): Uint8Array {
  const module = new WebAssembly.Module(program as Uint8Array<ArrayBuffer>);
  const imports: Record<string, WebAssembly.ModuleImports> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 0;
  const { exports } = new WebAssembly.Instance(module, imports);
  return new Uint8Array((exports.memory as WebAssembly.Memory).buffer);
}
