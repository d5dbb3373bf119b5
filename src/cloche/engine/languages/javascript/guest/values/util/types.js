// util.types: what a value really is.
const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);
const TypedArray = Object.getPrototypeOf(Uint8Array);
const nameOf = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get;

const probe = (act) => (value) => {
  try {
    act(value);
    return true;
  } catch {
    return false;
  }
};
const sizeOf = (Kind) => Object.getOwnPropertyDescriptor(Kind.prototype, "size").get;
const AsyncFunction = (async () => {}).constructor;
const GeneratorFunction = (function* () {}).constructor;
const AsyncGeneratorFunction = (async function* () {}).constructor;

Object.assign(exports, {
  isDate: probe((value) => Date.prototype.getTime.call(value)),
  isRegExp: (value) => value instanceof RegExp,
  isMap: probe((value) => sizeOf(Map).call(value)),
  isSet: probe((value) => sizeOf(Set).call(value)),
  isWeakMap: probe((value) => WeakMap.prototype.has.call(value, {})),
  isWeakSet: probe((value) => WeakSet.prototype.has.call(value, {})),
  isNativeError: (value) => value instanceof Error,
  isPromise: (value) => value instanceof Promise,
  isProxy: () => false,
  isTypedArray: (value) => value instanceof TypedArray,
  isArrayBuffer: (value) => value instanceof ArrayBuffer,
  isSharedArrayBuffer: (value) => value instanceof SharedArrayBuffer,
  isAnyArrayBuffer: (value) => value instanceof ArrayBuffer || value instanceof SharedArrayBuffer,
  isArrayBufferView: ArrayBuffer.isView,
  isDataView: (value) => value instanceof DataView,
  isAsyncFunction: (value) => value instanceof AsyncFunction || value instanceof AsyncGeneratorFunction,
  isGeneratorFunction: (value) => value instanceof GeneratorFunction || value instanceof AsyncGeneratorFunction,
  isGeneratorObject: (value) => /Generator$/.test(tagOf(value)),
  isArgumentsObject: (value) => tagOf(value) === "Arguments",
  isBoxedPrimitive: (value) => [Number, String, Boolean, BigInt, Symbol].some((Kind) => value instanceof Kind),
  isNumberObject: (value) => value instanceof Number,
  isStringObject: (value) => value instanceof String,
  isBooleanObject: (value) => value instanceof Boolean,
  isBigIntObject: (value) => value instanceof BigInt,
  isSymbolObject: (value) => value instanceof Symbol,
  isMapIterator: (value) => tagOf(value) === "Map Iterator",
  isSetIterator: (value) => tagOf(value) === "Set Iterator",
  isModuleNamespaceObject: (value) => tagOf(value) === "Module",
  isExternal: () => false,
  isKeyObject: () => false,
  isCryptoKey: () => false,
});
for (
  const name of [
    "Uint8Array",
    "Uint8ClampedArray",
    "Uint16Array",
    "Uint32Array",
    "Int8Array",
    "Int16Array",
    "Int32Array",
    "Float32Array",
    "Float64Array",
    "BigInt64Array",
    "BigUint64Array",
  ]
) {
  exports[`is${name}`] = (value) => ArrayBuffer.isView(value) && nameOf.call(value) === name;
}
