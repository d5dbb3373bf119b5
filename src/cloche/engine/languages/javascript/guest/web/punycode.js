// punycode: only host names.
Object.assign(exports, {
  toASCII: (name) => host("url", `http://${name}`)?.[5] ?? name,
  toUnicode: (name) => name,
  version: "2.1.0",
});
