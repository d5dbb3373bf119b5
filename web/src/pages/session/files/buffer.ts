/** A text that is open: as it is in the file, as it is in the editor, and what others made of it meanwhile. */

export interface Version {
  text: string;
  /** The name of this state at the server; "" if the file is not there. */
  etag: string;
}

export interface Buffer {
  /** What the file had when this was read or saved. */
  base: Version;
  text: string;
  /** What somebody else has written since, while this has changes; null if they removed the file. */
  theirs?: Version | null;
  /** Line ends of the file: the editor knows only "\n". */
  ends: "\n" | "\r\n";
  /** Whether it has different line ends, which become one kind when it is saved. */
  mixed: boolean;
}

export function openBuffer(version: Version): Buffer {
  const { ends, mixed, text } = readEnds(version.text);
  return { base: { ...version, text }, text, ends, mixed };
}

export const isChanged = (buffer: Buffer) => buffer.text !== buffer.base.text || buffer.base.etag === "";

/** The text as it is written. */
export const written = ({ text, ends }: Buffer) => (ends === "\n" ? text : text.replaceAll("\n", ends));

export const edit = (buffer: Buffer, text: string): Buffer => ({ ...buffer, text });

/** The text that was sent is in the file; what was typed meanwhile stays. */
export function noteSaved(buffer: Buffer, sent: string, etag: string): Buffer {
  return { ...buffer, base: { text: sent, etag }, theirs: undefined, mixed: false };
}

/** The file is like this now: a text without changes follows, one with changes is kept beside it. */
export function noteFile(buffer: Buffer, now: Version | null): Buffer {
  if (now?.etag === buffer.base.etag && now.etag !== "") return { ...buffer, theirs: undefined };
  if (now === null) {
    return { ...buffer, theirs: buffer.base.etag === "" ? undefined : null };
  }
  const fresh = openBuffer(now);
  if (fresh.text === buffer.text || !isChanged(buffer)) return fresh;
  // The same text, written again.
  if (fresh.text === buffer.base.text) return { ...buffer, base: fresh.base, theirs: undefined };
  return { ...buffer, theirs: fresh.base };
}

/** Drops one's own changes. */
export function takeTheirs(buffer: Buffer): Buffer {
  return buffer.theirs ? { ...buffer, base: buffer.theirs, text: buffer.theirs.text, theirs: undefined } : buffer;
}

/** Goes on with one's own text, which replaces theirs when it is saved. */
export function keepMine(buffer: Buffer): Buffer {
  if (buffer.theirs === undefined) return buffer;
  return { ...buffer, base: buffer.theirs ?? { text: "", etag: "" }, theirs: undefined };
}

function readEnds(text: string): { ends: "\n" | "\r\n"; mixed: boolean; text: string } {
  const returns = text.split("\r").length - 1;
  if (returns === 0) return { ends: "\n", mixed: false, text };
  const pairs = text.split("\r\n").length - 1;
  const lines = text.split("\n").length - 1;
  const ends = pairs * 2 >= lines && pairs > 0 ? "\r\n" : "\n";
  return { ends, mixed: pairs !== returns || pairs !== lines, text: text.replace(/\r\n?/g, "\n") };
}
