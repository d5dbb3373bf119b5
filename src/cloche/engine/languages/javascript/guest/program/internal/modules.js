// require: finds modules with the host's help, and keeps those that are loaded.
const { dirname, resolve } = require("path");

const cache = Object.create(null);
const names = JSON.parse(host("names"));
const builtins = new Set(names);
const strip = (name) => name.startsWith("node:") ? name.slice(5) : name;

/** Some have to be named with `node:`, and are listed so. */
const isBuiltin = (name) => builtins.has(name) || name.startsWith("node:") && builtins.has(strip(name));

function Module(id, parent) {
  this.id = id;
  this.path = dirname(id);
  this.exports = {};
  this.filename = id;
  this.loaded = false;
  this.children = [];
  core.hidden(this, "parent", parent);
  this.paths = [];
  this.require = requireFrom(this);
}

function fail(code, message, extra) {
  const error = new Error(message);
  error.code = code;
  return Object.assign(error, extra);
}

function requireFrom(owner) {
  const require = (name) => {
    if (typeof name !== "string" || name === "") {
      throw Object.assign(new TypeError(`The argument 'id' must be a non-empty string. Received ${typeof name}`), {
        code: "ERR_INVALID_ARG_VALUE",
      });
    }
    const [kind, path] = find(owner.filename, name);
    return kind === "builtin" ? builtin(path) : load(path, kind, owner);
  };
  require.resolve = (name, options) =>
    find(options?.paths?.[0] ? `${resolve(options.paths[0])}/x` : owner.filename, name)[1];
  require.resolve.paths = () => [];
  require.cache = cache;
  Object.defineProperty(require, "main", { get: () => main, enumerable: true, configurable: true });
  require.extensions = Object.create(null);
  return require;
}

function find(from, name) {
  if (isBuiltin(name)) return ["builtin", strip(name)];
  try {
    return host("resolve", from, name, "require");
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    throw fail(error.code, error.message, { requireStack: from.endsWith("<cell>") ? [] : [from] });
  }
}

function builtin(name) {
  const module = core.builtin(name);
  return module;
}

/** The exports of a file, which runs on first use. */
function load(path, kind = host("kind", path), owner = undefined) {
  if (kind === "builtin") return builtin(path);
  const known = cache[path];
  if (known) return known.exports;
  if (kind === "module") return namespace(path);
  const module = new Module(path, owner);
  owner?.children?.push(module);
  cache[path] = module;
  try {
    run(module, kind);
  } catch (error) {
    delete cache[path];
    throw error;
  }
  module.loaded = true;
  return module.exports;
}

function run(module, kind) {
  if (kind === "json") {
    const text = host("text", module.filename);
    try {
      module.exports = JSON.parse(text.replace(/^\uFEFF/, ""));
    } catch (error) {
      error.message = `${module.filename}: ${error.message}`;
      throw error;
    }
    return;
  }
  if (kind === "native") {
    throw fail("ERR_DLOPEN_FAILED", `${module.filename} is a native extension, which cannot be loaded here`);
  }
  const act = host("compile", module.filename);
  act.call(module.exports, module.exports, module.require, module, module.filename, module.path);
}

/** An ES module, which must not use top-level await. */
function namespace(path) {
  core.landed = undefined;
  host("importNow", path);
  const landed = core.landed;
  if (landed === undefined) {
    throw fail(
      "ERR_REQUIRE_ASYNC_MODULE",
      `require() cannot be used on ${path}, which awaits at its top level. Use import()`,
    );
  }
  return "module.exports" in landed ? landed["module.exports"] : landed;
}

const main = new Module(host("main"), undefined);
main.id = ".";
main.loaded = true;
const require_ = main.require;
const setMain = (path) => Object.assign(main, { filename: path, path: dirname(path) });
core.setMain = setMain;

function createRequire(from) {
  const path = typeof from === "object" || `${from}`.startsWith("file:")
    ? require("url").fileURLToPath(from)
    : `${from}`;
  return new Module(path, undefined).require;
}

/** The names that an import of a file, or of one of our modules, provides. */
function keysOf(path) {
  const value = path.startsWith("node:") ? builtin(path.slice(5)) : load(path);
  if (value === null || typeof value !== "object" && typeof value !== "function") return "[]";
  const keys = new Set();
  for (const key in value) keys.add(key);
  for (const key of Object.getOwnPropertyNames(value)) {
    if (typeof value !== "function" || !["length", "name", "prototype", "arguments", "caller"].includes(key)) {
      keys.add(key);
    }
  }
  return JSON.stringify([...keys]);
}

Object.assign(Module, {
  Module,
  builtinModules: names,
  createRequire,
  isBuiltin,
  _cache: cache,
  _extensions: Object.create(null),
  _resolveFilename: (name, parent) => find(parent?.filename ?? main.filename, name)[1],
  _load: (name, parent) => (parent?.require ?? require_)(name),
  wrap: (code) => `(function (exports, require, module, __filename, __dirname) { ${code}\n});`,
});
Module.prototype._compile = function (code, path) {
  const act = host("compileText", `${code}`, `${path}`);
  act.call(this.exports, this.exports, this.require, this, path, dirname(path));
};

/** Runs the file that a command names. */
function runMain(path) {
  setMain(path);
  main.loaded = false;
  cache[path] = main;
  run(main, host("kind", path));
  main.loaded = true;
}

/** import.meta in a cell. */
function meta() {
  const url = require("url").pathToFileURL(main.filename).href;
  const resolve = (name) => new URL(name, url).href;
  return Object.assign(Object.create(null), { dirname: main.path, filename: main.filename, resolve, url });
}

Object.assign(exports, {
  Module,
  main,
  meta,
  runMain,
  require: require_,
  keysOf,
  load: (path) => path.startsWith("node:") ? builtin(path.slice(5)) : load(path),
});
