/** Completions of which there are several. */

/** Rows in which they are shown. */
const ROWS = 8;

/** What all of them begin with. */
export function findCommon(matches: readonly string[]): string {
  const [first = "", ...others] = matches;
  let size = first.length;
  for (const other of others) {
    while (!other.startsWith(first.slice(0, size))) size--;
  }
  return first.slice(0, size);
}

/** Their last names in columns, as many as there is room for. */
export function describeChoices(matches: readonly string[], columns: number): string {
  const names = matches.map((match) => match.replace(/^.*\/(?=.)/, ""));
  const width = Math.min(columns, Math.max(...names.map((name) => name.length)) + 2);
  const each = Math.max(1, Math.floor(columns / width));
  const most = each * ROWS;
  const shown = names.length > most ? names.slice(0, most - 1) : names;
  const rows: string[] = [];
  for (let at = 0; at < shown.length; at += each) {
    rows.push(shown.slice(at, at + each).map((name) => name.slice(0, width).padEnd(width)).join("").trimEnd());
  }
  if (shown.length < names.length) {
    rows[rows.length - 1] += `${rows.length ? " " : ""}… ${names.length - shown.length} more`;
  }
  return rows.join("\n");
}
