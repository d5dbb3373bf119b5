/** Brings targets up to date. */
import { type Later, runTask, type Task, wait } from "../../task.ts";
import { assign } from "./define.ts";
import { expand } from "./expand.ts";
import { findImplicit, locate } from "./implicit.ts";
import { RecipeRun } from "./recipe.ts";
import { type Outcome, type Recipe, type Rule, stemOf, type Target } from "./rules.ts";
import { MakeError, type Session } from "./session.ts";
import { directoryOf, fileOf, splitWords } from "./text.ts";
import { Scope } from "./variables.ts";

/** A chain of targets, each needed by the next. */
interface Needer {
  target: Target;
  by: Needer | undefined;
}

/** Ends make after the messages: a recipe failed. */
export class Stopped extends Error {}

const FAILED: Outcome = { failed: true, changed: false };

export class Updater {
  /** Recipes that run now, and those that wait for their turn. */
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #stopped = false;
  /** Files that only implicit rules wanted, in the order they were made. */
  readonly intermediates: Target[] = [];
  /** For -q: something would have to be made. */
  outdated = false;

  constructor(private readonly make: Session) {}

  get #parallel(): boolean {
    return this.make.options.jobs > 1 && !this.make.rules.special.has(".NOTPARALLEL");
  }

  update(target: Target, by: Needer | undefined): Later<Outcome> {
    if (target.outcome) return target.outcome;
    if (target.pending) return target.pending;
    const outcome = runTask(this.#update(target, by));
    if (!(outcome instanceof Promise)) return target.outcome = outcome;
    target.pending = outcome.then((result) => {
      target.pending = undefined;
      return target.outcome = result;
    });
    return target.pending;
  }

  *#update(target: Target, by: Needer | undefined): Task<Outcome> {
    const { make } = this;
    make.checkSignal();
    const chain = { target, by };
    this.#search(target);
    target.scope ??= yield* this.#makeScope(target, by?.target.scope ?? make.globals);
    if (make.options.old.includes(target.name)) return { failed: false, changed: false };
    if (!target.doubles) return yield* this.#updateRule(target, target.rule, chain);
    const whole: Outcome = { failed: false, changed: false };
    for (const rule of target.doubles) {
      const outcome = yield* this.#updateRule(target, rule, chain);
      whole.failed ||= outcome.failed;
      whole.changed ||= outcome.changed;
      if (whole.failed && !make.options.letters.has("k")) break;
    }
    return whole;
  }

  /** Finds its recipe and its place. */
  #search(target: Target): void {
    if (target.searched) return;
    target.searched = true;
    const { rule } = target;
    if (!rule.recipe && !target.phony && !target.doubles) findImplicit(this.make, target);
    if (!target.phony) target.path = locate(this.make, target.name) ?? target.name;
    const { rules } = this.make;
    if (!rule.recipe && !target.declared && !target.phony && rules.default && this.#modified(target) === undefined) {
      rule.recipe = rules.default;
    }
  }

  #modified(target: Target): number | undefined {
    const { options } = this.make;
    if (target.isNew || options.changed.includes(target.name)) return Infinity;
    if (options.old.includes(target.name)) return -Infinity;
    return target.phony ? undefined : this.make.modified(target.path);
  }

  *#makeScope(target: Target, outer: Scope): Task<Scope> {
    const { make } = this;
    const { patternVariables } = make.rules;
    const general = patternVariables.filter(({ pattern }) => stemOf(pattern, target.name) !== undefined);
    general.sort((a, b) => b.pattern.length - a.pattern.length).reverse();
    const variables = [...general.map(({ variable }) => variable), ...target.variables];
    const scope = new Scope(outer);
    for (const variable of variables) {
      yield* assign(make, variable, variable.override ? "override" : "file", scope, variable.isPrivate);
    }
    return scope;
  }

  *#updateRule(target: Target, rule: Rule, chain: Needer): Task<Outcome> {
    const { make } = this;
    if (make.rules.special.has(".SECONDEXPANSION")) yield* this.#expandAgain(target, rule);
    const needed = this.#prerequisites(rule.prerequisites, chain);
    const ordered = this.#prerequisites(rule.orderOnly.filter((name) => !rule.prerequisites.includes(name)), chain);
    const all = yield* this.#updateAll([...needed, ...ordered], chain);
    if (all.failed) {
      if (!chain.by && make.options.letters.has("k") && !make.options.letters.has("n")) {
        yield* wait(make.complain(`${make.title}: Target '${target.name}' not remade because of errors.`));
      }
      return all;
    }
    const own = this.#modified(target);
    const newer = (time: number | undefined) => time === undefined || own === undefined || time > own;
    let due = own === undefined || make.options.letters.has("B");
    const changed: Target[] = [];
    for (const one of needed) {
      const time = isAbsent(one, this.#modified(one)) ? yield* this.#newest(one, chain) : this.#modified(one);
      if (newer(time)) changed.push(one);
      due ||= own !== undefined && newer(time);
    }
    if (rule.prerequisites.length === 0 && target.doubles) due = true;
    if (!due) return all;
    return yield* this.#remake(target, rule, chain, { needed, ordered, changed, all, exists: own !== undefined });
  }

  *#remake(
    target: Target,
    rule: Rule,
    chain: Needer,
    parts: { needed: Target[]; ordered: Target[]; changed: Target[]; all: Outcome; exists: boolean },
  ): Task<Outcome> {
    const { make } = this;
    const { needed, ordered, changed, all } = parts;
    const absent = needed.filter((one) => isAbsent(one, this.#modified(one)));
    const more = yield* this.#updateAll(absent, chain, true);
    if (more.failed) return more;
    const { recipe } = rule;
    if (!recipe || recipe.lines.length === 0) {
      if (!recipe && !target.declared && !target.phony && !parts.exists) return yield* this.#refuse(target, chain);
      target.isNew = !parts.exists || all.changed;
      return { failed: false, changed: all.changed || more.changed };
    }
    // It is made here, not where a search path found an old one.
    target.path = target.name;
    if (make.options.trace) yield* this.#trace(target, recipe, parts.exists, changed);
    const scope = this.#recipeScope(target, rule, needed, ordered, changed);
    const outcome = yield* this.#runInTurn(target, rule, recipe, scope);
    return { failed: outcome.failed, changed: outcome.changed || all.changed || more.changed };
  }

  *#trace(target: Target, recipe: Recipe, exists: boolean, changed: Target[]): Task<void> {
    const place = `${recipe.file}:${recipe.lines[0].line}`;
    const names = changed.map(({ name }) => name).join(" ");
    const why = exists || names !== ""
      ? `update target '${target.name}' due to: ${names}`
      : `target '${target.name}' does not exist`;
    yield* wait(this.make.print(`${place}: ${why}\n`));
  }

  *#refuse(target: Target, chain: Needer): Task<Outcome> {
    const { make } = this;
    const needed = chain.by ? `, needed by '${chain.by.target.name}'` : "";
    const message = `No rule to make target '${target.name}'${needed}`;
    if (!make.options.letters.has("k")) throw new MakeError(message);
    yield* wait(make.complain(`${make.title}: *** ${message}.`));
    return FAILED;
  }

  #prerequisites(names: string[], chain: Needer): Target[] {
    const found: Target[] = [];
    for (const name of new Set(names)) {
      const target = this.make.rules.target(name);
      if (inChain(chain, target)) {
        this.make.complain(`${this.make.title}: Circular ${chain.target.name} <- ${name} dependency dropped.`);
      } else found.push(target);
    }
    return found;
  }

  /** Updates what is needed; without `absent`, files that only implicit rules want are left for later. */
  *#updateAll(targets: Target[], chain: Needer, absent = false): Task<Outcome> {
    const { make } = this;
    const started: Later<Outcome>[] = [];
    const whole: Outcome = { failed: false, changed: false };
    const add = ({ failed, changed }: Outcome) => {
      whole.failed ||= failed;
      whole.changed ||= changed;
    };
    for (const target of targets) {
      if (!absent && isAbsent(target, this.#modified(target))) continue;
      const outcome = this.update(target, chain);
      if (this.#parallel) started.push(outcome);
      else add(yield* wait(outcome));
      if (whole.failed && !make.options.letters.has("k")) throw new Stopped();
    }
    // All end before the first failure is thrown: no recipe runs on unseen.
    if (started.some((one) => one instanceof Promise)) {
      const results = (yield Promise.allSettled(started)) as PromiseSettledResult<Outcome>[];
      for (const result of results) {
        if (result.status === "fulfilled") add(result.value);
        else throw result.reason;
      }
    } else for (const one of started) add(one as Outcome);
    if (whole.failed && !make.options.letters.has("k")) throw new Stopped();
    return whole;
  }

  /** The newest time of what a file that is not there would be made of. */
  *#newest(target: Target, chain: Needer): Task<number | undefined> {
    this.#search(target);
    const inner = { target, by: chain };
    let newest = -Infinity;
    const needed = this.#prerequisites(target.rule.prerequisites, inner);
    yield* this.#updateAll(needed, inner);
    for (const one of needed) {
      const time = isAbsent(one, this.#modified(one)) ? yield* this.#newest(one, inner) : this.#modified(one);
      if (time === undefined) return undefined;
      newest = Math.max(newest, time);
    }
    return newest;
  }

  *#expandAgain(target: Target, rule: Rule): Task<void> {
    const scope = this.#recipeScope(target, rule, [], [], []);
    for (const list of ["prerequisites", "orderOnly"] as const) {
      if (!rule[list].some((word) => word.includes("$"))) continue;
      const words: string[] = [];
      for (const word of rule[list]) words.push(...splitWords(yield* expand(this.make, word, scope)));
      rule[list] = words;
    }
  }

  #recipeScope(target: Target, rule: Rule, needed: Target[], ordered: Target[], changed: Target[]): Scope {
    const scope = new Scope(target.scope);
    const paths = needed.map(({ path }) => path);
    const all = rule.prerequisites.map((name) => this.make.rules.target(name).path);
    const suffix = this.make.rules.suffixes.find((end) => target.name.endsWith(end) && end !== "");
    const stem = rule.stem ?? (suffix ? target.name.slice(0, -suffix.length) : "");
    const values: Record<string, string[]> = {
      "@": [target.name],
      "<": paths.slice(0, 1),
      "^": [...new Set(paths)],
      "+": all,
      "?": changed.map(({ path }) => path),
      "*": [stem],
      "|": ordered.map(({ path }) => path),
      "%": [],
    };
    const set = (name: string, value: string) => scope.set(name, { value, recursive: false, origin: "automatic" });
    for (const [name, words] of Object.entries(values)) {
      set(name, words.join(" "));
      set(`${name}D`, words.map((word) => directoryOf(word).replace(/(.)\/$/, "$1")).join(" "));
      set(`${name}F`, words.map(fileOf).join(" "));
    }
    return scope;
  }

  /** Runs a recipe when there is room for it. */
  *#runInTurn(target: Target, rule: Rule, recipe: Recipe, scope: Scope): Task<Outcome> {
    const { make } = this;
    if (this.#running >= make.options.jobs) yield new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#stopped) throw new Stopped();
    this.#running++;
    try {
      return yield* this.#run(target, rule, recipe, scope);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  *#run(target: Target, rule: Rule, recipe: Recipe, scope: Scope): Task<Outcome> {
    const { make } = this;
    const { letters } = make.options;
    const before = this.#modified(target);
    const run = new RecipeRun(make, target, recipe, scope);
    const code = yield* run.run();
    if (letters.has("q") && run.ran) {
      this.outdated = true;
      throw new Stopped();
    }
    if (letters.has("t") && !target.phony && run.ran) yield* this.#touch(target);
    if (code !== 0) {
      const after = make.modified(target.name);
      const changed = after !== undefined && after !== before;
      if (
        changed && make.rules.special.has(".DELETE_ON_ERROR") && !make.rules.special.get(".PRECIOUS")?.has(target.name)
      ) {
        make.context.files.removeFile(make.resolve(target.name));
        yield* wait(make.complain(`${make.title}: *** Deleting file '${target.name}'`));
      }
      if (!letters.has("k") && this.#running > 1) {
        yield* wait(make.complain(`${make.title}: *** Waiting for unfinished jobs....`));
      }
      this.#stopped = !letters.has("k");
      return { failed: true, changed: run.ran };
    }
    target.isNew = letters.has("n") || letters.has("q") || target.phony || !run.ran && before === undefined;
    if (target.intermediate) this.intermediates.push(target);
    for (const name of rule.group ?? []) this.#settle(name, target);
    return { failed: false, changed: run.ran };
  }

  /** Another target of the same recipe is made with it. */
  #settle(name: string, target: Target): void {
    if (name === target.name) return;
    const other = this.make.rules.target(name);
    other.outcome = { failed: false, changed: true };
    other.path = name;
    other.isNew = target.isNew;
  }

  *#touch(target: Target): Task<void> {
    const { make } = this;
    const { files, umask } = make.context;
    if (!make.options.letters.has("s")) yield* wait(make.print(`touch ${target.name}\n`));
    if (make.options.letters.has("n")) return;
    const path = make.resolve(target.name);
    files.open(path, { read: false, write: true, create: true }, 0o666 & ~umask).close();
    files.setTimes(path, Date.now(), Date.now());
  }
}

/** Whether a file is one that only implicit rules want, and not there. */
function isAbsent(target: Target, modified: number | undefined): boolean {
  return target.intermediate && modified === undefined && !target.outcome;
}

function inChain(chain: Needer | undefined, target: Target): boolean {
  for (let link = chain; link; link = link.by) if (link.target === target) return true;
  return false;
}
