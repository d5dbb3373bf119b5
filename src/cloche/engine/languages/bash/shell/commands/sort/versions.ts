/** The order of version numbers, as GNU's `sort -V` and `ls -v` have it. */

const SUFFIX = /(?:\.[A-Za-z~][A-Za-z0-9~]*)*$/;

export function compareVersions(a: string, b: string): number {
  if (a === b) return 0;
  for (const special of ["", ".", ".."]) {
    if (a === special) return -1;
    if (b === special) return 1;
  }
  const [hiddenA, hiddenB] = [a.startsWith("."), b.startsWith(".")];
  if (hiddenA !== hiddenB) return hiddenA ? -1 : 1;
  const [x, y] = hiddenA ? [a.slice(1), b.slice(1)] : [a, b];
  const short = compareParts(x.replace(SUFFIX, ""), y.replace(SUFFIX, ""));
  return short || compareParts(x, y) || (a < b ? -1 : 1);
}

function orderOf(char: string | undefined): number {
  if (char === undefined) return -1;
  if (/\d/.test(char)) return 0;
  if (char === "~") return -2;
  return /[A-Za-z]/.test(char) ? char.charCodeAt(0) : char.charCodeAt(0) + 256;
}

function compareParts(a: string, b: string): number {
  let [i, j] = [0, 0];
  const isDigit = (char: string | undefined) => char !== undefined && char >= "0" && char <= "9";
  while (i < a.length || j < b.length) {
    while (i < a.length && !isDigit(a[i]) || j < b.length && !isDigit(b[j])) {
      const difference = orderOf(a[i]) - orderOf(b[j]);
      if (difference !== 0) return difference;
      i++;
      j++;
    }
    const [x, y] = [/^\d*/.exec(a.slice(i))?.[0] ?? "", /^\d*/.exec(b.slice(j))?.[0] ?? ""];
    i += x.length;
    j += y.length;
    const [p, q] = [x.replace(/^0+/, ""), y.replace(/^0+/, "")];
    if (p.length !== q.length) return p.length - q.length;
    if (p !== q) return p < q ? -1 : 1;
  }
  return 0;
}
