/** sub, gsub and gensub. */
import { toNumber } from "../data/values.ts";
import type { Expr, Target } from "../program/syntax.ts";
import type { Pattern } from "../regex/pattern.ts";
import type { Builtin, Builtins } from "./builtin.ts";

/** A replacement: texts, and numbers of groups (0 for the whole match) between them. */
type Replacement = (string | number)[];

/** What sub and gsub put in place of a match: `&` is the match, `\&` the character. */
function parseReplacement(text: string): Replacement {
  if (!text.includes("&") && !text.includes("\\")) return [text];
  const parts: Replacement = [""];
  const add = (more: string) => {
    const last = parts[parts.length - 1];
    if (typeof last === "string") parts[parts.length - 1] = last + more;
    else parts.push(more);
  };
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "&") parts.push(0);
    else if (text.startsWith("\\\\\\&", at)) {
      add("\\&");
      at += 3;
    } else if (text.startsWith("\\\\&", at)) {
      add("\\");
      at += 1;
    } else if (text.startsWith("\\&", at)) {
      add("&");
      at += 1;
    } else add(text[at]);
  }
  return parts;
}

/** The same for gensub, which knows groups: `\1`. */
function parseGeneralReplacement(text: string): Replacement {
  const parts: Replacement = [];
  for (const [piece] of text.matchAll(/\\[\s\S]|&|[^\\&]+|\\/g)) {
    if (piece === "&") parts.push(0);
    else if (/^\\\d$/.test(piece)) parts.push(Number(piece[1]));
    else parts.push(piece.startsWith("\\") && piece.length > 1 ? piece.slice(1) : piece);
  }
  return parts;
}

/** Replaces the match number `which`, or every one if it is 0. */
function replaceMatches(text: string, pattern: Pattern, replacement: Replacement, which: number): Replaced {
  let result = "";
  let count = 0;
  let copied = 0;
  let last = -1;
  const usesGroups = replacement.some((part) => typeof part === "number" && part > 0);
  for (let from = 0; from <= text.length && pattern.find(text, from);) {
    const { start, end } = pattern;
    from = end > start ? end : next(text, end);
    // Nothing is not a match right behind another.
    if (start === end && start === last) continue;
    last = end;
    count++;
    if (which > 0 && count < which) continue;
    const groups = usesGroups ? pattern.groups(text, start, end) : [];
    result += text.slice(copied, start);
    for (const part of replacement) {
      if (typeof part === "string") result += part;
      else result += part === 0 ? text.slice(start, end) : groups[part - 1]?.text ?? "";
    }
    copied = end;
    if (which > 0) break;
  }
  if (count < which || count === 0) return { text, count: 0 };
  return { text: result + text.slice(copied), count: which > 0 ? 1 : count };
}

interface Replaced {
  text: string;
  count: number;
}

/** The place after the character at `at`. */
function next(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return at + (unit >= 0xd800 && unit <= 0xdbff ? 2 : 1);
}

function substitution(which: number): Builtin {
  return {
    kind: "number",
    compile([patternExpr, replacementExpr, targetExpr], compiler) {
      const [pattern, replacement] = [compiler.pattern(patternExpr), compiler.text(replacementExpr)];
      const whole: Expr = { kind: "field", index: { kind: "number", value: 0 } };
      const wanted = targetExpr?.kind === "group" ? targetExpr.parts[0] : targetExpr ?? whole;
      const { state } = compiler.machine;
      let parsedText = "";
      let parsed: Replacement = [""];
      const parse = (text: string) => {
        if (text !== parsedText) {
          parsed = parseReplacement(text);
          parsedText = text;
        }
        return parsed;
      };
      if (wanted.kind !== "name" && wanted.kind !== "field" && wanted.kind !== "element") {
        // The result has nowhere to go, only the count matters.
        const text = compiler.text(wanted);
        return () => replaceMatches(text(), pattern(), parse(replacement()), which).count;
      }
      const target = compiler.reference(wanted as Target);
      return () => {
        const found = pattern();
        const parts = parse(replacement());
        target.prepare();
        const { text, count } = replaceMatches(state.textOf(target.get()), found, parts, which);
        if (count > 0) target.set(text);
        return count;
      };
    },
  };
}

export const substitutions: Builtins = {
  sub: substitution(1),
  gsub: substitution(0),
  gensub: {
    kind: "text",
    compile([patternExpr, replacementExpr, whichExpr, textExpr], compiler) {
      const [pattern, replacement] = [compiler.pattern(patternExpr), compiler.text(replacementExpr)];
      const which = compiler.value(whichExpr);
      const { state } = compiler.machine;
      const text = textExpr ? compiler.text(textExpr) : () => state.record.text;
      return () => {
        const subject = text();
        const how = which();
        const all = typeof how !== "number" && /^[gG]/.test(state.textOf(how));
        const number = all ? 0 : Math.max(1, Math.trunc(toNumber(how)) || 1);
        return replaceMatches(subject, pattern(), parseGeneralReplacement(replacement()), number).text;
      };
    },
  },
};
