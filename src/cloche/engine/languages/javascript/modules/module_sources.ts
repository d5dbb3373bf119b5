/** The modules of a program: the file of a name, its source as QuickJS takes it, and how its lines map back. */

import { Interrupted, RequestError } from "../../../worker/request_errors.ts";
import type { Tree } from "../../../fs/tree.ts";
import { COMPILE_ONLY, MODULE } from "../quickjs/exports.ts";
import { checkText } from "../file_calls.ts";
import type { Mode } from "./package_json.ts";
import { countedInBytes, type Edited, type Locate, placeOf, prefixSource } from "../source/positions.ts";
import { type Kind, parentFolder, Resolver } from "./resolve.ts";
import { scanSource } from "../source/scanner.ts";
import { GuestError, type HostFunction, Thrown, type Value, type Vm } from "../quickjs/vm.ts";

const OPEN = "(function (exports, require, module, __filename, __dirname) {";
const CLOSE = "\n})";
const TYPED = /\.(?:[mc]?ts|tsx)$/;
const WORD = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
/** How many sources' positions are kept. */
const MOST = 2000;

interface SourcesOptions {
  tree: Tree;
  /** Names of modules that are always there. */
  builtins: Set<string>;
  cwd(): string;
  /** Removes types; without it, files with types are refused. */
  strip?: (code: string, file: string) => Edited;
  /** Installs a package; false if packages cannot be installed. */
  provide(name: string): boolean;
}

export class Sources {
  readonly resolver: Resolver;
  readonly #places = new Map<string, Locate>();
  /** Why the package that is missing could not be installed. */
  #refusal = "";
  #cell = { name: "", code: "" };
  /** The file of the main program, whose folder is also that of code made from text. */
  main = "";

  constructor(private readonly options: SourcesOptions) {
    this.resolver = new Resolver(options.tree);
  }

  /** The cell that runs, as it was written. */
  get cell(): { name: string; code: string } {
    return this.#cell;
  }

  set cell(cell: { name: string; code: string }) {
    this.#cell = cell;
  }

