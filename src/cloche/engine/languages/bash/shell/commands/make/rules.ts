/** Targets, their rules, pattern rules and search paths. */
import type { Place } from "./session.ts";
import type { Scope } from "./variables.ts";

export interface RecipeLine {
  text: string;
  line: number;
}

export interface Recipe {
  file: string;
  lines: RecipeLine[];
}

/** An assignment that holds for a target. */
export interface TargetVariable {
  name: string;
  operator: string;
  value: string;
  override: boolean;
  isPrivate: boolean;
}

/** One rule of a target; with `::` there may be several, each with its recipe. */
export interface Rule {
  prerequisites: string[];
  orderOnly: string[];
  recipe?: Recipe;
  /** What `%` matched. */
  stem?: string;
  /** Those that its recipe makes at the same time. */
  group?: string[];
}

export interface Outcome {
  failed: boolean;
  /** Whether a recipe was run, here or for what it needs. */
  changed: boolean;
}

export class Target {
  /** Whether a rule names it as its target. */
  declared = false;
  phony = false;
  readonly rule: Rule = { prerequisites: [], orderOnly: [] };
  /** With `::`. */
  doubles: Rule[] | undefined;
  readonly variables: TargetVariable[] = [];
  /** Found through an implicit rule, and removed at the end if make made it. */
  intermediate = false;
  /** Where it lies, if a search path found it. */
  path: string;
  searched = false;
  outcome: Outcome | undefined;
  pending: Promise<Outcome> | undefined;
  scope: Scope | undefined;
  /** After its recipe has run or was shown: newer than all. */
  isNew = false;

  constructor(readonly name: string) {
    this.path = name;
  }
}

export interface PatternRule {
  targets: string[];
  prerequisites: string[];
  orderOnly: string[];
  recipe: Recipe;
  /** With `::`: what it needs must exist. */
  terminal: boolean;
  builtin: boolean;
}

export class Database {
  readonly targets = new Map<string, Target>();
  patterns: PatternRule[] = [];
  /** Target-specific variables of patterns. */
  readonly patternVariables: { pattern: string; variable: TargetVariable }[] = [];
  readonly searchPaths: { pattern: string; folders: string[] }[] = [];
  suffixes: string[] = [];
  /** Names that rules mention as prerequisites. */
  readonly mentioned = new Set<string>();
  /** Prerequisites of special targets such as .SILENT; an empty set means all. */
  readonly special = new Map<string, Set<string>>();
  default: Recipe | undefined;

  target(name: string): Target {
    let found = this.targets.get(name);
    if (!found) this.targets.set(name, found = new Target(name));
    return found;
  }

  /** Whether a special target holds for a name. */
  holds(special: string, name: string): boolean {
    const names = this.special.get(special);
    return names !== undefined && (names.size === 0 || names.has(name));
  }

  addPattern(rule: PatternRule): void {
    const same = (a: PatternRule) =>
      a.targets.join(" ") === rule.targets.join(" ") && a.prerequisites.join(" ") === rule.prerequisites.join(" ");
    const at = this.patterns.findIndex(same);
    if (rule.recipe.lines.length === 0) {
      // A pattern rule without recipe cancels the one that is there.
      if (at >= 0) this.patterns.splice(at, 1);
    } else if (at >= 0 && !this.patterns[at].builtin) this.patterns[at] = rule;
    else {
      if (at >= 0) this.patterns.splice(at, 1);
      const before = this.patterns.findIndex(({ builtin }) => builtin && !rule.builtin);
      if (before < 0) this.patterns.push(rule);
      else this.patterns.splice(before, 0, rule);
    }
  }
}

/** What `%` stands for where a name matches a pattern. */
export function stemOf(pattern: string, name: string): string | undefined {
  const at = pattern.indexOf("%");
  if (at < 0) return pattern === name ? "" : undefined;
  const [before, after] = [pattern.slice(0, at), pattern.slice(at + 1)];
  if (name.length < before.length + after.length) return undefined;
  if (!name.startsWith(before) || !name.endsWith(after)) return undefined;
  return name.slice(before.length, name.length - after.length);
}

export type { Place };
