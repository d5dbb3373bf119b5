/** What an action has changed in the files: how much, and the patch when one wants to see it. */

import { useState } from "react";
import { ask } from "../../../api/client.ts";
import type { Diff } from "../../../api/types.ts";
import { useAsk } from "../../../api/use_ask.ts";
import { valueAt, type WireEvent } from "../../../events/wire.ts";
import { Failure, Loading } from "../../../parts/notice.tsx";
import { PatchView } from "../../../parts/patch_view.tsx";

/** `shown` says that the card shows the changes already, unless more than one file has changed. */
export function Changes({ sid, answer, shown }: { sid: string; answer: WireEvent; shown: boolean }) {
  const [open, setOpen] = useState(false);
  const [files, added, deleted] = ["files", "added", "deleted"].map((key) =>
    Number(valueAt(answer, "cloche", "changes", key) ?? 0)
  );
  if (!files || (shown && files === 1)) return null;
  return (
    <div className="card-part changes">
      <button type="button" className="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        {files === 1 ? "1 file" : `${files.toLocaleString("en")} files`} changed <span className="added">+{added}</span>
        {" "}
        <span className="deleted">−{deleted}</span>
      </button>
      {open && <ActionDiff sid={sid} id={answer.id} />}
    </div>
  );
}

function ActionDiff({ sid, id }: { sid: string; id: number }) {
  const diff = useAsk(`diff ${sid} ${id}`, (signal) => ask<Diff>(`/sessions/${sid}/events/${id}/diff`, { signal }));
  if (diff.problem) return <Failure problem={diff.problem} again={diff.again} />;
  return diff.value ? <PatchView patch={diff.value.patch} /> : <Loading what="Loading the changes" />;
}
