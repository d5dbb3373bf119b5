/** What is asked before something is made, moved or removed; what goes wrong is said where it was asked. */

import { type FormEvent, useState } from "react";
import type { Problem } from "../../../api/client.ts";
import { asProblem } from "../../../api/use_ask.ts";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { Failure } from "../../../parts/notice.tsx";
import { cleanPath } from "./paths.ts";

interface PathGiven {
  title: string;
  /** What the button says. */
  verb: string;
  value: string;
  hint: string;
  act(path: string): Promise<void>;
  close(): void;
}

/** Asks for a path. */
export function PathQuestion({ title, verb, value, hint, act, close }: PathGiven) {
  const [path, setPath] = useState(value);
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const wanted = cleanPath(path);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    act(wanted).then(close, (error) => {
      setProblem(asProblem(error));
      setBusy(false);
    });
  };
  return (
    <Dialog title={title} close={close}>
      <form onSubmit={submit}>
        <label className="field">
          <span>{hint}</span>
          <input
            autoFocus
            className="mono"
            spellCheck={false}
            autoComplete="off"
            value={path}
            onChange={(event) => setPath(event.target.value)}
            onFocus={({ currentTarget }) => {
              const begin = value.lastIndexOf("/") + 1;
              const dot = value.lastIndexOf(".");
              currentTarget.setSelectionRange(begin, dot > begin ? dot : value.length);
            }}
          />
        </label>
        {problem && <Failure problem={problem} />}
        <div className="actions">
          <Button onClick={close}>Cancel</Button>
          <Button look="main" type="submit" disabled={busy || !wanted || (wanted === value && verb !== "Create")}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface RemoveGiven {
  path: string;
  folder: boolean;
  /** Texts below it that are not saved. */
  unsaved: number;
  act(): Promise<void>;
  close(): void;
}

export function RemoveQuestion({ path, folder, unsaved, act, close }: RemoveGiven) {
  const [problem, setProblem] = useState<Problem>();
  return (
    <Dialog title={folder ? "Delete the folder" : "Delete the file"} close={close}>
      <p className="question-text">
        <code>{path}</code> {folder ? "and all that is in it" : ""} will be gone for good.
        {unsaved > 0 && ` ${unsaved === 1 ? "A text" : `${unsaved} texts`} there with changes that are not saved, too.`}
      </p>
      {problem && <Failure problem={problem} />}
      <div className="actions">
        <Button onClick={close} autoFocus>Cancel</Button>
        <Button look="danger" onClick={() => act().then(close, (error) => setProblem(asProblem(error)))}>Delete</Button>
      </div>
    </Dialog>
  );
}
