/** What npm writes into package.json and package-lock.json, and reads from it. */

import { isObject } from "./package_programs.ts";

export type Project = Record<string, unknown>;

/** Where a dependency goes, by the option that says so. */
export type Section = "dependencies" | "devDependencies" | "optionalDependencies" | "peerDependencies";
const SECTIONS: Section[] = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
const EXACT = /^[v=]?\d+\.\d+\.\d+([-+][\w.+-]*)?$/;
const RANGE = /^[\^~<>=*x\dv]/;
const LONGEST = 4096;

/** The text of a file that npm writes. */
export function writeJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** What `npm init -y` writes: what is there already stays. */
export function initProject(folder: string, known: Project = {}): Project {
  const name = folder.slice(folder.lastIndexOf("/") + 1).toLowerCase().replace(/[^a-z0-9._~-]+/g, "-") || "workspace";
  const fresh = {
    name: name.replace(/^[._]+/, "") || "workspace",
    version: "1.0.0",
    description: "",
    main: "index.js",
    scripts: { test: 'echo "Error: no test specified" && exit 1' },
    keywords: [],
    author: "",
    license: "ISC",
    type: "commonjs",
  };
  return { ...fresh, ...known };
}

/** The parts of `a.b[0].c`; an empty one stands for a new last element. */
export function splitKey(key: string): (string | number)[] | string {
  const parts: (string | number)[] = [];
  const pattern = /\[([^\]]*)\]|\.?([^.[\]]+)/y;
  let at = 0;
  while (at < key.length) {
    pattern.lastIndex = at;
    const found = pattern.exec(key);
    if (!found) return `invalid key ${JSON.stringify(key)}`;
    const [whole, index, name] = found;
    parts.push(
      name ?? (index === "" ? -1 : /^\d+$/.test(index) ? Number(index) : index.replace(/^(["'])(.*)\1$/, "$2")),
    );
    at += whole.length;
  }
  return parts.length > 0 ? parts : "an empty key";
}

/** What `npm pkg get` prints. */
export function getFields(project: Project, keys: string[]): unknown {
  if (keys.length === 0) return project;
  const found = keys.map((key) => [key, readField(project, key)] as const).filter(([, value]) => value !== undefined);
  if (keys.length === 1) return found.length === 1 ? found[0][1] : {};
  return Object.fromEntries(found);
}

function readField(project: Project, key: string): unknown {
  const parts = splitKey(key);
  if (typeof parts === "string") return undefined;
  let at: unknown = project;
  for (const part of parts) {
    if (Array.isArray(at) && part === -1) continue;
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string | number, unknown>)[part];
  }
  return at;
}

/** Sets what words such as `scripts.test=jest` say; returns what is wrong with one of them. */
export function setFields(project: Project, words: string[], json: boolean): string | undefined {
  for (const word of words) {
    const equals = word.indexOf("=");
    if (equals < 1) return "npm pkg set expects a key=value pair of args.";
    const parts = splitKey(word.slice(0, equals));
    if (typeof parts === "string") return parts;
    let value: unknown = word.slice(equals + 1);
    if (json) {
      try {
        value = JSON.parse(String(value));
      } catch (error) {
        return (error as Error).message;
      }
    }
    const problem = putField(project, parts, value);
    if (problem) return problem;
  }
  return undefined;
}

function putField(project: Project, parts: (string | number)[], value: unknown): string | undefined {
  let at: Record<string | number, unknown> = project;
  for (const [index, part] of parts.entries()) {
    if (part === "__proto__") return "the key __proto__ cannot be set";
    if (typeof part === "number" && part > LONGEST) return `the index ${part} is too large`;
    const key = Array.isArray(at) && part === -1 ? at.length : part;
    if (index === parts.length - 1) {
      at[key] = value;
      return undefined;
    }
    const next = at[key];
    if (typeof next !== "object" || next === null) at[key] = typeof parts[index + 1] === "number" ? [] : {};
    at = at[key] as Record<string | number, unknown>;
  }
  return undefined;
}

export function deleteFields(project: Project, keys: string[]): void {
  for (const key of keys) {
    const parts = splitKey(key);
    if (typeof parts === "string") continue;
    const last = parts.pop() as string | number;
    const owner = parts.length === 0 ? project : readField(project, parts.map((part) => `[${part}]`).join(""));
    if (Array.isArray(owner) && typeof last === "number") owner.splice(last, 1);
    else if (isObject(owner)) delete owner[last];
  }
}

/** The name and the versions of `@scope/name@^1`. */
export function splitSpec(spec: string): [name: string, versions: string] {
  const at = spec.indexOf("@", 1);
  return at < 0 ? [spec, ""] : [spec.slice(0, at), spec.slice(at + 1)];
}

/** Adds what was installed, each by its spec and the version that was chosen. */
export function addDependencies(
  project: Project,
  installed: Map<string, string>,
  section: Section,
  exact: boolean,
): void {
  for (const [spec, version] of installed) {
    const [name, versions] = splitSpec(spec);
    for (const other of SECTIONS) removeFrom(project, other, name);
    const range = versions !== "" && RANGE.test(versions) && !EXACT.test(versions);
    const wanted = range ? versions : `${exact ? "" : "^"}${version}`;
    const list = isObject(project[section]) ? project[section] : {};
    project[section] = sorted({ ...list, [name]: wanted });
  }
}

export function removeDependencies(project: Project, names: string[]): boolean {
  return names.map((name) => SECTIONS.some((section) => removeFrom(project, section, name))).some(Boolean);
}

function removeFrom(project: Project, section: Section, name: string): boolean {
  const list = project[section];
  if (!isObject(list) || !Object.hasOwn(list, name)) return false;
  delete list[name];
  if (Object.keys(list).length === 0) delete project[section];
  return true;
}

function sorted(list: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(list).sort(([a], [b]) => a < b ? -1 : 1));
}

/** package-lock.json: all packages that a project needs; `read` returns the package.json of one that is installed. */
export function makeLock(project: Project, read: (name: string) => Project | undefined): Project {
  const about: Project = { name: project.name, version: project.version };
  for (const section of SECTIONS) if (isObject(project[section])) about[section] = project[section];
  const packages: Record<string, unknown> = { "": about };
  const waiting = SECTIONS.flatMap((section) => Object.keys(isObject(project[section]) ? project[section] : {}));
  const found = new Map<string, Project>();
  for (let at = 0; at < waiting.length; at++) {
    const name = waiting[at];
    const known = found.has(name) ? undefined : read(name);
    if (!known) continue;
    found.set(name, { version: known.version, license: known.license, dependencies: known.dependencies });
    if (isObject(known.dependencies)) waiting.push(...Object.keys(known.dependencies));
  }
  for (const name of [...found.keys()].sort()) packages[`node_modules/${name}`] = found.get(name);
  return { name: project.name, version: project.version, lockfileVersion: 3, requires: true, packages };
}
