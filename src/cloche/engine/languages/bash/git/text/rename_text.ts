/** How a file that was renamed is named. */
import { quotePath } from "../repository/paths.ts";

/** `a/{b => c}/d`: what the two names have in common is written once. */
export function joinNames(from: string, to: string): string {
  const [a, b] = [quotePath(from), quotePath(to)];
  if (a !== from || b !== to) return `${a} => ${b}`;
  let start = 0;
  for (let i = 0; i < a.length && i < b.length && a[i] === b[i]; i++) if (a[i] === "/") start = i + 1;
  // The slash that ends the start may begin the end too.
  const least = start - (start > 0 ? 1 : 0);
  let end = 0;
  for (let i = 1; a.length - i >= least && b.length - i >= least && a.at(-i) === b.at(-i); i++) {
    if (a.at(-i) === "/") end = i;
  }
  const middle = (name: string) => name.slice(start, Math.max(start, name.length - end));
  const changed = `${middle(a)} => ${middle(b)}`;
  return start + end === 0 ? changed : `${a.slice(0, start)}{${changed}}${a.slice(a.length - end)}`;
}
