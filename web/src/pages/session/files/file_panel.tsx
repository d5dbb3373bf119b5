/** The file that is shown, in the way that fits it. */

import { downloadAddress } from "../../../api/files.ts";
import { Button } from "../../../parts/button.tsx";
import { Failure, Loading } from "../../../parts/notice.tsx";
import { describeSize } from "../../../parts/when.ts";
import { PartsView } from "./parts_view.tsx";
import { Picture } from "./previews.tsx";
import { TextPanel } from "./text_panel.tsx";
import type { Workspace, WorkspaceState } from "./workspace.ts";

export function FilePanel({ workspace, state, path }: { workspace: Workspace; state: WorkspaceState; path: string }) {
  const file = state.files.get(path);
  const buffer = state.buffers.get(path);
  return (
    <section className="file-panel" aria-label={path}>
      <header className="row">
        <Button className="only-one" look="quiet" onClick={() => workspace.leave()}>← Files</Button>
        <span className="mono clip grow" title={path}>{path}</span>
        {file && file.kind !== "failed" && <span className="faint small">{describeSize(file.size)}</span>}
        <a className="button quiet" href={downloadAddress(workspace.sid, path)} download>Download</a>
        <Button className="only-wide" look="quiet" label="Close the file" onClick={() => workspace.leave()}>✕</Button>
      </header>
      {!file && <Loading />}
      {file?.problem && <Failure problem={file.problem} again={() => void workspace.load(path)} />}
      {file?.kind === "picture" && <Picture sid={workspace.sid} path={path} file={file} />}
      {file?.kind === "parts" && <PartsView key={path} sid={workspace.sid} path={path} file={file} />}
      {file?.kind === "text" && buffer && (
        <TextPanel key={path} workspace={workspace} path={path} buffer={buffer} saving={state.saving.has(path)} />
      )}
    </section>
  );
}
