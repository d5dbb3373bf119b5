/** What an editor is given. */

import type { Complete } from "./completion.ts";

export interface Diagnostic {
  /** From 1. */
  line: number;
  /** From 1; without one, it is about the whole line. */
  column?: number | null;
  message: string;
  severity?: "error" | "warning" | "info";
}

export interface EditorProps {
  value: string;
  /** A name of languages.ts; any other is plain text. */
  language: string;
  onChange?(value: string): void;
  /** Ctrl+Enter, or Cmd+Enter. */
  onSubmit?(): void;
  /** What may stand at the cursor: asked while one types, and by Ctrl+Space. */
  complete?: Complete;
  readOnly?: boolean;
  diagnostics?: readonly Diagnostic[];
  /** Its name for those who do not see it. */
  label: string;
  placeholder?: string;
  autoFocus?: boolean;
  lineNumbers?: boolean;
  /** An arrow key that would leave the text: true if something else has been done. */
  onEdge?(direction: "up" | "down"): boolean;
}
