// Modules that cannot work here: they load, and say why when they are used.
const WHY = {
  sockets: "there are no sockets in the sandbox; use fetch() for requests, where the network is allowed",
  tls: "TLS is not spoken inside the sandbox; use http for its own servers",
  threads: "there are no threads in the sandbox; run another program with child_process",
  engine: "the engine has nothing like it",
};

exports.make = (name, kind, names) => {
  const refuse = (what) => {
    const act = function () {
      throw require("internal/errors").coded(
        Error,
        "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
        `${name}.${what} is not available: ${WHY[kind]}`,
      );
    };
    return Object.defineProperty(act, "name", { value: what });
  };
  return Object.fromEntries(names.split(" ").map((each) => [each, refuse(each)]));
};
