/** syntax-rules: patterns, and templates whose own names are kept apart from those of the user. */

import { type Raised, raiseFailure } from "../vm/errors.ts";
import { writeValue } from "./printer.ts";
import { Alias, isName, Macro, type Name, sameMeaning, type Scope, stripAliases, symbolOf } from "./scope.ts";
import { internSymbol, itemsOf, listOf, NIL, Pair, type Value } from "../vm/values.ts";

const ELLIPSIS = internSymbol("...");
const UNDERSCORE = internSymbol("_");

/** What a variable of a pattern is bound to: a form, or under an ellipsis one for each repetition. */
type Match = { form: Value } | { each: Match[] };
type Matches = Map<Name, Match>;

interface Rule {
  pattern: Value;
  template: Value;
}

class Rules {
  readonly rules: Rule[];

  constructor(
    readonly ellipsis: Name,
    readonly literals: Name[],
    rules: Value[],
    readonly scope: Scope,
  ) {
    this.rules = rules.map((rule) => {
      const [pattern, template, ...more] = itemsOf(rule, "syntax-rules");
      if (!(pattern instanceof Pair) || template === undefined || more.length > 0) {
        throw wrong("a rule is (pattern template)", rule);
      }
      return { pattern: pattern.cdr, template };
    });
  }

  expand(form: Pair, scope: Scope): Value {
    for (const { pattern, template } of this.rules) {
      const matches: Matches = new Map();
      if (this.#match(pattern, form.cdr, scope, matches)) return new Template(this, matches).fill(template);
    }
    throw wrong(`no rule of the macro ${symbolOf(form.car as Name).name} matches`, form);
  }

  isEllipsis(value: Value): boolean {
    if (!isName(value) || this.literals.includes(value)) return false;
    return value === this.ellipsis ||
      this.ellipsis === ELLIPSIS && value instanceof Alias && symbolOf(value) === ELLIPSIS;
  }

  #match(pattern: Value, form: Value, scope: Scope, into: Matches): boolean {
    if (isName(pattern)) return this.#matchName(pattern, form, scope, into);
    if (pattern instanceof Pair) {
      if (pattern.cdr instanceof Pair && this.isEllipsis(pattern.cdr.car)) {
        return this.#matchMany(pattern.car, pattern.cdr.cdr, form, scope, into);
      }
      return form instanceof Pair && this.#match(pattern.car, form.car, scope, into) &&
        this.#match(pattern.cdr, form.cdr, scope, into);
    }
    if (Array.isArray(pattern)) return Array.isArray(form) && this.#match(listOf(pattern), listOf(form), scope, into);
    return pattern === form || writeValue(pattern) === writeValue(form) && !isName(form);
  }

  #matchName(pattern: Name, form: Value, scope: Scope, into: Matches): boolean {
    if (this.literals.includes(pattern)) return isName(form) && sameMeaning(form, scope, pattern, this.scope);
    if (symbolOf(pattern) !== UNDERSCORE) into.set(pattern, { form });
    return true;
  }

  /** `each ... rest`: as many as leave enough for the rest. */
  #matchMany(each: Value, rest: Value, form: Value, scope: Scope, into: Matches): boolean {
    let [needed, available] = [0, 0];
    for (let p = rest; p instanceof Pair; p = p.cdr) needed++;
    for (let f = form; f instanceof Pair; f = f.cdr) available++;
    const rows: Matches[] = [];
    for (let count = available - needed; count > 0; count--, form = (form as Pair).cdr) {
      const row: Matches = new Map();
      if (!this.#match(each, (form as Pair).car, scope, row)) return false;
      rows.push(row);
    }
    if (available < needed) return false;
    for (const name of this.#variables(each)) into.set(name, { each: rows.map((row) => row.get(name) as Match) });
    return this.#match(rest, form, scope, into);
  }

  #variables(pattern: Value): Name[] {
    if (Array.isArray(pattern)) return this.#variables(listOf(pattern));
    if (pattern instanceof Pair) return [...this.#variables(pattern.car), ...this.#variables(pattern.cdr)];
    if (!isName(pattern) || this.isEllipsis(pattern) || this.literals.includes(pattern)) return [];
    return symbolOf(pattern) === UNDERSCORE ? [] : [pattern];
  }
}

