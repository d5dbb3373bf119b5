// Classes that can also be called as functions on an object, as old programs do.
exports.callable = (name, Methods, Base, init) => {
  function Made(...args) {
    if (!new.target && !(this instanceof Made)) return new Made(...args);
    init(this, ...args);
  }
  const own = Object.getOwnPropertyDescriptors(Methods.prototype);
  Made.prototype = Object.create(Base.prototype, {
    ...own,
    constructor: { value: Made, writable: true, configurable: true },
  });
  Object.setPrototypeOf(Made, Base);
  for (const key of Object.getOwnPropertyNames(Methods)) {
    if (!["length", "name", "prototype"].includes(key)) {
      Object.defineProperty(Made, key, Object.getOwnPropertyDescriptor(Methods, key));
    }
  }
  return Object.defineProperty(Made, "name", { value: name });
};
