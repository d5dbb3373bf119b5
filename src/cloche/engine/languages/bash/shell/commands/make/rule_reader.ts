/** Reads rules: explicit, static pattern, pattern, and assignments for targets. */
import { type Task, wait } from "../../task.ts";
import { parseAssignment } from "./define.ts";
import { expand } from "./expand.ts";
import { expandWildcard, hasGlob } from "./file_functions.ts";
import { type Recipe, type RecipeLine, type Rule, stemOf } from "./rules.ts";
import { MakeError, type Session } from "./session.ts";
import { findOutside, splitWords } from "./text.ts";

/** A rule whose recipe is being read. */
export interface OpenRule {
  add(line: RecipeLine): void;
}

const SPECIAL = new Set([
  ".PHONY",
  ".SUFFIXES",
  ".SILENT",
  ".IGNORE",
  ".PRECIOUS",
  ".INTERMEDIATE",
  ".SECONDARY",
  ".DELETE_ON_ERROR",
  ".ONESHELL",
  ".EXPORT_ALL_VARIABLES",
  ".NOTPARALLEL",
  ".POSIX",
  ".SECONDEXPANSION",
  ".LOW_RESOLUTION_TIME",
]);

interface RuleText {
  targets: string[];
  /** `:`, `::` or `&:`. */
  separator: string;
  rest: string;
  recipe: string | undefined;
}

export function* addRule(
  make: Session,
  line: string,
  raw: string,
  file: string,
  number: number,
): Task<OpenRule | undefined> {
  const text = yield* splitRule(make, line, raw);
  if (text === undefined) return undefined;
  const assigned = parseTargetVariable(text);
  if (assigned) {
    for (const target of text.targets) yield* addVariable(make, target, assigned);
    return undefined;
  }
  const recipe: Recipe = { file, lines: [] };
  if (text.recipe !== undefined) recipe.lines.push({ text: text.recipe, line: number });
  const late = make.rules.special.has(".SECONDEXPANSION");
  const expanded = yield* expand(make, text.rest);
  const [middle, after] = splitColon(expanded);
  const words = (part: string) => namesOf(make, part, late);
  const rule = new NewRule(make, text, recipe);
  if (after !== undefined) yield* rule.addStatic(splitWords(middle), ...splitBar(after, words));
  else rule.add(...splitBar(expanded, words));
  return { add: (line) => rule.addLine(line) };
}

/** The parts of a rule's line; undefined if nothing remains of it. */
function* splitRule(make: Session, line: string, raw: string): Task<RuleText | undefined> {
  let colon = findOutside(line, ":");
  let text = line;
  if (colon < 0) {
    const semicolon = findOutside(line, ";");
    const head = yield* expand(make, semicolon < 0 ? line : line.slice(0, semicolon));
    if (head.trim() === "") return undefined;
    // What a variable brought is expanded once.
    text = head.replaceAll("$", "$$$$") + (semicolon < 0 ? "" : line.slice(semicolon));
    colon = findOutside(text, ":");
    if (colon < 0) throw missingSeparator(raw);
  }
  let names = text.slice(0, colon);
  let separator = text[colon + 1] === ":" ? "::" : ":";
  const rest = text.slice(colon + separator.length);
  if (names.endsWith("&")) {
    names = names.slice(0, -1);
    separator = "&:";
  }
  const targets = splitWords(yield* expand(make, names)).map(stripDot).flatMap((name) =>
    hasGlob(name) && expandWildcard(make, name).length > 0 ? expandWildcard(make, name) : [name]
  );
  if (targets.length === 0) return rest.trim() === "" || names.includes("$") ? undefined : refuseEmpty();
  const equals = findOutside(rest, "=");
  const semicolon = findOutside(rest, ";");
  if (semicolon < 0 || equals >= 0 && equals < semicolon && parseAssignment(rest.trim())) {
    return { targets, separator, rest, recipe: undefined };
  }
  return { targets, separator, rest: rest.slice(0, semicolon), recipe: rest.slice(semicolon + 1).trimStart() };
}

