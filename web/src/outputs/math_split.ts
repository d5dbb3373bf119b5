/** Finds formulas in text. */

export interface Part {
  text: string;
  /** A formula; undefined for words. */
  math?: "inline" | "display";
}

const FORMULA =
  /\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\]|\\\(([\s\S]+?)\\\)|(\\begin\{(equation|align|gather|multline|eqnarray|array|matrix|pmatrix|bmatrix|cases)\*?\}[\s\S]+?\\end\{\5\*?\})|(?<![\\\w$])\$(?!\s)((?:[^$\\]|\\.)+?)(?<!\s)\$(?![\w$])/g;

/** Text with formulas between dollars and the like, in parts. */
export function splitMath(text: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const found of text.matchAll(FORMULA)) {
    const [whole, dollars, bracket, round, block, , single] = found;
    if (found.index > at) parts.push({ text: text.slice(at, found.index) });
    const math = round !== undefined || single !== undefined ? "inline" : "display";
    parts.push({ text: dollars ?? bracket ?? round ?? block ?? single ?? "", math });
    at = found.index + whole.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

/** LaTeX that may have no dollars at all: then all of it is a formula. */
export function splitLatex(text: string): Part[] {
  const parts = splitMath(text.trim());
  const only = parts.length === 1 ? parts[0] : undefined;
  if (only && !only.math && /[\\^_={}]/.test(only.text)) return [{ text: only.text, math: "display" }];
  // `$\displaystyle x$` alone, as SymPy writes it.
  if (only?.math === "inline" && only.text.startsWith("\\displaystyle")) return [{ ...only, math: "display" }];
  return parts;
}
