/** Loads the code of a language, when its worker starts. */

import type { Language } from "../../languages/catalog.ts";
import type { LanguageRuntime, LanguageWorker } from "../../languages/language.ts";

type Runtime = { default: new (worker: LanguageWorker) => LanguageRuntime };

/** Written out, so that the bundler makes a part of each. */
const RUNTIMES: Record<Language, () => Promise<Runtime>> = {
  bash: () => import("../../languages/bash/runtime.ts"),
  javascript: () => import("../../languages/javascript/runtime.ts"),
  lua: () => import("../../languages/lua/runtime.ts"),
  perl: () => import("../../languages/perl/runtime.ts"),
  php: () => import("../../languages/php/runtime.ts"),
  python: () => import("../../languages/python/runtime.ts"),
  r: () => import("../../languages/r/runtime.ts"),
  ruby: () => import("../../languages/ruby/runtime.ts"),
  scheme: () => import("../../languages/scheme/runtime.ts"),
  sql: () => import("../../languages/sql/runtime.ts"),
  typescript: () => import("../../languages/typescript/runtime.ts"),
};

export async function loadLanguage(language: Language): Promise<(worker: LanguageWorker) => LanguageRuntime> {
  const { default: Runtime } = await RUNTIMES[language]();
  return (worker) => new Runtime(worker);
}
