/** Memory that an earlier sandbox has saved: the first worker of each language starts from it, its replacement fresh. */

import type { Config, Language, SavedMemory } from "../protocol.ts";

export class SavedMemories {
  readonly #taken = new Set<Language>();

  constructor(private readonly all: () => Config["saved"]) {}

  /** Memory that the next worker of a language starts from. */
  find(language: Language): SavedMemory | undefined {
    return this.#taken.has(language) ? undefined : this.all()[language];
  }

  /** The same, for the worker that is started now. */
  take(language: Language): Config["saved"] {
    const own = this.find(language);
    this.#taken.add(language);
    return own ? { [language]: own } : {};
  }
}
