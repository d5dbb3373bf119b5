// path, as POSIX has it.
const text = (value) => {
  if (typeof value === "string") return value;
  throw require("internal/errors").wrongType("path", "of type string", value);
};

/** The parts of a path, without empty ones and dots. */
function parts(path, absolute) {
  const kept = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!absolute) kept.push(part);
  }
  return kept;
}

const isAbsolute = (path) => text(path).startsWith("/");

function normalize(path) {
  if (text(path) === "") return ".";
  const absolute = path.startsWith("/");
  const joined = parts(path, absolute).join("/");
  const tail = path.endsWith("/") ? "/" : "";
  if (joined === "") return absolute ? "/" : tail ? "./" : ".";
  return (absolute ? "/" : "") + joined + tail;
}

function join(...paths) {
  const joined = paths.map((path) => text(path)).filter((path) => path !== "").join("/");
  return joined === "" ? "." : normalize(joined);
}

function resolve(...paths) {
  let path = "";
  for (const each of paths.toReversed()) {
    if (text(each) !== "") path = path === "" ? each : `${each}/${path}`;
    if (path.startsWith("/")) break;
  }
  if (!path.startsWith("/")) path = path === "" ? host("cwd") : `${host("cwd")}/${path}`;
  return `/${parts(path, true).join("/")}`;
}

function dirname(path) {
  const trimmed = text(path).replace(/\/+$/, "");
  const at = trimmed.lastIndexOf("/");
  if (at < 0) return path.startsWith("/") ? "/" : ".";
  return trimmed.slice(0, at).replace(/\/+$/, "") || "/";
}

function basename(path, suffix) {
  if (suffix !== undefined && path === suffix) return "";
  const name = text(path).replace(/\/+$/, "").split("/").at(-1);
  return suffix && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

function extname(path) {
  const name = basename(path);
  const at = name.lastIndexOf(".");
  return at <= 0 || name === ".." ? "" : name.slice(at);
}

function relative(from, to) {
  const [source, target] = [parts(resolve(from), true), parts(resolve(to), true)];
  let same = 0;
  while (same < source.length && source[same] === target[same]) same++;
  return [...source.slice(same).map(() => ".."), ...target.slice(same)].join("/");
}

function parse(path) {
  const root = isAbsolute(path) ? "/" : "";
  const [base, ext] = [basename(path), extname(path)];
  const at = path.replace(/\/+$/, "").lastIndexOf("/");
  const dir = at < 0 ? "" : at === 0 ? root : path.slice(0, at);
  return { root, dir: base === "" ? root : dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
}

function format(given) {
  if (given === null || typeof given !== "object") {
    throw require("internal/errors").wrongType("pathObject", "of type object", given);
  }
  const { root = "", dir, base, name = "", ext = "" } = given;
  const file = base ?? name + (ext && !ext.startsWith(".") ? `.${ext}` : ext);
  if (!dir) return root + file;
  return dir === root ? dir + file : `${dir}/${file}`;
}

const posix = {
  sep: "/",
  delimiter: ":",
  normalize,
  join,
  resolve,
  isAbsolute,
  dirname,
  basename,
  extname,
  relative,
  parse,
  format,
  toNamespacedPath: (path) => path,
  _makeLong: (path) => path,
};
Object.assign(posix, { posix, win32: posix });
module.exports = posix;
