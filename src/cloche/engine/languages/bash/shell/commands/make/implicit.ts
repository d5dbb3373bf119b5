/** Finds pattern rules for targets that have no recipe. */
import { type PatternRule, stemOf, type Target } from "./rules.ts";
import type { Session } from "./session.ts";
import { directoryOf, fileOf } from "./text.ts";

interface Candidate {
  rule: PatternRule;
  stem: string;
  /** The folder of the target, if the pattern has none. */
  folder: string;
  index: number;
}

interface Found {
  rule: PatternRule;
  stem: string;
  folder: string;
  prerequisites: string[];
  orderOnly: string[];
}

/** How many rules may follow each other. */
const MOST_STEPS = 8;

/** Turns `.c.o:` into `%.o: %.c`. */
export function convertSuffixRules(make: Session): void {
  const { rules } = make;
  const known = new Set(rules.suffixes);
  for (const [name, target] of rules.targets) {
    const { recipe, prerequisites } = target.rule;
    const [, first, second] = /^(\.[^./]+)(\.[^./]+)?$/.exec(name) ?? [];
    if (!recipe || first === undefined || !known.has(first) || prerequisites.length > 0) continue;
    if (second !== undefined && !known.has(second)) continue;
    rules.addPattern({
      targets: [`%${second ?? ""}`],
      prerequisites: [`%${first}`],
      orderOnly: [],
      recipe,
      terminal: false,
      builtin: false,
    });
  }
}

/** Gives a target the recipe of the pattern rule that fits best; false if none does. */
export function findImplicit(make: Session, target: Target): boolean {
  const found = search(make, target.name, new Set());
  if (!found) return false;
  apply(make, target, found);
  return true;
}

function apply(make: Session, target: Target, found: Found): void {
  const { rule } = target;
  rule.recipe = found.rule.recipe;
  rule.stem = found.folder + found.stem;
  rule.prerequisites = [...found.prerequisites, ...rule.prerequisites];
  rule.orderOnly = [...found.orderOnly, ...rule.orderOnly];
  if (found.rule.targets.length > 1) {
    rule.group = found.rule.targets.map((pattern) => found.folder + pattern.replace("%", () => found.stem));
  }
  for (const name of found.prerequisites) {
    const known = make.rules.targets.get(name);
    if (!known?.declared && !make.rules.mentioned.has(name) && locate(make, name) === undefined) {
      make.rules.target(name).intermediate = true;
    }
  }
}

function search(make: Session, name: string, used: Set<PatternRule>): Found | undefined {
  const candidates = listCandidates(make, name, used);
  for (const chained of [false, true]) {
    for (const candidate of candidates) {
      const found = tryRule(make, candidate, used, chained);
      if (found) return found;
    }
  }
  return undefined;
}

function listCandidates(make: Session, name: string, used: Set<PatternRule>): Candidate[] {
  const found: Candidate[] = [];
  // A name with a known suffix is a file of its kind, as if a rule were for that suffix: without this, every name could be made of
  // name.c, name.c.c, and so on.
  let specific = make.rules.suffixes.some((suffix) => fileOf(name) !== suffix && name.endsWith(suffix));
  make.rules.patterns.forEach((rule, index) => {
    if (used.has(rule)) return;
    for (const pattern of rule.targets) {
      const whole = pattern.includes("/");
      const folder = whole || !name.includes("/") ? "" : directoryOf(name);
      const stem = stemOf(pattern, whole ? name : fileOf(name));
      if (stem === undefined || stem === "") continue;
      if (pattern !== "%") specific = true;
      found.push({ rule, stem, folder, index });
      break;
    }
  });
  // A rule for any name is left out where a more particular one fits.
  const kept = found.filter(({ rule }) => !specific || rule.terminal || !rule.targets.includes("%"));
  return kept.sort((a, b) => a.stem.length - b.stem.length || a.index - b.index);
}

function tryRule(make: Session, candidate: Candidate, used: Set<PatternRule>, chained: boolean): Found | undefined {
  const { rule, stem, folder } = candidate;
  const fill = (name: string) => name.includes("%") ? folder + name.replace("%", () => stem) : name;
  const prerequisites = rule.prerequisites.map(fill);
  const orderOnly = rule.orderOnly.map(fill);
  for (const name of [...prerequisites, ...orderOnly]) {
    if (isKnown(make, name)) continue;
    if (!chained || rule.terminal || used.size >= MOST_STEPS) return undefined;
    if (!search(make, name, new Set([...used, rule]))) return undefined;
  }
  return { rule, stem, folder, prerequisites, orderOnly };
}

/** Whether a file is there, or a rule says that it will be. */
function isKnown(make: Session, name: string): boolean {
  const { rules } = make;
  const target = rules.targets.get(name);
  return target?.declared || target?.phony || rules.mentioned.has(name) || locate(make, name) !== undefined;
}

/** Where a file lies, also in VPATH. */
export function locate(make: Session, name: string): string | undefined {
  if (make.modified(name) !== undefined) return name;
  if (name.startsWith("/")) return undefined;
  const general = (make.globals.find("VPATH")?.value ?? "").split(/[:\s]+/).filter((folder) => folder !== "");
  const particular = make.rules.searchPaths.filter(({ pattern }) => stemOf(pattern, name) !== undefined);
  for (const folder of [...particular.flatMap(({ folders }) => folders), ...general]) {
    const path = `${folder.replace(/\/$/, "")}/${name}`;
    if (make.modified(path) !== undefined) return path;
  }
  return undefined;
}
