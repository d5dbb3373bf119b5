/** Reads patches, as git and `diff -u` write them, into files and lines. */

export interface PatchLine {
  kind: "same" | "added" | "deleted" | "note";
  text: string;
  /** Its number before the change and after it. */
  old?: number;
  new?: number;
}

export interface Hunk {
  /** What stands after `@@ -1,2 +1,2 @@`: the function it is in, or nothing. */
  place: string;
  lines: PatchLine[];
}

export interface FilePatch {
  path: string;
  /** Another name that it had before. */
  from?: string;
  status: "added" | "changed" | "deleted" | "renamed";
  binary: boolean;
  added: number;
  deleted: number;
  hunks: Hunk[];
}

export interface Patch {
  /** What is said before the first file, such as what is left out. */
  remarks: string[];
  files: FilePatch[];
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;
const DECODER = new TextDecoder();
const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

export function readPatch(text: string): Patch {
  return new PatchReader(text).read();
}

class PatchReader {
  readonly #lines: string[];
  #at = 0;
  readonly #patch: Patch = { remarks: [], files: [] };

  constructor(text: string) {
    this.#lines = text.split("\n");
    if (this.#lines.at(-1) === "") this.#lines.pop();
  }

  read(): Patch {
    for (; this.#at < this.#lines.length; this.#at++) this.#readLine(this.#lines[this.#at] ?? "");
    return this.#patch;
  }

  #readLine(line: string): void {
    const file = this.#patch.files.at(-1);
    const hunk = HUNK.exec(line);
    if (line.startsWith("diff --git ")) this.#begin(findGitPath(line.slice(11)));
    else if (line.startsWith("--- ") && this.#next().startsWith("+++ ")) this.#readNames(line, file);
    else if (file && hunk) this.#readHunk(file, hunk);
    else if (file) readHeader(file, line);
    else if (line) this.#patch.remarks.push(line.replace(/^# ?/, ""));
  }

  #begin(path: string): FilePatch {
    const file: FilePatch = { path, status: "changed", binary: false, added: 0, deleted: 0, hunks: [] };
    this.#patch.files.push(file);
    return file;
  }

  #readNames(line: string, file: FilePatch | undefined): void {
    const before = readName(line.slice(4));
    const after = readName(this.#next().slice(4));
    this.#at++;
    const named = file && file.hunks.length === 0 && !file.binary ? file : this.#begin("");
    named.path = after ?? before ?? named.path;
    if (before === undefined) named.status = "added";
    if (after === undefined) named.status = "deleted";
  }

  /** Takes as many lines as its head says: a deleted line `-- x` looks like the head of a file. */
  #readHunk(file: FilePatch, [, oldStart, oldCount = "1", newStart, newCount = "1", place = ""]: string[]): void {
    const lines: PatchLine[] = [];
    let [old, now] = [Number(oldStart), Number(newStart)];
    const [oldEnd, newEnd] = [old + Number(oldCount), now + Number(newCount)];
    while (this.#at + 1 < this.#lines.length) {
      const line = this.#next();
      const sign = line.charAt(0);
      const text = line.slice(1);
      if (sign === "\\") lines.push({ kind: "note", text: text.trim() });
      else if (old >= oldEnd && now >= newEnd) break;
      else if (sign === "+") lines.push({ kind: "added", text, new: now++ });
      else if (sign === "-") lines.push({ kind: "deleted", text, old: old++ });
      else if (sign === " " || sign === "") lines.push({ kind: "same", text, old: old++, new: now++ });
      else break;
      this.#at++;
    }
    file.added += lines.filter(({ kind }) => kind === "added").length;
    file.deleted += lines.filter(({ kind }) => kind === "deleted").length;
    file.hunks.push({ place, lines });
  }

  #next(): string {
    return this.#lines[this.#at + 1] ?? "";
  }
}

function readHeader(file: FilePatch, line: string): void {
  if (line.startsWith("new file mode")) file.status = "added";
  else if (line.startsWith("deleted file mode")) file.status = "deleted";
  else if (line.startsWith("GIT binary patch") || line.startsWith("Binary files ")) file.binary = true;
  else if (line.startsWith("rename from ")) [file.from, file.status] = [unquote(line.slice(12)), "renamed"];
  else if (line.startsWith("rename to ")) file.path = unquote(line.slice(10));
}

/** The path of `a/PATH b/PATH`, where both are the same unless a rename follows. */
function findGitPath(names: string): string {
  if (names.startsWith('"')) return cutSide(unquote(names.slice(0, names.indexOf('" ') + 1)));
  return cutSide(names.slice(0, (names.length - 1) / 2));
}

/** A name after `---` or `+++`; undefined for /dev/null. */
function readName(name: string): string | undefined {
  const bare = unquote(name.replace(/\t.*$/, ""));
  return bare === "/dev/null" ? undefined : cutSide(bare);
}

function cutSide(name: string): string {
  return name.replace(/^[ab]\//, "");
}

/** A name without the quotes and escapes that git gives to unusual ones. */
function unquote(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"') || name.length < 2) return name;
  const bytes: number[] = [];
  for (const [, octal, letter, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g)) {
    if (octal) bytes.push(parseInt(octal, 8));
    else if (letter) bytes.push(ESCAPES[letter] ?? letter.charCodeAt(0));
    else bytes.push(...new TextEncoder().encode(plain));
  }
  return DECODER.decode(new Uint8Array(bytes));
}
