/** Formulas: KaTeX, loaded when the first one is shown. */

import katex from "katex";
import "katex/dist/katex.min.css";

/** Characters of one formula. */
const LONGEST = 20_000;

/** Puts a formula into an element; KaTeX makes no scripts and no addresses, and leaves a wrong one as it was written. */
export function renderMath(text: string, math: "inline" | "display", into: HTMLElement): void {
  katex.render(text.slice(0, LONGEST), into, {
    displayMode: math === "display",
    throwOnError: false,
    errorColor: "var(--danger)",
    strict: "ignore",
    trust: false,
    maxSize: 20,
    maxExpand: 1000,
  });
}
