/** Code or text that an action was given: in colours, folded if it is long, to be copied. */

import { type ReactNode, useMemo } from "react";
import { Code } from "../../../editor/code.tsx";
import { CopyButton } from "../../../parts/copy_button.tsx";
import { foldText } from "./fold.ts";

interface GivenProps {
  text: string;
  language: string;
  open: boolean;
  setOpen(open: boolean): void;
  /** What stands before it, such as a prompt. */
  prompt?: ReactNode;
  what?: string;
}

export function Given({ text, language, open, setOpen, prompt, what = "the code" }: GivenProps) {
  const folded = useMemo(() => foldText(text), [text]);
  return (
    <div className="card-part given with-copy" data-open={folded !== undefined && open}>
      {prompt}
      <div className="grow">
        <Code text={folded && !open ? folded.head.replace(/\n$/, "") : text} language={language} />
        {folded && !open && (
          <button type="button" className="fold" onClick={() => setOpen(true)}>
            show {(folded.left + folded.tail.split("\n").length).toLocaleString("en")} more lines
          </button>
        )}
      </div>
      <CopyButton text={() => text} what={what} />
    </div>
  );
}
