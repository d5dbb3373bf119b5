/** Converts the content of a file to UTF-8, by its byte order mark or the given encoding. */
import { CommandError } from "../just_bash/command.ts";
import { encodeText, toArray } from "../text/byte_strings.ts";

/** Byte order marks, as byte strings. */
const MARKS: [mark: string, label: string][] = [["\xef\xbb\xbf", "utf-8"], ["\xff\xfe", "utf-16le"], [
  "\xfe\xff",
  "utf-16be",
]];

/** The bytes of a file as UTF-8, without a mark; `label` is what -E names. */
export function asUtf8(bytes: string, label = "auto"): string {
  if (label === "none") return bytes;
  const [mark, marked] = MARKS.find(([mark]) => bytes.startsWith(mark)) ?? ["", undefined];
  const used = marked ?? (label === "auto" ? "utf-8" : label);
  if (used === "utf-8") return bytes.slice(mark.length);
  return encodeText(decoderOf(used).decode(toArray(bytes.slice(mark.length))));
}

/** Refuses a name that no encoding has. */
export function checkEncoding(label: string | undefined): void {
  if (label !== undefined && label !== "auto" && label !== "none") decoderOf(label);
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    throw new CommandError(`error parsing flag -E: grep config error: unknown encoding: ${label}`, 2);
  }
}
