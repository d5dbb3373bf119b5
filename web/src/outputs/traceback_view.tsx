/** How code failed: what and where at a glance, the user's own lines, and those of libraries when one asks. */

import { useMemo, useState } from "react";
import { AnsiText } from "./ansi_text.tsx";
import { type Failure, type Section, splitTraceback } from "./traceback.ts";
import "./traceback.css";

export function TracebackView({ failure: { type, message, line, traceback } }: { failure: Failure }) {
  const sections = useMemo(() => splitTraceback(traceback), [traceback]);
  return (
    <div className="traceback">
      <p className="traceback-head">
        <strong>{type}</strong>
        {message && <span>: {message.length > 2000 ? `${message.slice(0, 2000)}…` : message}</span>}
        {line !== undefined && <span className="faint">, line {line}</span>}
      </p>
      {sections.map((section, at) => <SectionView key={at} section={section} />)}
    </div>
  );
}

function SectionView({ section: { kind, text, frames } }: { section: Section }) {
  const [open, setOpen] = useState(false);
  if (kind !== "library") return <AnsiText className={`traceback-${kind}`} text={text} />;
  const words = `${frames} ${frames === 1 ? "frame" : "frames"} of libraries`;
  return (
    <>
      <button type="button" className="traceback-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span aria-hidden="true">{open ? "▾" : "▸"}</span> {words}
      </button>
      {open && <AnsiText className="traceback-library" text={text} />}
    </>
  );
}
