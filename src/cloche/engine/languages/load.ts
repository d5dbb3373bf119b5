/** Where each language's code lies; it is loaded when its worker starts. */

import type { Host, LanguageRuntime } from "./language.ts";
import type { Language } from "./catalog.ts";

type Make = (host: Host) => LanguageRuntime;

/** Each by a name that is written out: only so are they found when the engine is packed. */
const LOADERS: Record<Language, () => Promise<Make>> = {
  python: async () => made((await import("./python.ts")).PythonRuntime),
  perl: async () => made((await import("./perl.ts")).PerlRuntime),
  bash: async () => made((await import("./bash.ts")).BashRuntime),
  sql: async () => made((await import("./sql.ts")).SqlRuntime),
  lua: async () => made((await import("./lua.ts")).LuaRuntime),
  php: async () => made((await import("./php.ts")).PhpRuntime),
  ruby: async () => made((await import("./ruby.ts")).RubyRuntime),
  scheme: async () => made((await import("./scheme.ts")).SchemeRuntime),
  javascript: async () => made((await import("./javascript.ts")).JavaScriptRuntime),
  typescript: async () => made((await import("./typescript.ts")).TypeScriptRuntime),
  r: async () => made((await import("./r.ts")).RRuntime),
};

export function loadLanguage(language: Language): Promise<Make> {
  return LOADERS[language]();
}

function made(Runtime: new (host: Host) => LanguageRuntime): Make {
  return (host) => new Runtime(host);
}
