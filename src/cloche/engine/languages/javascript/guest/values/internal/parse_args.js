// util.parseArgs: options and positionals of a command line.
const { coded } = require("internal/errors");

exports.parseArgs = (
  { args = globalThis.process.argv.slice(2), options = {}, strict = true, allowPositionals = !strict } = {},
) => {
  const values = Object.create(null);
  const positionals = [];
  const named = (short) => Object.keys(options).find((name) => options[name].short === short);
  const store = (name, value) => {
    const option = options[name];
    if (!option && strict) throw coded(TypeError, "ERR_PARSE_ARGS_UNKNOWN_OPTION", `Unknown option '${name}'`);
    if (option?.multiple) values[name] = [...(values[name] ?? []), value];
    else values[name] = value;
  };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === "--") {
      positionals.push(...args.slice(at + 1));
      break;
    }
    const long = /^--([^=]+)(?:=([^]*))?$/.exec(arg);
    const short = /^-(\w)([^]*)$/.exec(arg);
    if (!long && !short) {
      if (!allowPositionals) {
        throw coded(TypeError, "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL", `Unexpected argument '${arg}'`);
      }
      positionals.push(arg);
      continue;
    }
    const name = long ? long[1] : named(short[1]) ?? short[1];
    const given = long ? long[2] : short[2] || undefined;
    if (options[name]?.type === "string") {
      const value = given ?? args[++at];
      if (value === undefined) {
        throw coded(TypeError, "ERR_PARSE_ARGS_INVALID_OPTION_VALUE", `Option '--${name}' argument missing`);
      }
      store(name, value);
    } else {
      store(name, given ?? true);
      if (!long && given !== undefined) {
        values[name] = true;
        for (const flag of given) store(named(flag) ?? flag, true);
      }
    }
  }
  for (const [name, option] of Object.entries(options)) {
    if (option.default !== undefined && !(name in values)) values[name] = option.default;
  }
  return { values, positionals };
};
