/** Where each language's code lies; it is loaded when its worker starts. */

import type { Language } from "./catalog.ts";
import type { LanguageRuntime, LanguageWorker } from "./language.ts";

type Make = (worker: LanguageWorker) => LanguageRuntime;

/** What each language's module exports. */
const CLASSES: Record<Language, string> = {
  python: "PythonRuntime",
  bash: "BashRuntime",
  javascript: "JavaScriptRuntime",
  typescript: "TypeScriptRuntime",
  ruby: "RubyRuntime",
  php: "PhpRuntime",
  lua: "LuaRuntime",
  r: "RRuntime",
  perl: "PerlRuntime",
  scheme: "SchemeRuntime",
  sql: "SqlRuntime",
};

export async function loadLanguage(language: Language): Promise<Make> {
  // Deno follows a name that is written out, so that every worker would read the modules of all languages.
  const path = ["./", "/runtime.ts"].join(language);
  const module = await import(path) as Record<string, new (worker: LanguageWorker) => LanguageRuntime>;
  const Runtime = module[CLASSES[language]];
  return (worker) => new Runtime(worker);
}
