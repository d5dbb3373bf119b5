/** Reads makefiles: lines, conditionals, assignments, includes. */
import { reasonOf } from "../../../text/file_errors.ts";
import { decodeText, fromArray } from "../../../text/byte_strings.ts";
import { type Task, wait } from "../../task.ts";
import { Conditionals } from "./conditionals.ts";
import { assign, parseAssignment } from "./define.ts";
import { expand } from "./expand.ts";
import { expandWildcard, hasGlob } from "./file_functions.ts";
import { addRule, type OpenRule } from "./rule_reader.ts";
import { MakeError, type Session } from "./session.ts";
import { splitWords, stripComment } from "./text.ts";

const MODIFIER = /^(export|unexport|override|private|define|undefine)(?=\s|$)/;
const INCLUDE = /^(-include|sinclude|include)(?:\s+(.*))?$/s;

interface Modifiers {
  override: boolean;
  exported?: boolean;
  isPrivate: boolean;
  kind?: string;
}

/** A makefile that could not be read; it may be made. */
export interface MissingFile {
  name: string;
  reason: string;
  required: boolean;
  file: string;
  line: number;
}

export class Reader {
  /** All that were read, for making them again. */
  readonly files: string[] = [];
  readonly missing: MissingFile[] = [];

  constructor(private readonly make: Session) {}

  *readFile(name: string): Task<void> {
    const { make } = this;
    const text = decodeText(fromArray(make.context.files.readFile(make.resolve(name))));
    this.files.push(name);
    const list = make.globals.find("MAKEFILE_LIST")?.value ?? "";
    make.globals.set("MAKEFILE_LIST", {
      value: list === "" ? name : `${list} ${name}`,
      recursive: false,
      origin: "file",
    });
    yield* this.readText(text, name, 1);
  }

  *readText(text: string, file: string, first: number): Task<void> {
    const { make } = this;
    const outer = make.place;
    const part = new MakefilePart(make, this, text, file, first);
    try {
      yield* part.read();
    } catch (error) {
      if (error instanceof MakeError) error.place ??= make.place;
      throw error;
    } finally {
      make.place = outer;
    }
  }

  /** `include`: files by name or pattern, also in the folders of -I. */
  *include(text: string, required: boolean, file: string, line: number): Task<void> {
    const { make } = this;
    for (const word of splitWords(yield* expand(make, text))) {
      const names = hasGlob(word) ? expandWildcard(make, word) : [word];
      for (const name of names.length > 0 || !required ? names : [word]) {
        const places = [
          name,
          ...name.startsWith("/") ? [] : make.options.includes.map((folder) => `${folder}/${name}`),
        ];
        const found = places.find((place) => make.modified(place) !== undefined);
        try {
          yield* this.readFile(found ?? name);
        } catch (error) {
          if (!(error instanceof Error) || error.name !== "FileError") throw error;
          this.missing.push({ name, reason: reasonOf(error), required, file, line });
        }
      }
    }
  }
}

/** One text that is read: a file, or what `$(eval)` got. */
class MakefilePart {
  readonly #lines: string[];
  readonly #conditionals: Conditionals;
  #at = 0;
  #open: OpenRule | undefined;

  constructor(
    private readonly make: Session,
    private readonly reader: Reader,
    text: string,
    private readonly file: string,
    private readonly first: number,
  ) {
    this.#lines = text.replace(/\n$/, "").split("\n");
    this.#conditionals = new Conditionals(make);
  }