  /** Remembers where the places of a source come from. */
  keep(file: string, given: Edited): Edited {
    const source = countedInBytes(given);
    this.#places.delete(file);
    if (!source.locate) return source;
    if (this.#places.size >= MOST) this.#places.delete([...this.#places.keys()][0]);
    this.#places.set(file, source.locate);
    return source;
  }

  functions(vm: () => Vm, mark: (file: string) => void): Record<string, HostFunction> {
    return {
      names: () => JSON.stringify([...this.options.builtins]),
      place: (file, line, column) =>
        this.#places.get(checkText(file))?.(line as number, column as number) ?? [line, column],
      resolve: (from, name, mode) =>
        this.#find(checkText(from), checkText(name), mode === "import" ? "import" : "require"),
      kind: (path) => this.kind(checkText(path)),
      text: (path) => this.read(checkText(path)),
      compile: (path) => {
        mark(checkText(path));
        return this.#compile(vm(), checkText(path), this.typeless(checkText(path)));
      },
      compileText: (code, path) => {
        mark(checkText(path));
        return this.#compile(vm(), checkText(path), { code: String(code) });
      },
      importNow: (path) => this.#importNow(vm(), checkText(path)),
    };
  }

  /** The full name of what a module imports. */
  normalize(base: string, name: string): string {
    const bare = name.replace(/^node:/, "");
    if (this.options.builtins.has(name) || (bare !== name && this.options.builtins.has(bare))) return `node:${bare}`;
    if (name.startsWith("node:")) {
      throw new GuestError("Error", `No such built-in module: ${name}`, "ERR_UNKNOWN_BUILTIN_MODULE");
    }
    return this.#find(base, name, "import")[1];
  }

  /** The source of a module; a file that is not a module gets one that re-exports its exports. */
  load(name: string, keysOf: (path: string) => string, mark: (file: string) => void): string {
    const kind = name.startsWith("node:") ? "commonjs" : this.kind(name);
    if (kind === "module") {
      const source = this.keep(name, this.#withMeta(name, this.typeless(name)));
      if (source.locate) mark(name);
      return source.code;
    }
    const keys = (JSON.parse(keysOf(name)) as string[]).filter((key) => WORD.test(key) && key !== "default");
    const from = `globalThis[Symbol.for("cloche")].load(${JSON.stringify(name)})`;
    const names = keys.map((key, index) => `const v${index}=m.${key};export{v${index} as ${key}};`);
    return `const m=${from};export default m;${names.join("")}`;
  }

  kind(path: string): Kind {
    return this.resolver.kind(path, () => this.typeless(path).code);
  }

  read(path: string): string {
    return new TextDecoder().decode(this.options.tree.readFile(path));
  }

  /** The source of a file, without types. */
  typeless(path: string): Edited {
    const code = this.read(path).replace(/^#!/, "//");
    if (!TYPED.test(path)) return { code };
    if (!this.options.strip) {
      throw new GuestError("SyntaxError", `${path} is TypeScript\nhint: run it with ts, or as language typescript`);
    }
    return this.options.strip(code, path);
  }

  #find(from: string, name: string, mode: Mode): [kind: string, path: string] {
    const near = from.startsWith("/") ? from : this.main;
    const folder = near ? parentFolder(near) : this.options.cwd();
    const look = () => this.resolver.resolve(folder, name, mode);
    const path = look() ?? (this.#provided(name) ? look() : undefined);
    if (path !== undefined) return [this.kind(path), path];
    throw mode === "require"
      ? new GuestError("Error", `Cannot find module '${name}'${this.#hint(name)}`, "MODULE_NOT_FOUND")
      : this.#absent(from, name);
  }

  /** An import has no stack: the position of its name in the source is used instead. */
  #absent(from: string, name: string): GuestError {
    const place = from.startsWith("/") ? from : "<cell>";
    const what = /^[./]/.test(name) ? "module" : "package";
    const message = `Cannot find ${what} '${name}' imported from ${place}${this.#hint(name)}`;
    const error = new GuestError("Error", message, "ERR_MODULE_NOT_FOUND");
    const source = from.startsWith("/") && from !== this.#cell.name ? this.read(from) : this.#cell.code;
    const token = scanSource(source).tokens.find(({ kind, text }) => kind === "string" && text.slice(1, -1) === name);
    if (token) error.frame = `    at ${place}:${placeOf(source, token.start).join(":")}`;
    return error;
  }

  #provided(name: string): boolean {
    this.#refusal = "";
    if (/^[./#]|^[a-z]+:/.test(name)) return false;
    try {
      const provided = this.options.provide(name);
      if (provided) this.resolver.forget();
      return provided;
    } catch (error) {
      if (error instanceof Interrupted || !(error instanceof RequestError)) throw error;
      this.#refusal = error.message;
      return false;
    }
  }

  #hint(name: string): string {
    if (/^[./#]/.test(name)) return "";
    if (/^https?:/.test(name)) return "\nhint: modules are not loaded from the network; install the package";
    const owner = name.split("/").slice(0, name.startsWith("@") ? 2 : 1).join("/");
    return `\nhint: ${
      this.#refusal ||
      `install it with \`npm install ${owner}\` in bash, or box.install("${owner}", language="javascript")`
    }`;
  }

  /** A function around the source of a CommonJS module. */
  #compile(vm: Vm, path: string, source: Edited): Value {
    const wrapped = this.keep(path, prefixSource(OPEN, source, CLOSE));
    try {
      return vm.eval(wrapped.code, path);
    } catch (error) {
      if (error instanceof Thrown) this.#complain(vm, path, source);
      throw error;
    }
  }

  /** The source by itself results in a better error than with a function around it. */
  #complain(vm: Vm, path: string, source: Edited): void {
    this.keep(path, source);
    if (!/\breturn\b/.test(source.code)) vm.free(vm.eval(source.code, path, COMPILE_ONLY));
  }

  #importNow(vm: Vm, path: string): undefined {
    const code = `import * as m from ${JSON.stringify(path)};globalThis[Symbol.for("cloche")].landed(m);`;
    vm.free(vm.eval(code, `<require ${path}>`, MODULE));
    return undefined;
  }

  #withMeta(path: string, source: Edited): Edited {
    if (!source.code.includes("import.meta")) return source;
    const url = `file://${path.split("/").map(encodeURIComponent).join("/")}`;
    const meta = { url, filename: path, dirname: parentFolder(path) };
    const resolve = `import.meta.resolve=(n)=>new URL(n,${JSON.stringify(url)}).href;`;
    return prefixSource(`Object.assign(import.meta,${JSON.stringify(meta)});${resolve}`, source);
  }
}
