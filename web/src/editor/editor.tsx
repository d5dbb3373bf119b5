/** An editor for code, loaded when it is first shown: until then the text is there, and can be read. */

import { lazy, Suspense } from "react";
import type { EditorProps } from "./props.ts";
import "./editor.css";

const CodeMirror = lazy(() => import("./code_mirror.tsx"));

export function Editor(props: EditorProps) {
  return (
    <Suspense fallback={<pre className="editor-loading">{props.value || props.placeholder}</pre>}>
      <CodeMirror {...props} />
    </Suspense>
  );
}