  get #prefix(): string {
    return this.make.globals.find(".RECIPEPREFIX")?.value[0] ?? "\t";
  }

  *read(): Task<void> {
    const { make } = this;
    while (this.#at < this.#lines.length) {
      if (this.#at % 256 === 0) make.checkSignal();
      const line = this.first + this.#at;
      make.place = { file: this.file, line };
      const raw = this.#lines[this.#at++];
      if (raw.startsWith(this.#prefix) && this.#open) {
        const text = this.#joinRecipe(raw.slice(1));
        if (this.#conditionals.active) this.#open.add({ text, line });
        continue;
      }
      yield* this.#readLine(stripComment(this.#join(raw)).trimStart(), raw, line);
    }
    this.#conditionals.finish();
  }

  /** A line with those that continue it; the breaks become spaces. */
  #join(first: string): string {
    let text = first.replace(/\r$/, "");
    while (isContinued(text) && this.#at < this.#lines.length) {
      text = `${text.slice(0, -1).trimEnd()} ${this.#lines[this.#at++].replace(/\r$/, "").trimStart()}`;
    }
    return isContinued(text) ? text.slice(0, -1) : text;
  }

  /** The shell sees the breaks of a recipe. */
  #joinRecipe(first: string): string {
    let text = first.replace(/\r$/, "");
    while (isContinued(text) && this.#at < this.#lines.length) {
      const next = this.#lines[this.#at++].replace(/\r$/, "");
      text += `\n${next.startsWith(this.#prefix) ? next.slice(1) : next}`;
    }
    return text;
  }

  *#readLine(line: string, raw: string, number: number): Task<void> {
    const { make } = this;
    if (line === "") return;
    if (yield* this.#conditionals.read(line)) return;
    if (!this.#conditionals.active) {
      if (/^(override\s+|export\s+)*define\s+/.test(line) && !parseAssignment(line)) this.#readDefinition();
      return;
    }
    const { modifiers, rest } = readModifiers(line);
    if (modifiers.kind === "define") return yield* this.#define(rest, modifiers);
    if (modifiers.kind === "undefine") {
      make.globals.delete((yield* expand(make, rest)).trim());
      return;
    }
    const assignment = parseAssignment(rest);
    if (assignment) {
      this.#open = undefined;
      const name = (yield* expand(make, assignment.name)).trim();
      if (name === "") throw new MakeError("empty variable name");
      if (modifiers.exported !== undefined) make.exports.set(name, modifiers.exported);
      return yield* assign(make, { ...assignment, name }, modifiers.override ? "override" : "file", make.globals);
    }
    if (modifiers.exported !== undefined) return yield* this.#export(rest, modifiers.exported);
    const [, include, names] = INCLUDE.exec(line) ?? [];
    if (include !== undefined && !/^\s*:/.test(names ?? "")) {
      this.#open = undefined;
      return yield* this.reader.include(names ?? "", include === "include", this.file, number);
    }
    if (/^vpath(\s|$)/.test(line)) return yield* this.#searchPath(line.slice(5));
    if (raw.startsWith(this.#prefix)) throw new MakeError("recipe commences before first target");
    this.#open = yield* addRule(make, line, raw, this.file, number);
  }

  *#export(rest: string, exported: boolean): Task<void> {
    const names = splitWords(yield* expand(this.make, rest));
    if (names.length === 0) this.make.exportAll = exported;
    for (const name of names) this.make.exports.set(name, exported);
  }

  *#searchPath(text: string): Task<void> {
    const { searchPaths } = this.make.rules;
    const [pattern, ...folders] = splitWords(yield* expand(this.make, text));
    if (pattern === undefined) searchPaths.length = 0;
    else if (folders.length > 0) searchPaths.push({ pattern, folders: folders.flatMap((word) => word.split(":")) });
    else {
      const kept = searchPaths.filter((path) => path.pattern !== pattern);
      searchPaths.splice(0, searchPaths.length, ...kept);
    }
  }

  *#define(head: string, modifiers: Modifiers): Task<void> {
    const { make } = this;
    this.#open = undefined;
    const given = parseAssignment(head) ?? { name: head, operator: "=", value: "" };
    const name = (yield* expand(make, given.name)).trim();
    if (name === "") throw new MakeError("empty variable name");
    const value = this.#readDefinition();
    if (modifiers.exported !== undefined) make.exports.set(name, modifiers.exported);
    const origin = modifiers.override ? "override" : "file";
    const before = given.operator === "+=" ? make.globals.find(name)?.value : undefined;
    if (before) {
      const whole = { name, operator: "=", value: `${before}\n${value}` };
      return yield* assign(make, whole, origin, make.globals);
    }
    yield* assign(make, { ...given, name, value }, origin, make.globals);
  }

  /** The lines up to `endef`; definitions within keep theirs. */
  #readDefinition(): string {
    const lines: string[] = [];
    for (let depth = 1; this.#at < this.#lines.length;) {
      const line = this.#lines[this.#at++];
      const word = line.startsWith(this.#prefix) ? "" : stripComment(line).trim();
      if (/^define(\s|$)/.test(word)) depth++;
      else if (/^endef(\s|$)/.test(word) && --depth === 0) return lines.join("\n");
      lines.push(line);
    }
    throw new MakeError("missing 'endef', unterminated 'define'");
  }
}

function isContinued(line: string): boolean {
  const [slashes] = /\\*$/.exec(line) ?? [""];
  return slashes.length % 2 === 1;
}

function readModifiers(line: string): { modifiers: Modifiers; rest: string } {
  const modifiers: Modifiers = { override: false, isPrivate: false };
  let rest = line;
  for (;;) {
    const [, word] = MODIFIER.exec(rest) ?? [];
    if (word === undefined || /^\w+\s*(:{0,3}|[?+!])=/.test(rest) || /^\w+\s*:(?!:?=)/.test(rest)) {
      return { modifiers, rest };
    }
    rest = rest.slice(word.length).trimStart();
    if (word === "define" || word === "undefine") return { modifiers: { ...modifiers, kind: word }, rest };
    if (word === "override") modifiers.override = true;
    else if (word === "private") modifiers.isPrivate = true;
    else modifiers.exported = word === "export";
  }
}

/** Says that a makefile could not be read. */
export function* reportMissing(make: Session, missing: MissingFile): Task<void> {
  yield* wait(make.complain(`${missing.file}:${missing.line}: ${missing.name}: ${missing.reason}`));
}
