// punycode: names of hosts only.
Object.assign(exports, {
  toASCII: (name) => host("url", `http://${name}`)?.[5] ?? name,
  toUnicode: (name) => name,
  version: "2.1.0",
});