function refuseEmpty(): never {
  throw new MakeError("missing target pattern");
}

function missingSeparator(raw: string): MakeError {
  return new MakeError(
    raw.startsWith("        ") ? "missing separator (did you mean TAB instead of 8 spaces?)" : "missing separator",
  );
}

function stripDot(name: string): string {
  return name.replace(/^(?:\.\/+)+(?=.)/, "");
}

function splitColon(text: string): [string, string | undefined] {
  const at = text.search(/:(?![\\/])/);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function splitBar(text: string, words: (part: string) => string[]): [string[], string[]] {
  const at = text.split(/(\s+|^)\|(?=\s|$)/);
  if (at.length === 1) {
    const plain = text.indexOf("|");
    return plain < 0 ? [words(text), []] : [words(text.slice(0, plain)), words(text.slice(plain + 1))];
  }
  return [words(at[0]), words(at.slice(2).join(" "))];
}

/** Names of files; patterns of the shell become what they match. */
function namesOf(make: Session, text: string, late: boolean): string[] {
  const names = late ? text.match(/(?:\$\([^)]*\)|\$\{[^}]*\}|\S)+/g) ?? [] : splitWords(text);
  return names.map(stripDot).flatMap((name) => {
    if (!hasGlob(name) || name.includes("%")) return [name];
    const found = expandWildcard(make, name);
    return found.length > 0 ? found : [name];
  });
}

function parseTargetVariable({ rest }: RuleText) {
  const [head] = /^\s*(?:(?:override|export|unexport|private)\s+)*/.exec(rest) ?? [""];
  const modifiers = splitWords(head);
  const assignment = parseAssignment(rest.slice(head.length));
  if (!assignment || assignment.name === "") return undefined;
  return { ...assignment, modifiers };
}

function* addVariable(
  make: Session,
  target: string,
  given: { name: string; operator: string; value: string; modifiers: string[] },
): Task<void> {
  const { rules } = make;
  let { operator, value } = given;
  const name = (yield* expand(make, given.name)).trim();
  if (operator === ":=") {
    // It is final: what is left of `$` stays.
    value = (yield* expand(make, value)).replaceAll("$", "$$$$");
  }
  if (given.modifiers.includes("export")) make.exports.set(name, true);
  if (given.modifiers.includes("unexport")) make.exports.set(name, false);
  const [override, isPrivate] = [given.modifiers.includes("override"), given.modifiers.includes("private")];
  const variable = { name, operator, value, override, isPrivate };
  if (target.includes("%")) rules.patternVariables.push({ pattern: target, variable });
  else rules.target(target).variables.push(variable);
}

class NewRule {
  readonly #rules: Rule[] = [];
  readonly #withRecipe: string[] = [];

  constructor(
    private readonly make: Session,
    private readonly text: RuleText,
    private readonly recipe: Recipe,
  ) {}

  addLine(line: RecipeLine): void {
    this.recipe.lines.push(line);
    this.#attach();
  }

  add(prerequisites: string[], orderOnly: string[]): void {
    const { targets } = this.text;
    if (targets.some((target) => target.includes("%"))) return this.#addPattern(prerequisites, orderOnly);
    for (const target of targets) {
      this.#addTo(target, { prerequisites, orderOnly });
    }
    if (this.recipe.lines.length > 0) this.#attach();
  }

  *addStatic(patterns: string[], prerequisites: string[], orderOnly: string[]): Task<void> {
    const [pattern, second] = patterns;
    if (pattern === undefined) throw new MakeError("missing target pattern");
    if (second !== undefined) throw new MakeError("multiple target patterns");
    if (!pattern.includes("%")) throw new MakeError("target pattern contains no '%'");
    for (const target of this.text.targets) {
      const stem = stemOf(pattern, target);
      if (stem === undefined) {
        yield* wait(this.make.warn(`target '${target}' doesn't match the target pattern`));
        continue;
      }
      const fill = (name: string) => name.replace("%", () => stem);
      this.#addTo(target, { prerequisites: prerequisites.map(fill), orderOnly: orderOnly.map(fill), stem });
    }
    if (this.recipe.lines.length > 0) this.#attach();
  }

