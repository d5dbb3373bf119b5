/** The languages that the editor knows: each is loaded when it is first shown. */

import type { Language, LanguageSupport, StreamParser } from "@codemirror/language";

type Load = () => Promise<LanguageSupport | Language>;

/** A language of the editor's older kind, which reads line by line. */
async function read<Module>(module: Promise<Module>, pick: (module: Module) => StreamParser<unknown>) {
  const [{ StreamLanguage }, loaded] = await Promise.all([import("@codemirror/language"), module]);
  return StreamLanguage.define(pick(loaded));
}

const javascript = (options: { typescript?: boolean; jsx?: boolean }) => async () =>
  (await import("@codemirror/lang-javascript")).javascript(options);

const LANGUAGES: Record<string, Load> = {
  bash: () => read(import("@codemirror/legacy-modes/mode/shell"), ({ shell }) => shell),
  python: async () => (await import("@codemirror/lang-python")).python(),
  javascript: javascript({ jsx: true }),
  typescript: javascript({ typescript: true }),
  tsx: javascript({ typescript: true, jsx: true }),
  ruby: () => read(import("@codemirror/legacy-modes/mode/ruby"), ({ ruby }) => ruby),
  php: async () => (await import("@codemirror/lang-php")).php({ plain: true }),
  "php page": async () => (await import("@codemirror/lang-php")).php(),
  lua: () => read(import("@codemirror/legacy-modes/mode/lua"), ({ lua }) => lua),
  r: () => read(import("@codemirror/legacy-modes/mode/r"), ({ r }) => r),
  perl: () => read(import("@codemirror/legacy-modes/mode/perl"), ({ perl }) => perl),
  scheme: () => read(import("@codemirror/legacy-modes/mode/scheme"), ({ scheme }) => scheme),
  sql: async () => {
    const { sql, SQLite } = await import("@codemirror/lang-sql");
    return sql({ dialect: SQLite });
  },
  json: async () => (await import("@codemirror/lang-json")).json(),
  markdown: async () => (await import("@codemirror/lang-markdown")).markdown(),
  html: async () => (await import("@codemirror/lang-html")).html(),
  css: async () => (await import("@codemirror/lang-css")).css(),
  xml: () => read(import("@codemirror/legacy-modes/mode/xml"), ({ xml }) => xml),
  toml: () => read(import("@codemirror/legacy-modes/mode/toml"), ({ toml }) => toml),
  yaml: () => read(import("@codemirror/legacy-modes/mode/yaml"), ({ yaml }) => yaml),
  ini: () => read(import("@codemirror/legacy-modes/mode/properties"), ({ properties }) => properties),
  dockerfile: () => read(import("@codemirror/legacy-modes/mode/dockerfile"), ({ dockerFile }) => dockerFile),
  diff: () => read(import("@codemirror/legacy-modes/mode/diff"), ({ diff }) => diff),
  c: () => read(import("@codemirror/legacy-modes/mode/clike"), ({ c }) => c),
  cpp: () => read(import("@codemirror/legacy-modes/mode/clike"), ({ cpp }) => cpp),
  java: () => read(import("@codemirror/legacy-modes/mode/clike"), ({ java }) => java),
  go: () => read(import("@codemirror/legacy-modes/mode/go"), ({ go }) => go),
  rust: () => read(import("@codemirror/legacy-modes/mode/rust"), ({ rust }) => rust),
};

const ENDINGS: Record<string, string> = {
  sh: "bash",
  bash: "bash",
  py: "python",
  pyi: "python",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  ts: "typescript",
  mts: "typescript",
  tsx: "tsx",
  rb: "ruby",
  gemspec: "ruby",
  php: "php page",
  lua: "lua",
  r: "r",
  pl: "perl",
  pm: "perl",
  t: "perl",
  scm: "scheme",
  ss: "scheme",
  sql: "sql",
  json: "json",
  ipynb: "json",
  geojson: "json",
  jsonl: "json",
  md: "markdown",
  markdown: "markdown",
  html: "html",
  htm: "html",
  vue: "html",
  css: "css",
  svg: "xml",
  xml: "xml",
  toml: "toml",
  yml: "yaml",
  yaml: "yaml",
  ini: "ini",
  cfg: "ini",
  conf: "ini",
  env: "ini",
  diff: "diff",
  patch: "diff",
  c: "c",
  h: "c",
  cc: "cpp",
  cpp: "cpp",
  hpp: "cpp",
  java: "java",
  go: "go",
  rs: "rust",
};

const NAMES: Record<string, string> = {
  dockerfile: "dockerfile",
  rakefile: "ruby",
  gemfile: "ruby",
  ".bashrc": "bash",
  ".profile": "bash",
};

const loaded = new Map<string, Promise<LanguageSupport | Language>>();

/** A language by its name; undefined for those that the editor shows as plain text. */
export function loadLanguage(name: string): Promise<LanguageSupport | Language> | undefined {
  const load = Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
  if (!load) return undefined;
  const known = loaded.get(name) ?? load();
  loaded.set(name, known);
  // What could not be fetched is asked for again the next time.
  known.catch(() => loaded.delete(name));
  return known;
}

/** The name of the language that a file is written in, by its ending; "" if that says nothing. */
export function nameLanguage(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const known = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : "";
  return known ?? (Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] ?? "" : "");
}
