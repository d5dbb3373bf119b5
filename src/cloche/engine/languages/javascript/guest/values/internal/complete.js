// Lists the members of a value without running the program's code.
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

function valueOf(object, name, top) {
  for (let at = object; at !== null && at !== undefined; at = Object.getPrototypeOf(Object(at))) {
    const found = Object.getOwnPropertyDescriptor(Object(at), name);
    if (!found) continue;
    // Only our own getters are called: they load modules.
    return "value" in found ? found.value : top ? object[name] : undefined;
  }
  return undefined;
}

exports.members = (chain, prefix) => {
  let object = globalThis;
  for (const name of chain === "" ? [] : chain.split(".")) {
    object = name === "globalThis" ? globalThis : valueOf(object, name, object === globalThis);
    if (object === undefined || object === null) return "[]";
  }
  const names = new Set();
  for (let at = Object(object); at !== null; at = Object.getPrototypeOf(at)) {
    if (at === Object.prototype && object !== Object.prototype && prefix === "" && names.size > 0) break;
    for (const name of Object.getOwnPropertyNames(at)) {
      if (name.startsWith(prefix) && IDENTIFIER.test(name)) names.add(name);
    }
  }
  return JSON.stringify([...names]);
};