  #addPattern(prerequisites: string[], orderOnly: string[]): void {
    const { targets, separator } = this.text;
    const terminal = separator === "::";
    const rule = { targets, prerequisites, orderOnly, recipe: this.recipe, terminal, builtin: false };
    if (this.recipe.lines.length > 0) this.make.rules.addPattern(rule);
    else this.make.rules.addPattern({ ...rule, recipe: { ...this.recipe, lines: [] } });
    this.#pattern = () => this.make.rules.addPattern(rule);
  }

  #pattern: (() => void) | undefined;
  #attached = false;

  /** Gives the recipe to its targets when its first line is there. */
  #attach(): void {
    if (this.#attached) return;
    this.#attached = true;
    this.#pattern?.();
    this.#withRecipe.forEach((name, i) => this.#giveRecipe(name, this.#rules[i]));
  }

  #giveRecipe(name: string, rule: Rule): void {
    const { make, recipe } = this;
    const target = make.rules.target(name);
    if (name === ".DEFAULT") make.rules.default = recipe;
    if (target.doubles) {
      rule.recipe = recipe;
      return;
    }
    const before = target.rule.recipe;
    if (before) {
      make.warn(`warning: overriding recipe for target '${name}'`, { file: recipe.file, line: recipe.lines[0].line });
      make.warn(`warning: ignoring old recipe for target '${name}'`, { file: before.file, line: before.lines[0].line });
    }
    target.rule.recipe = recipe;
    target.rule.stem = rule.stem ?? target.rule.stem;
    if (this.text.separator === "&:") target.rule.group = this.text.targets;
    // What the recipe's own rule names comes first.
    const own = (from: string[], all: string[]) => {
      all.splice(all.length - from.length, from.length);
      all.unshift(...from);
    };
    own(rule.prerequisites, target.rule.prerequisites);
    own(rule.orderOnly, target.rule.orderOnly);
  }

  #addTo(name: string, rule: Rule): void {
    const { make } = this;
    const { rules } = make;
    for (const word of [...rule.prerequisites, ...rule.orderOnly]) rules.mentioned.add(word);
    if (SPECIAL.has(name)) return this.#addSpecial(name, rule.prerequisites);
    const target = rules.target(name);
    if (target.declared && (target.doubles !== undefined) !== (this.text.separator === "::")) {
      throw new MakeError(`target file '${name}' has both : and :: entries`);
    }
    target.declared = true;
    this.#rules.push(rule);
    this.#withRecipe.push(name);
    if (this.text.separator === "::") (target.doubles ??= []).push(rule);
    else {
      target.rule.prerequisites.push(...rule.prerequisites);
      target.rule.orderOnly.push(...rule.orderOnly);
      target.rule.stem ??= rule.stem;
    }
    const goal = make.globals.find(".DEFAULT_GOAL");
    if ((goal?.value ?? "") === "" && (!name.startsWith(".") || name.includes("/"))) {
      make.globals.set(".DEFAULT_GOAL", { value: name, recursive: false, origin: "file" });
    }
  }

  #addSpecial(name: string, words: string[]): void {
    const { rules } = this.make;
    if (name === ".SUFFIXES") rules.suffixes = words.length === 0 ? [] : [...rules.suffixes, ...words];
    if (name === ".PHONY") { for (const word of words) rules.target(word).phony = true; }
    if (name === ".EXPORT_ALL_VARIABLES") this.make.exportAll = true;
    const known = rules.special.get(name);
    // Named once without prerequisites, it holds for all.
    if (known?.size === 0 && words.length > 0) return;
    rules.special.set(name, new Set(words.length === 0 ? [] : [...known ?? [], ...words]));
  }
}
