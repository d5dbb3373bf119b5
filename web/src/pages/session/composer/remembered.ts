/** What this browser remembers of how one works; where it stores nothing, as long as the page lives. */

const known = new Map<string, string>();

export function recall(key: string): string {
  try {
    return localStorage.getItem(`cloche.${key}`) ?? "";
  } catch {
    return known.get(key) ?? "";
  }
}

export function remember(key: string, value: string): void {
  known.set(key, value);
  try {
    localStorage.setItem(`cloche.${key}`, value);
  } catch {
    // It is known until the page is left.
  }
}
