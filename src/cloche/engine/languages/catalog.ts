/** What is known about each language without starting it; the host reads the same file. */

import data from "./catalog.json" with { type: "json" };

export type Language = keyof typeof data;

export interface CatalogEntry {
  title: string;
  version: string;
  engine: string;
  /** Whether its files are fetched when it is first used. */
  pack: boolean;
  /** Bytes of its files: of that download, or of its part of what comes with the engine. */
  size: number;
  /** Megabytes that it may use. */
  memory: number;
  /** Whether code that computes can be stopped without losing its state. */
  interrupt: "soft" | "hard";
  /** Programs of its pack that are compiled once for all its workers. */
  modules: string[];
  extensions: string[];
  /** Names under which bash finds it. */
  commands: string[];
  packages: string | null;
  features: string[];
  /** Whether a sandbox cannot do without it. */
  core?: boolean;
  /** Its program among the assets, if it comes with the engine. */
  program?: string;
  /** The same with a clock, if each program that others start in it has an interpreter of its own. */
  process?: string;
  /** The language whose packages it uses, if that is another. */
  packagesOf?: string;
  /** Commands of the shell that install its packages. */
  packageTools?: string[];
  /** Where its variables are when a sandbox is saved; without it they are not saved. */
  saved?: "snapshot" | "memory" | "shell" | "files";
}

export const CATALOG: Record<Language, CatalogEntry> = data as Record<Language, CatalogEntry>;
export const LANGUAGES = Object.keys(data) as Language[];

export function isLanguage(value: unknown): value is Language {
  return typeof value === "string" && Object.hasOwn(data, value);
}
