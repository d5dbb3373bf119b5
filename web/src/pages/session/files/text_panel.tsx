/** A text: edited, saved by Ctrl+S, seen as what it means; beside what others have made of it meanwhile. */

import { lazy, Suspense, useState } from "react";
import type { Problem } from "../../../api/client.ts";
import { asProblem } from "../../../api/use_ask.ts";
import { Editor } from "../../../editor/editor.tsx";
import { nameLanguage } from "../../../editor/languages.ts";
import { Button } from "../../../parts/button.tsx";
import { Failure, Loading } from "../../../parts/notice.tsx";
import { type Buffer, isChanged, keepMine, takeTheirs } from "./buffer.ts";
import { previewOf } from "./kinds.ts";
import { nameOf } from "./paths.ts";
import { PictureOf, TableOf } from "./previews.tsx";
import type { Workspace } from "./workspace.ts";

const Difference = lazy(() => import("./difference.tsx"));
const Markdown = lazy(() => import("../../../outputs/markdown.tsx"));

interface Given {
  workspace: Workspace;
  path: string;
  buffer: Buffer;
  saving: boolean;
}

export function TextPanel({ workspace, path, buffer, saving }: Given) {
  const kind = previewOf(path);
  const [preview, setPreview] = useState(kind !== undefined);
  const [problem, setProblem] = useState<Problem>();
  const changed = isChanged(buffer);
  const save = () => workspace.save(path).then(() => setProblem(undefined), (error) => setProblem(asProblem(error)));
  const reset = () => workspace.change(path, (now) => ({ ...now, text: now.base.text }));
  return (
    <div
      className="text-panel"
      onKeyDown={(event) => {
        if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
        event.preventDefault();
        if (changed && buffer.theirs === undefined) void save();
      }}
    >
      <div className="row small">
        <span role="status" className={changed ? "unsaved" : "faint"}>
          {saving ? "Saving …" : changed ? "Not saved" : "Saved"}
        </span>
        {buffer.ends === "\r\n" && <span className="faint" title="Its lines end with \r\n, and stay so">CRLF</span>}
        {buffer.mixed && <span className="faint">different line ends: saving makes them one kind</span>}
        <span className="grow" />
        {kind && (
          <Button look="quiet" onClick={() => setPreview(!preview)}>
            {preview ? "Edit" : "Preview"}
          </Button>
        )}
        {changed && buffer.theirs === undefined && <Button look="quiet" onClick={reset}>Undo all</Button>}
        <Button
          look={changed ? "main" : "plain"}
          disabled={!changed || saving || buffer.theirs !== undefined}
          onClick={save}
          title="Ctrl+S"
        >
          Save
        </Button>
      </div>
      {problem && <Failure problem={problem} again={save} />}
      {buffer.theirs !== undefined
        ? <Conflict workspace={workspace} path={path} buffer={buffer} save={save} />
        : preview && kind
        ? <Preview kind={kind} text={buffer.text} path={path} />
        : (
          <div className="file-editor">
            <Editor
              key={path}
              label={`Text of ${nameOf(path)}`}
              value={buffer.text}
              language={nameLanguage(path)}
              lineNumbers
              onChange={(text) => workspace.type(path, text)}
            />
          </div>
        )}
    </div>
  );
}

function Preview({ kind, text, path }: { kind: "table" | "markdown" | "picture"; text: string; path: string }) {
  if (kind === "table") return <TableOf text={text} path={path} />;
  if (kind === "picture") return <PictureOf data={text} path={path} />;
  return (
    <div className="file-markdown" tabIndex={0} role="region" aria-label="Preview">
      <Suspense fallback={<Loading />}>
        <Markdown source={text} />
      </Suspense>
    </div>
  );
}

/** Both texts, until one chooses: theirs is in the file, and one's own is here. */
function Conflict({ workspace, path, buffer, save }: Omit<Given, "saving"> & { save(): Promise<void> }) {
  const { theirs } = buffer;
  const mine = () => {
    workspace.change(path, keepMine);
    void save();
  };
  const drop = () => {
    if (theirs) workspace.change(path, takeTheirs);
    else {
      workspace.leave();
      workspace.forget(path);
    }
  };
  return (
    <div className="conflict">
      <div className="conflict-head" role="alert">
        <span>
          {theirs
            ? "The file was changed while you were editing it. Both versions are kept until you choose."
            : "The file was removed. Your text is kept here until you choose."}
        </span>
        <div className="row">
          <Button look="main" onClick={mine}>{theirs ? "Save mine" : "Save it again"}</Button>
          <Button look="danger" onClick={drop}>{theirs ? "Take theirs" : "Drop my text"}</Button>
        </div>
      </div>
      <Suspense fallback={<Loading />}>
        <Difference
          key={theirs?.etag ?? ""}
          theirs={theirs?.text ?? ""}
          mine={buffer.text}
          language={nameLanguage(path)}
          onChange={(text) => workspace.type(path, text)}
        />
      </Suspense>
    </div>
  );
}
