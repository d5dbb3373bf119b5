/** The languages of Play, before the engine is there to say them. */

export const TITLES: Record<string, string> = {
  python: "Python",
  bash: "bash",
  javascript: "JavaScript",
  typescript: "TypeScript",
  ruby: "Ruby",
  php: "PHP",
  lua: "Lua",
  r: "R",
  perl: "Perl",
  scheme: "Scheme",
  sql: "SQL",
};

export function isKnown(language: string): boolean {
  return Object.hasOwn(TITLES, language);
}
