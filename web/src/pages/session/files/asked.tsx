/** The questions of the tab, and what is done when they are answered. */

import { makeFolder, moveFile, removeFile } from "../../../api/files.ts";
import { isChanged } from "./buffer.ts";
import { folderOf, isBelow, nameOf } from "./paths.ts";
import { PathQuestion, RemoveQuestion } from "./questions.tsx";
import type { Workspace, WorkspaceState } from "./workspace.ts";

export interface Question {
  kind: "file" | "folder" | "move" | "remove";
  path: string;
}

interface AskedGiven {
  workspace: Workspace;
  state: WorkspaceState;
  question: Question;
  close(): void;
}

export function Asked({ workspace, state, question: { kind, path }, close }: AskedGiven) {
  const { sid } = workspace;
  if (kind === "remove") {
    const folder = isFolder(state, path);
    const unsaved = [...state.buffers].filter(([each, buffer]) => isBelow(each, path) && isChanged(buffer)).length;
    const remove = () => removeFile(sid, path, folder).then(() => workspace.removed(path));
    return <RemoveQuestion path={path} folder={folder} unsaved={unsaved} act={remove} close={close} />;
  }
  if (kind === "move") {
    const move = (to: string) => moveFile(sid, path, to).then(() => workspace.moved(path, to));
    const hint = "Path in the workspace: another folder moves it";
    return (
      <PathQuestion title={`Rename ${nameOf(path)}`} verb="Rename" value={path} hint={hint} act={move} close={close} />
    );
  }
  const create = kind === "file"
    ? (to: string) => workspace.create(to)
    : (to: string) => makeFolder(sid, to).then(() => workspace.refresh()).then(() => workspace.focus(to));
  return (
    <PathQuestion
      title={kind === "file" ? "New file" : "New folder"}
      verb="Create"
      value={path ? `${path}/` : ""}
      hint="Path in the workspace: folders that are not there are made"
      act={create}
      close={close}
    />
  );
}

function isFolder(state: WorkspaceState, path: string): boolean {
  return state.folders.get(folderOf(path))?.entries.find((entry) => entry.path === path)?.kind === "dir";
}
