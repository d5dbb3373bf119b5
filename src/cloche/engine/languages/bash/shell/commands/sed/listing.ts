/** `l`: a line with its invisible characters shown. */
const NAMES: Record<number, string> = { 7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 92: "\\" };

export function escapeLine(bytes: Uint8Array, width: number, end = "\n"): string {
  const most = width > 1 ? width - 1 : Infinity;
  let out = "";
  let column = 0;
  for (const byte of bytes) {
    const name = NAMES[byte];
    const shown = name !== undefined
      ? `\\${name}`
      : byte < 32 || byte > 126
      ? `\\${byte.toString(8).padStart(3, "0")}`
      : String.fromCharCode(byte);
    if (column + shown.length > most) {
      out += "\\\n";
      column = 0;
    }
    out += shown;
    column += shown.length;
  }
  return `${out}$${end}`;
}
