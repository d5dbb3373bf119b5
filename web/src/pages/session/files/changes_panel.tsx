/** What has changed in the workspace: in the whole session, or by one action. */

import { useEffect } from "react";
import { showDiff } from "../../../api/files.ts";
import { useAsk } from "../../../api/use_ask.ts";
import type { Card } from "../../../events/cards.ts";
import type { SessionStore } from "../../../events/session_store.ts";
import { valueAt } from "../../../events/wire.ts";
import { Button } from "../../../parts/button.tsx";
import { Empty, Failure, Loading } from "../../../parts/notice.tsx";
import { PatchView } from "../../../parts/patch_view.tsx";
import type { Workspace, WorkspaceState } from "./workspace.ts";

/** Actions that are offered. */
const OFFERED = 100;

interface Given {
  workspace: Workspace;
  state: WorkspaceState;
  store: SessionStore;
  event?: number;
}

export function ChangesPanel({ workspace, state, store, event }: Given) {
  const diff = useAsk(`diff ${workspace.sid} ${event ?? ""}`, (signal) => showDiff(workspace.sid, event, signal));
  const { value: shown, problem, again } = diff;
  useEffect(() => {
    // What an action has changed stays as it is.
    if (event === undefined) again();
  }, [state.round, again]);
  return (
    <section className="file-panel" aria-label="Changes">
      <header className="row">
        <Button className="only-one" look="quiet" onClick={() => workspace.leave()}>← Files</Button>
        <select
          className="grow clip"
          aria-label="Changes of"
          value={event ?? ""}
          onChange={({ target }) => workspace.showChanges(target.value === "" ? undefined : Number(target.value))}
        >
          <option value="">since the session began</option>
          {listActions(store).map((card) => (
            <option key={card.id} value={card.id}>#{card.id} {card.event.message}</option>
          ))}
        </select>
        <Button className="only-wide" look="quiet" label="Close the changes" onClick={() => workspace.leave()}>
          ✕
        </Button>
      </header>
      <div className="changes">
        {problem && <Failure problem={problem} again={again} />}
        {!shown && !problem && <Loading />}
        {shown && !shown.patch && <Empty title="Nothing has changed" />}
        {shown?.patch && <PatchView patch={shown.patch} open={(path) => void workspace.show(path)} />}
      </div>
    </section>
  );
}

/** The latest actions of which it is known that they changed files. */
function listActions(store: SessionStore): Card[] {
  const changed = ({ answer }: Card) => {
    const files = valueAt(answer, "cloche", "changes", "files");
    return typeof files === "number" ? files > 0 : answer?.observation === "edit";
  };
  return store.present.cards.filter(changed).slice(-OFFERED).reverse();
}
