/** Light or dark: as the system has it, until one chooses. */

const KEY = "cloche.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

export function applyTheme(): void {
  document.documentElement.dataset["theme"] = chosenTheme() ?? (dark.matches ? "dark" : "light");
}

export function switchTheme(): void {
  const next = document.documentElement.dataset["theme"] === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // A browser that stores nothing: the choice is for this page.
  }
  document.documentElement.dataset["theme"] = next;
}

function chosenTheme(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

dark.addEventListener("change", applyTheme);
