/** What was typed, kept in the browser by language; where the browser keeps nothing, for as long as the page is there. */

import { EXAMPLES } from "./examples.ts";

const held = new Map<string, string>();

export function readKept(key: string): string | null {
  try {
    return localStorage.getItem(`cloche.play.${key}`) ?? held.get(key) ?? null;
  } catch {
    return held.get(key) ?? null;
  }
}

export function keep(key: string, value: string): void {
  held.set(key, value);
  try {
    localStorage.setItem(`cloche.play.${key}`, value);
  } catch {
    // Full, or not allowed: held until the page is left.
  }
}

export function readDraft(language: string): string {
  return readKept(`code.${language}`) ?? EXAMPLES[language]?.[0]?.code ?? "";
}

export function keepDraft(language: string, code: string): void {
  keep(`code.${language}`, code);
}
