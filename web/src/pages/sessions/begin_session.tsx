/** A new session: what it is called, where it runs, what it begins with. */

import { type FormEvent, useState } from "react";
import type { Problem } from "../../api/client.ts";
import { beginSession, listChoices } from "../../api/sessions.ts";
import type { SessionView } from "../../api/types.ts";
import { asProblem, useAsk } from "../../api/use_ask.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Failure } from "../../parts/notice.tsx";

const FIELDS = ["title", "runtime", "repository", "branch", "agent", "model", "initial_message"] as const;

export function BeginSession({ close, begun }: { close(): void; begun(session: SessionView): void }) {
  const choices = useAsk("choices", listChoices);
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const begin = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const given = FIELDS.map((name) => [name, String(form.get(name) ?? "").trim()]).filter(([, value]) => value);
    setBusy(true);
    try {
      begun(await beginSession(Object.fromEntries(given)));
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  const { runtimes = [], agents = [], models = [], defaults } = choices.value ?? {};
  return (
    <Dialog title="New session" close={close}>
      <form onSubmit={begin} className="begin">
        <label className="field all">
          <span>Title</span>
          <input name="title" autoFocus maxLength={200} placeholder="by itself, from the first message" />
        </label>
        <Choice name="runtime" label="Runtime" options={runtimes} usual={defaults?.runtime} />
        <Choice name="agent" label="Agent" options={agents} usual={defaults?.agent} />
        <label className="field">
          <span>Repository</span>
          <input name="repository" placeholder="owner/name, an address or a folder" />
        </label>
        <label className="field">
          <span>Branch</span>
          <input name="branch" placeholder="its usual one" />
        </label>
        {models.length > 0 && (
          <Choice
            name="model"
            label="Model"
            options={models.map(({ name }) => name).filter(Boolean)}
            usual={defaults?.model ?? "none"}
          />
        )}
        <label className="field all">
          <span>First message to the agent</span>
          <textarea name="initial_message" rows={3} placeholder="none: you work in the session yourself" />
        </label>
        {problem && <Failure problem={problem} />}
        {choices.problem && <Failure problem={choices.problem} again={choices.again} />}
        <div className="actions all">
          <Button onClick={close}>Cancel</Button>
          <Button look="main" type="submit" disabled={busy}>{busy ? "Beginning …" : "Begin"}</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Choice(
  { name, label, options, usual }: { name: string; label: string; options: string[]; usual?: string | null },
) {
  return (
    <label className="field">
      <span>{label}</span>
      <select name={name}>
        <option value="">{usual ? `${usual} (as configured)` : "as configured"}</option>
        {options.filter((each) => each !== usual).map((each) => <option key={each}>{each}</option>)}
      </select>
    </label>
  );
}
