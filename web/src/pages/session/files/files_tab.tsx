/** The files of a session: a tree, and beside it the file that one looks at. */

import { type DragEvent, useState } from "react";
import { useStore } from "zustand";
import type { SentFile } from "../../../api/files.ts";
import type { SessionStore } from "../../../events/session_store.ts";
import { Empty, Failure, Loading } from "../../../parts/notice.tsx";
import { Asked, type Question } from "./asked.tsx";
import { ChangesPanel } from "./changes_panel.tsx";
import { readDropped } from "./dropped.ts";
import { FilePanel } from "./file_panel.tsx";
import { FilesBar } from "./files_bar.tsx";
import { useFollowing } from "./follow_changes.ts";
import { folderOf, joinPath } from "./paths.ts";
import { Tree } from "./tree.tsx";
import { type Upload, UploadPanel } from "./upload.tsx";
import { findWorkspace, type Workspace, type WorkspaceState } from "./workspace.ts";
import "./files.css";

export default function FilesTab({ store }: { store: SessionStore }) {
  const workspace = findWorkspace(store.sid);
  const state = useStore(workspace.store);
  const [question, setQuestion] = useState<Question>();
  const [uploads, setUploads] = useState<(Upload & { id: number })[]>([]);
  const [over, setOver] = useState<string>();
  useFollowing(store, workspace);

  const focused = findEntry(state);
  const folder = focused?.kind === "dir" ? focused.path : folderOf(focused?.path ?? "");
  const upload = (files: readonly SentFile[], to: string) => {
    const known = new Set(state.folders.get(to)?.entries.map(({ path }) => path));
    const there = files.map(({ name }) => name).filter((name) => known.has(joinPath(to, name)));
    if (files.length > 0) setUploads((all) => [...all, { id: Date.now(), folder: to, files, there }]);
  };
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    const to = dropFolder(event);
    setOver(undefined);
    upload(await readDropped(event.dataTransfer.items), to);
  };
  const ask = (kind: Question["kind"], path: string) => setQuestion({ kind, path });
  return (
    <div
      className={`files ${state.view.kind === "none" ? "" : "with-file"}`}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(dropFolder(event));
      }}
      onDragLeave={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && setOver(undefined)}
      onDrop={drop}
    >
      <section className="files-tree" aria-label="Files">
        <FilesBar workspace={workspace} state={state} focused={focused} folder={folder} ask={ask} upload={upload} />
        {uploads.map((each) => (
          <UploadPanel
            key={each.id}
            sid={store.sid}
            upload={each}
            done={() => void workspace.refresh()}
            close={() => setUploads((all) => all.filter(({ id }) => id !== each.id))}
          />
        ))}
        <Contents workspace={workspace} state={state} ask={ask} />
        {over !== undefined && <p className="drop-hint" aria-hidden="true">Drop into {over || "the workspace"}</p>}
      </section>
      {state.view.kind === "file" && <FilePanel workspace={workspace} state={state} path={state.view.path} />}
      {state.view.kind === "changes" && (
        <ChangesPanel workspace={workspace} state={state} store={store} event={state.view.event} />
      )}
      {question && (
        <Asked
          workspace={workspace}
          state={state}
          question={question}
          close={() => setQuestion(undefined)}
        />
      )}
    </div>
  );
}

interface ContentsGiven {
  workspace: Workspace;
  state: WorkspaceState;
  ask(kind: Question["kind"], path: string): void;
}

function Contents({ workspace, state, ask }: ContentsGiven) {
  const root = state.folders.get("");
  const failure = state.problem && <Failure problem={state.problem} again={() => void workspace.refresh()} />;
  if (!root) return failure ?? <Loading />;
  if (root.entries.length === 0) {
    return (
      <Empty title="The workspace is empty">
        <p>
          Make a file, drop files here or upload them, or let a command or the agent write some: what is in{" "}
          <code>/workspace</code> shows here.
        </p>
      </Empty>
    );
  }
  return (
    <>
      {failure}
      <Tree
        workspace={workspace}
        state={state}
        rename={(path) => ask("move", path)}
        remove={(path) => ask("remove", path)}
      />
    </>
  );
}

function findEntry(state: WorkspaceState) {
  return state.folders.get(folderOf(state.focused))?.entries.find(({ path }) => path === state.focused);
}

/** The folder under the pointer. */
function dropFolder(event: DragEvent): string {
  const row = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-path]") : null;
  const path = row?.dataset["path"] ?? "";
  return row?.dataset["kind"] === "dir" ? path : folderOf(path);
}
