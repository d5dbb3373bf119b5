/** Bringing files in: what is asked before, how far it is, what was refused and why. */

import { useEffect, useRef, useState } from "react";
import type { Problem } from "../../../api/client.ts";
import { type SentFile, type UploadChoice, uploadFiles } from "../../../api/files.ts";
import type { UploadReport } from "../../../api/types.ts";
import { asProblem } from "../../../api/use_ask.ts";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { Failure } from "../../../parts/notice.tsx";
import { describeSize } from "../../../parts/when.ts";

export interface Upload {
  folder: string;
  files: readonly SentFile[];
  /** Names that are there already. */
  there: readonly string[];
}

const isArchive = ({ name }: SentFile) => name.toLowerCase().endsWith(".zip");

interface Given {
  sid: string;
  upload: Upload;
  done(): void;
  close(): void;
}

/** Sends the files at once, unless there is something to choose first. */
export function UploadPanel({ sid, upload, done, close }: Given) {
  const [choice, setChoice] = useState<UploadChoice | undefined>(
    upload.there.length > 0 || upload.files.some(isArchive) ? undefined : { unpack: false, overwrite: false },
  );
  if (!choice) return <Choose upload={upload} choose={setChoice} close={close} />;
  return <Sending sid={sid} upload={upload} choice={choice} done={done} close={close} />;
}

function Choose({ upload, choose, close }: { upload: Upload; choose(choice: UploadChoice): void; close(): void }) {
  const archives = upload.files.filter(isArchive).length;
  const { there } = upload;
  const [unpack, setUnpack] = useState(false);
  const [overwrite, setOverwrite] = useState(false);
  return (
    <Dialog title="Upload" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          choose({ unpack, overwrite });
        }}
      >
        {archives > 0 && (
          <label className="row">
            <input type="checkbox" checked={unpack} onChange={({ target }) => setUnpack(target.checked)} />
            Unpack {archives === 1 ? "the zip archive" : `${archives} zip archives`}
          </label>
        )}
        <label className="row">
          <input type="checkbox" checked={overwrite} onChange={({ target }) => setOverwrite(target.checked)} />
          {there.length > 0
            ? `Replace ${there.length === 1 ? there[0] : `${there.length} files that are there`}`
            : "Replace files that are there"}
        </label>
        <div className="actions">
          <Button onClick={close}>Cancel</Button>
          <Button look="main" type="submit" autoFocus>Upload</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Sending({ sid, upload, choice, done, close }: Given & { choice: UploadChoice }) {
  const [part, setPart] = useState(0);
  const [report, setReport] = useState<UploadReport>();
  const [problem, setProblem] = useState<Problem>();
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => {
    if (leaving.current) return;
    const giving = new AbortController();
    leaving.current = giving;
    uploadFiles(sid, upload.folder, upload.files, choice, setPart, giving.signal).then(
      (told) => {
        setReport(told);
        done();
        if (told.refused.length === 0) close();
      },
      (error) => setProblem(asProblem(error)),
    );
    // It goes on when the tab is left: only the button ends it.
  }, []);
  const bytes = upload.files.reduce((sum, { file }) => sum + file.size, 0);
  const count = `${upload.files.length} ${upload.files.length === 1 ? "file" : "files"}`;
  return (
    <div className="upload" role="status" aria-label="Upload">
      <div className="row small">
        {!report && !problem && (
          <>
            <progress value={part} max={1} aria-label="Sent" />
            <span className="grow">
              {part < 1 ? `Uploading ${count}, ${describeSize(bytes)}` : "The server takes them in …"}
            </span>
            <Button look="quiet" onClick={() => leaving.current?.abort()}>Give up</Button>
          </>
        )}
        {report && (
          <>
            <span className="grow">
              {report.uploaded.length} brought in, <strong>{report.refused.length} refused</strong>:
            </span>
            <Button look="quiet" label="Close the list" onClick={close}>✕</Button>
          </>
        )}
        {problem && <Button look="quiet" label="Close the upload" onClick={close}>✕</Button>}
      </div>
      {problem && <Failure problem={problem} />}
      {report && (
        <ul className="refused small">
          {report.refused.map(({ name, reason }, at) => (
            <li key={at}>
              <span className="mono">{name}</span>: {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