/** One expansion: each name of the template is renamed once. */
class Template {
  readonly #renamed = new Map<Name, Alias>();

  constructor(private readonly rules: Rules, private readonly matches: Matches) {}

  fill(template: Value): Value {
    return this.#fill(template, this.matches, false);
  }

  #fill(template: Value, matches: Matches, literal: boolean): Value {
    if (isName(template)) return this.#name(template, matches);
    if (Array.isArray(template)) return itemsOf(this.#fill(listOf(template), matches, literal), "syntax-rules");
    if (!(template instanceof Pair)) return template;
    const { car, cdr } = template;
    if (literal) return new Pair(this.#fill(car, matches, true), this.#fill(cdr, matches, true));
    // (... template) takes the template as it is
    if (this.rules.isEllipsis(car) && cdr instanceof Pair) return this.#fill(cdr.car, matches, true);
    if (cdr instanceof Pair && this.rules.isEllipsis(cdr.car)) return this.#repeat(car, cdr.cdr, matches);
    return new Pair(this.#fill(car, matches, false), this.#fill(cdr, matches, false));
  }

  #name(name: Name, matches: Matches): Value {
    const match = matches.get(name);
    if (match) {
      if ("form" in match) return match.form;
      throw wrong("a pattern variable needs an ellipsis here:", name);
    }
    let alias = this.#renamed.get(name);
    if (!alias) this.#renamed.set(name, alias = new Alias(name, this.rules.scope));
    return alias;
  }

  #repeat(each: Value, rest: Value, matches: Matches): Value {
    let depth = 1;
    for (; rest instanceof Pair && this.rules.isEllipsis(rest.car); rest = rest.cdr) depth++;
    let rows: Matches[] = [matches];
    for (; depth > 0; depth--) rows = rows.flatMap((row) => this.#rows(each, row));
    const items = rows.map((row) => this.#fill(each, row, false));
    return listOf(items, rest === NIL ? NIL : this.#fill(rest, matches, false));
  }

  /** The matches of each repetition of what the template names. */
  #rows(template: Value, matches: Matches): Matches[] {
    const repeated = [...namesOf(template)].filter((name) => "each" in (matches.get(name) ?? {}));
    if (repeated.length === 0) throw wrong("no pattern variable is repeated here:", template);
    const lengths = repeated.map((name) => (matches.get(name) as { each: Match[] }).each.length);
    return Array.from({ length: Math.max(...lengths) }, (_, i) => {
      const row = new Map(matches);
      for (const name of repeated) {
        const { each } = matches.get(name) as { each: Match[] };
        if (i >= each.length) throw wrong("pattern variables are repeated a different number of times:", template);
        row.set(name, each[i]);
      }
      return row;
    });
  }
}

function namesOf(template: Value): Set<Name> {
  const [names, todo] = [new Set<Name>(), [template]];
  while (todo.length > 0) {
    const next = todo.pop();
    if (isName(next)) names.add(next);
    else if (next instanceof Pair) todo.push(next.car, next.cdr);
    else if (Array.isArray(next)) todo.push(...next);
  }
  return names;
}

function wrong(message: string, form: Value): Raised {
  return raiseFailure("SyntaxError", message, stripAliases(form));
}

/** The macro that a `(syntax-rules ...)` form describes. */
export function macroOf(form: Pair, scope: Scope, name: string): Macro {
  let rest = form.cdr as Pair;
  let ellipsis: Name = ELLIPSIS;
  if (rest instanceof Pair && isName(rest.car)) [ellipsis, rest] = [rest.car, rest.cdr as Pair];
  if (!(rest instanceof Pair)) throw wrong("syntax-rules needs a list of literals", form);
  const literals = itemsOf(rest.car, "syntax-rules");
  if (!literals.every(isName)) throw wrong("the literals of syntax-rules are names", form);
  const rules = new Rules(ellipsis, literals, itemsOf(rest.cdr, "syntax-rules"), scope);
  return new Macro((use, scope) => rules.expand(use, scope), name);
}
