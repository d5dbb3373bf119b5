// fs: synchronous operations, those with callbacks, and the rest of the module.
const sync = require("internal/fs_sync");
const { constants } = require("internal/fs_stat");

/** The same operation with a callback as its last argument. */
const later = (name) =>
  function (...args) {
    const callback = args.pop();
    if (typeof callback !== "function") throw require("internal/errors").wrongType("cb", "of type function", callback);
    let failure = null;
    let value;
    try {
      value = sync[name](...args);
    } catch (error) {
      if (error instanceof TypeError && error.code?.startsWith("ERR_")) throw error;
      failure = error;
    }
    require("timers").setImmediate(() => {
      if (failure) callback(failure);
      else if (name === "read" || name === "write") callback(null, value, args[1]);
      else if (value === undefined) callback(null);
      else callback(null, value);
    });
  };

for (const name of Object.keys(sync)) {
  exports[`${name}Sync`] = sync[name];
  exports[name] = later(name);
}
delete exports.exists;
exports.exists = (path, callback) => require("timers").setImmediate(() => callback(sync.exists(path)));
exports.constants = constants;
Object.assign(exports, { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 });
core.lazy(exports, "promises", () => require("fs/promises"), true);
const streams = () => require("internal/fs_streams");
exports.createReadStream = (path, options) => new (streams().ReadStream)(path, options);
exports.createWriteStream = (path, options) => new (streams().WriteStream)(path, options);
core.lazy(exports, "ReadStream", () => streams().ReadStream, true);
core.lazy(exports, "WriteStream", () => streams().WriteStream, true);
Object.assign(exports, { Stats: require("internal/fs_stat").Stats, Dirent: require("internal/fs_stat").Dirent });
const watching = () => {
  throw require("internal/errors").coded(Error, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", "files cannot be watched here");
};
Object.assign(exports, { watch: watching, watchFile: watching, unwatchFile: () => {} });
