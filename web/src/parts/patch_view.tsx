/** A patch in colours, file by file; of a long file the rest is shown when asked for. */

import { memo, useMemo, useState } from "react";
import { Button } from "./button.tsx";
import { type FilePatch, type PatchLine, readPatch } from "./patch.ts";
import "./patch_view.css";

/** Lines of a file that are shown at first, and files that are open at first. */
const LINES = 400;
const OPEN = 20;
const SIGNS = { same: " ", added: "+", deleted: "-", note: " " };

interface Given {
  patch: string;
  /** Makes a link of each name. */
  open?: (path: string) => void;
}

export const PatchView = memo(function PatchView({ patch, open }: Given) {
  const { files, remarks } = useMemo(() => readPatch(patch), [patch]);
  return (
    <div className="patch">
      {remarks.map((remark, at) => <p key={at} className="small faint">{remark}</p>)}
      {files.map((file, at) => <FileView key={`${at} ${file.path}`} file={file} open={open} begin={at < OPEN} />)}
    </div>
  );
});

function FileView({ file, open, begin }: { file: FilePatch; open?: (path: string) => void; begin: boolean }) {
  const [shown, setShown] = useState(begin);
  const [all, setAll] = useState(false);
  const { path, from, status } = file;
  const count = file.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  return (
    <details className="patch-file" open={shown} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        <span className="mono clip grow">{from ? `${from} → ${path}` : path}</span>
        {status !== "changed" && <span className={`badge ${LOOKS[status]}`}>{status}</span>}
        {file.binary && <span className="badge">not text</span>}
        <span className="patch-count added" aria-label={`${file.added} lines added`}>+{file.added}</span>
        <span className="patch-count deleted" aria-label={`${file.deleted} lines deleted`}>−{file.deleted}</span>
      </summary>
      {shown && (
        <>
          <div className="patch-lines mono" tabIndex={0} role="region" aria-label={`Changes of ${path}`}>
            <div>{takeLines(file, all ? Infinity : LINES).map((line, at) => <Line key={at} line={line} />)}</div>
          </div>
          <div className="row patch-more">
            {count > LINES && !all && (
              <Button look="quiet" onClick={() => setAll(true)}>Show all {count.toLocaleString("en")} lines</Button>
            )}
            {open && status !== "deleted" && (
              <Button
                look="quiet"
                onClick={() => open(path)}
                aria-label={`Open ${path}`}
              >
                Open the file
              </Button>
            )}
          </div>
        </>
      )}
    </details>
  );
}

const LOOKS = { added: "good", deleted: "bad", renamed: "info", changed: "" };

type Shown = PatchLine | { kind: "gap"; text: string };

/** The lines of all hunks, with a line between hunks. */
function takeLines(file: FilePatch, most: number): Shown[] {
  const lines: Shown[] = [];
  for (const { place, lines: own } of file.hunks) {
    if (lines.length > 0 || place) lines.push({ kind: "gap", text: place });
    for (const line of own) {
      if (lines.length >= most) return lines;
      lines.push(line);
    }
  }
  return lines;
}

function Line({ line }: { line: Shown }) {
  if (line.kind === "gap") return <div className="patch-line gap">⋯ {line.text}</div>;
  return (
    <div className={`patch-line ${line.kind}`}>
      <span className="patch-number" aria-hidden="true">{line.old}</span>
      <span className="patch-number" aria-hidden="true">{line.new}</span>
      <span>{SIGNS[line.kind]}</span>
      <span className="patch-text">{line.text}</span>
    </div>
  );
}
