/** How a run stands: in words, and as a bar while files are loaded. */

import type { RunView } from "../code_run.ts";

export function RunStatus({ view: { status, progress } }: { view: RunView }) {
  return (
    <span className="play-status row">
      <span role="status" aria-label="Run" className="small">{status}</span>
      {progress && <progress aria-label="Loaded" value={progress.done} max={progress.total} />}
    </span>
  );
}
