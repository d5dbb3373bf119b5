/** What was chosen for the last session that was begun here, to begin the next one with. */

const KEY = "cloche.begin";
const REMEMBERED = ["runtime", "agent", "model", "repository", "branch"];

export type ChoicesOfForm = Record<string, string>;

export function readLastChoices(): ChoicesOfForm {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    const pairs = typeof stored === "object" && stored !== null ? Object.entries(stored) : [];
    return Object.fromEntries(pairs.filter(([name, value]) => REMEMBERED.includes(name) && typeof value === "string"));
  } catch {
    // A browser that stores nothing, or something else at this name.
    return {};
  }
}

export function keepLastChoices(given: ChoicesOfForm): void {
  const kept = Object.entries(given).filter(([name, value]) => REMEMBERED.includes(name) && value);
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // A browser that stores nothing: the form begins empty.
  }
}
