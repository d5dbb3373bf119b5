/** What one can do with files: buttons above the tree, a menu for the one in focus, commands of the palette. */

import { useRef } from "react";
import { downloadAddress, type SentFile, zipAddress } from "../../../api/files.ts";
import type { FileView } from "../../../api/types.ts";
import { useOwnCommands } from "../../../frame/commands.ts";
import { Button } from "../../../parts/button.tsx";
import { Menu } from "../../../parts/menu.tsx";
import type { Question } from "./asked.tsx";
import type { Workspace, WorkspaceState } from "./workspace.ts";

interface Given {
  workspace: Workspace;
  state: WorkspaceState;
  focused: FileView | undefined;
  /** Where new files go. */
  folder: string;
  ask(kind: Question["kind"], path: string): void;
  upload(files: readonly SentFile[], folder: string): void;
}

export function FilesBar({ workspace, state, focused, folder, ask, upload }: Given) {
  const chooser = useRef<HTMLInputElement>(null);
  const choose = () => chooser.current?.click();
  useOwnCommands("Files", [
    { label: "New file", act: () => ask("file", folder) },
    { label: "New folder", act: () => ask("folder", folder) },
    { label: "Upload files", act: choose },
    { label: "Show what has changed", act: () => workspace.showChanges() },
    { label: "Download the workspace as zip", act: () => download(zipAddress(workspace.sid, "")) },
  ]);
  return (
    <div className="row files-bar">
      <Button look="quiet" onClick={() => ask("file", folder)} label="New file">+ File</Button>
      <Button look="quiet" onClick={() => ask("folder", folder)} label="New folder">+ Folder</Button>
      <Button look="quiet" onClick={choose}>Upload</Button>
      <Button
        look="quiet"
        aria-pressed={state.view.kind === "changes"}
        onClick={() => (state.view.kind === "changes" ? workspace.leave() : workspace.showChanges())}
      >
        Changes
      </Button>
      <span className="grow" />
      <More workspace={workspace} focused={focused} ask={ask} />
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ target }) => {
          upload([...target.files ?? []].map((file) => ({ name: file.name, file })), folder);
          target.value = "";
        }}
      />
    </div>
  );
}

function More({ workspace, focused, ask }: Pick<Given, "workspace" | "focused" | "ask">) {
  const { sid } = workspace;
  const path = focused?.path ?? "";
  const isFolder = focused?.kind === "dir";
  return (
    <Menu
      label={focused ? `More for ${path}` : "More"}
      items={[
        { label: "Rename or move", disabled: !focused, act: () => ask("move", path) },
        { label: "Delete", look: "danger", disabled: !focused, act: () => ask("remove", path) },
        {
          label: isFolder ? "Download folder as zip" : "Download file",
          disabled: !focused,
          act: () => download(isFolder ? zipAddress(sid, path) : downloadAddress(sid, path)),
        },
        { label: "Download all as zip", act: () => download(zipAddress(sid, "")) },
        { label: "Look again", act: () => void workspace.refresh() },
      ]}
    >
      ⋯
    </Menu>
  );
}

function download(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}
