/** What every editor of the page can do: its keys, its colours, its completions, its marks. */

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import type { Diagnostic as Mark } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension, Prec, type Text } from "@codemirror/state";
import { drawSelection, EditorView, type KeyBinding, keymap } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { type Complete, countCharacters, findCharacter } from "./completion.ts";
import type { Diagnostic } from "./props.ts";

/** Tab indents, and after Escape it leaves the editor, as for those who use no mouse. */
const TAB: KeyBinding = { key: "Tab", run: indentMore, shift: indentLess };
/** Letters after which a completion is asked for without Ctrl+Space. */
const WORTH_ASKING = /[\p{L}\p{N}_.$@:/-]$/u;

export const SETUP: Extension = [
  history(),
  drawSelection(),
  indentOnInput(),
  indentUnit.of("    "),
  bracketMatching(),
  closeBrackets(),
  highlightSelectionMatches(),
  EditorState.allowMultipleSelections.of(true),
  EditorView.lineWrapping,
  syntaxHighlighting(classHighlighter),
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, TAB]),
];

/** The parts of an editor that change while it lives. */
export function makeSlots() {
  return {
    language: new Compartment(),
    source: new Compartment(),
    lines: new Compartment(),
    text: new Compartment(),
  };
}

interface Edges {
  submit(): void;
  canSubmit(): boolean;
  leave(direction: "up" | "down"): boolean;
}

/** Ctrl+Enter, and the arrow keys where they would leave the text. */
export function edges({ submit, canSubmit, leave }: Edges): Extension {
  return Prec.high(keymap.of([
    {
      key: "Mod-Enter",
      run: () => {
        if (canSubmit()) submit();
        return canSubmit();
      },
    },
    { key: "ArrowUp", run: (view) => isAtEdge(view, "up") && leave("up") },
    { key: "ArrowDown", run: (view) => isAtEdge(view, "down") && leave("down") },
  ]));
}

function isAtEdge({ state, dom }: EditorView, direction: "up" | "down"): boolean {
  const { main } = state.selection;
  if (!main.empty || dom.querySelector(".cm-tooltip-autocomplete")) return false;
  return state.doc.lineAt(main.head).number === (direction === "up" ? 1 : state.doc.lines);
}

/** Completions that somebody else knows. */
export function makeSource(complete: () => Complete | undefined): Extension {
  const ask = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const code = context.state.doc.toString();
    const known = complete();
    if (!known || (!context.explicit && !WORTH_ASKING.test(code.slice(0, context.pos)))) return null;
    const leaving = new AbortController();
    context.addEventListener("abort", () => leaving.abort());
    try {
      const answer = await known(code, countCharacters(code, context.pos), leaving.signal);
      if (!answer || answer.matches.length === 0 || context.aborted) return null;
      return {
        from: findCharacter(code, answer.start),
        to: findCharacter(code, answer.end),
        options: answer.matches.map((label) => ({ label })),
        validFor: /^[\p{L}\p{N}_]*$/u,
      };
    } catch {
      // One can type without completions.
      return null;
    }
  };
  return autocompletion({ override: [ask], activateOnTypingDelay: 150, icons: false });
}

/** Problems at the places of a text that they are about; those beyond its end are at its end. */
export function markProblems(doc: Text, problems: readonly Diagnostic[]): Mark[] {
  return problems.map(({ line, column, message, severity = "error" }) => {
    const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines));
    const begin = column ? Math.min(from + column - 1, to) : from;
    return { from: begin, to: Math.max(begin, to), message, severity };
  });
}
