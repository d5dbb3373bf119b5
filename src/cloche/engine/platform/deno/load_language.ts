/** Loads the code of a language, when its worker starts. */

import type { Language } from "../../languages/catalog.ts";
import type { LanguageRuntime, LanguageWorker } from "../../languages/language.ts";

export type MakeRuntime = (worker: LanguageWorker) => LanguageRuntime;

export async function loadLanguage(language: Language): Promise<MakeRuntime> {
  // Deno follows a name that is written out, so that every worker would read the modules of all languages.
  const path = ["../../languages/", "/runtime.ts"].join(language);
  const { default: Runtime } = await import(path) as { default: new (worker: LanguageWorker) => LanguageRuntime };
  return (worker) => new Runtime(worker);
}
