/** Git's configuration: the user's file, the repository's, and what the command line adds. */
import { GitError } from "../options.ts";

/** A setting: `section.name` or `section.sub.name`, section and name in small letters. */
export interface Setting {
  key: string;
  value: string;
}

const LONGEST = 1024 * 1024;

/** Reads a configuration file; a line that makes no sense is an error that names it. */
export function parseConfig(text: string, file: string): Setting[] {
  if (text.length > LONGEST) throw new GitError(`${file} is too large for a configuration file`);
  const settings: Setting[] = [];
  let section = "";
  const lines = joined(text);
  lines.forEach((line, i) => {
    let rest = line.trim();
    const head = rest.match(/^\[([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\]/);
    if (head) {
      section = head[1].toLowerCase() + (head[2] === undefined ? "" : `.${head[2].replace(/\\(.)/g, "$1")}`);
      rest = rest.slice(head[0].length).trim();
    }
    if (rest === "" || /^[#;]/.test(rest)) return;
    const pair = rest.match(/^([a-zA-Z][\w-]*)\s*(?:=\s*(.*))?$/s);
    if (!pair || section === "") throw new GitError(`bad config line ${i + 1} in file ${file}`);
    settings.push({
      key: `${section}.${pair[1].toLowerCase()}`,
      value: pair[2] === undefined ? "true" : unquote(pair[2]),
    });
  });
  return settings;
}

/** Lines that end in a backslash continue in the next. */
function joined(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const last = lines.at(-1);
    if (last !== undefined && /(?<!\\)(\\\\)*\\$/.test(last)) lines[lines.length - 1] = last.slice(0, -1) + line;
    else lines.push(line);
  }
  return lines;
}

const ESCAPES: Record<string, string> = { n: "\n", t: "\t", b: "\b" };

function unquote(text: string): string {
  let out = "";
  let quoted = false;
  let kept = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "\\" && at + 1 < text.length) out += ESCAPES[text[++at]] ?? text[at];
    else if (char === '"') quoted = !quoted;
    else if (!quoted && /[#;]/.test(char)) break;
    else out += char;
    if (quoted || !/\s/.test(char)) kept = out.length;
  }
  return out.slice(0, kept);
}

function quote(value: string): string {
  const text = value.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n").replace(/\t/g, "\\t");
  return /^\s|\s$|[#;]/.test(value) ? `"${text}"` : text;
}

/** `section.sub.name` with section and name in small letters, or an error. */
export function keyOf(text: string): string {
  const match = text.match(/^([\w-]+)\.(?:(.+)\.)?([a-zA-Z][\w-]*)$/s);
  if (!text.includes(".")) throw new GitError(`key does not contain a section: ${text}`, 1, "error: ");
  if (!match) throw new GitError(`invalid key: ${text}`, 1, "error: ");
  const [, section, sub, name] = match;
  return [section.toLowerCase(), ...sub === undefined ? [] : [sub], name.toLowerCase()].join(".");
}

function splitKey(key: string): { head: string; section: string; name: string } {
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  const sub = first === last ? undefined : key.slice(first + 1, last);
  const escaped = sub?.replace(/[\\"]/g, "\\$&");
  return {
    head: escaped === undefined ? `[${key.slice(0, first)}]` : `[${key.slice(0, first)} "${escaped}"]`,
    section: key.slice(0, last),
    name: key.slice(last + 1),
  };
}

/** Where each section begins and ends, by lines. */
function sectionsOf(lines: string[]): { section: string; start: number; end: number }[] {
  const found: { section: string; start: number; end: number }[] = [];
  lines.forEach((line, i) => {
    const head = line.trim().match(/^\[([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\]/);
    if (!head) return;
    const last = found.at(-1);
    if (last) last.end = i;
    const sub = head[2] === undefined ? "" : `.${head[2].replace(/\\(.)/g, "$1")}`;
    found.push({ section: head[1].toLowerCase() + sub, start: i, end: lines.length });
  });
  return found;
}

/** The text of a file with one setting made, replaced, added to (`append`) or, with no value, removed. */
export function changeConfig(text: string, key: string, value: string | undefined, append = false): string {
  const { head, section, name } = splitKey(key);
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const isSet = (line: string) => line.trim().match(/^([a-zA-Z][\w-]*)/)?.[1].toLowerCase() === name;
  const places = sectionsOf(lines).filter((place) => place.section === section);
  const old = append
    ? []
    : places.flatMap(({ start, end }) =>
      Array.from({ length: end - start - 1 }, (_, i) => start + 1 + i).filter((i) => isSet(lines[i]))
    );
  const line = value === undefined ? undefined : `\t${name} = ${quote(value)}`;
  if (old.length > 0) {
    const last = old[old.length - 1];
    const kept = lines.flatMap((text, i) => i === last && line !== undefined ? [line] : old.includes(i) ? [] : [text]);
    return kept.join("\n") + "\n";
  }
  if (line === undefined) return text;
  const place = places.at(-1);
  if (!place) return [...lines, head, line].join("\n") + "\n";
  return [...lines.slice(0, place.end), line, ...lines.slice(place.end)].join("\n") + "\n";
}

/** The text without a section. */
export function removeSection(text: string, section: string): string {
  const lines = text.split("\n");
  const gone = sectionsOf(lines).filter((place) => place.section === section);
  return lines.filter((_, i) => !gone.some(({ start, end }) => i >= start && i < end)).join("\n").replace(/\n*$/, "\n");
}

/** All settings in force; later ones win. */
export class Config {
  constructor(readonly settings: Setting[]) {}

  get(key: string): string | undefined {
    return this.settings.findLast((setting) => setting.key === key)?.value;
  }

  all(key: string): string[] {
    return this.settings.filter((setting) => setting.key === key).map((setting) => setting.value);
  }

  flag(key: string): boolean | undefined {
    const value = this.get(key)?.toLowerCase();
    return value === undefined ? undefined : !["false", "no", "off", "0", ""].includes(value);
  }

  /** The names in the middle of `section.NAME.x`. */
  names(section: string): string[] {
    const keys = this.settings.map(({ key }) => key).filter((key) => key.startsWith(section + "."));
    const names = keys.map((key) => key.slice(section.length + 1, key.lastIndexOf("."))).filter((name) => name !== "");
    return [...new Set(names)];
  }
}
