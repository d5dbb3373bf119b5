/** CodeMirror as a component: what the page gives it changes it, what is typed goes to the page. */

import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers, placeholder } from "@codemirror/view";
import { useEffect, useRef } from "react";
import type { EditorProps } from "./props.ts";
import { loadLanguage } from "./languages.ts";
import { edges, makeSlots, makeSource, markProblems, SETUP } from "./setup.ts";

export default function CodeMirror(props: EditorProps) {
  const { value, language, readOnly = false, diagnostics, label } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const slots = useRef(makeSlots());
  // What is called later is what was given last.
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const { lines, source, text } = slots.current;
    const state = EditorState.create({
      doc: latest.current.value,
      extensions: [
        edges({
          submit: () => latest.current.onSubmit?.(),
          leave: (direction) => latest.current.onEdge?.(direction) ?? false,
          canSubmit: () => latest.current.onSubmit !== undefined,
        }),
        SETUP,
        lines.of([]),
        text.of([]),
        source.of(makeSource(() => latest.current.complete)),
        slots.current.language.of([]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current.onChange?.(update.state.doc.toString());
        }),
      ],
    });
    const made = new EditorView({ state, parent: place.current ?? undefined });
    view.current = made;
    if (latest.current.autoFocus) made.focus();
    return () => made.destroy();
  }, []);

  useEffect(() => {
    const editor = view.current;
    const before = editor?.state.doc.toString();
    if (!editor || before === undefined || before === value) return;
    editor.dispatch({ changes: { from: 0, to: before.length, insert: value }, selection: { anchor: value.length } });
  }, [value]);

  useEffect(() => {
    let wanted = true;
    const show = (extension: Parameters<typeof slots.current.language.reconfigure>[0]) =>
      wanted && view.current?.dispatch({ effects: slots.current.language.reconfigure(extension) });
    show([]);
    // Without its colours the text can be used as well.
    loadLanguage(language)?.then(show, () => undefined);
    return () => {
      wanted = false;
    };
  }, [language]);

  useEffect(() => {
    view.current?.dispatch({
      effects: slots.current.text.reconfigure([
        EditorState.readOnly.of(readOnly),
        placeholder(props.placeholder ?? ""),
        EditorView.contentAttributes.of({ "aria-label": label, "aria-readonly": `${readOnly}` }),
      ]),
    });
  }, [readOnly, props.placeholder, label]);

  useEffect(() => {
    const gutters = [...(props.lineNumbers ? [lineNumbers()] : []), ...(diagnostics ? [lintGutter()] : [])];
    view.current?.dispatch({ effects: slots.current.lines.reconfigure(gutters) });
  }, [props.lineNumbers, diagnostics !== undefined]);

  useEffect(() => {
    const editor = view.current;
    if (editor) editor.dispatch(setDiagnostics(editor.state, markProblems(editor.state.doc, diagnostics ?? [])));
  }, [diagnostics]);

  return <div className="editor" ref={place} />;
}
