/** One's own text, in which what is different from the file's is marked and can be taken over piece by piece. */

import { unifiedMergeView } from "@codemirror/merge";
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { loadLanguage } from "../../../editor/languages.ts";
import { SETUP } from "../../../editor/setup.ts";

interface Given {
  theirs: string;
  mine: string;
  language: string;
  onChange(text: string): void;
}

export default function Difference({ theirs, mine, language, onChange }: Given) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const colours = new Compartment();
    const state = EditorState.create({
      doc: mine,
      extensions: [
        SETUP,
        lineNumbers(),
        colours.of([]),
        EditorView.contentAttributes.of({ "aria-label": "Your text, with the differences from the file" }),
        unifiedMergeView({
          original: theirs,
          mergeControls: makeControl,
          collapseUnchanged: { margin: 3, minSize: 6 },
        }),
        EditorView.updateListener.of((update) => update.docChanged && onChange(update.state.doc.toString())),
      ],
    });
    const view = new EditorView({ state, parent: place.current ?? undefined });
    loadLanguage(language)?.then((found) => view.dispatch({ effects: colours.reconfigure(found) }), () => undefined);
    return () => view.destroy();
    // The editor has the text from here on.
  }, [theirs, language]);
  return <div className="editor difference" ref={place} />;
}

function makeControl(type: "accept" | "reject", act: (event: MouseEvent) => void): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button";
  button.textContent = type === "accept" ? "Mine" : "Theirs";
  button.title = type === "accept" ? "Keep your lines here" : "Take the lines of the file here";
  button.onclick = act;
  return button;
}
