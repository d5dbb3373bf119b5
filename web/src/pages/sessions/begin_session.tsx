/** A new session: what it is called, where it runs, what it begins with. */

import { type FormEvent, useState } from "react";
import type { Problem } from "../../api/client.ts";
import { beginSession, listChoices } from "../../api/sessions.ts";
import type { SessionView } from "../../api/types.ts";
import { asProblem, useAsk } from "../../api/use_ask.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Failure } from "../../parts/notice.tsx";
import { type ChoicesOfForm, keepLastChoices, readLastChoices } from "./last_choices.ts";

const FIELDS = ["title", "runtime", "repository", "branch", "agent", "model", "initial_message"] as const;

export function BeginSession({ close, begun }: { close(): void; begun(session: SessionView): void }) {
  const choices = useAsk("choices", listChoices);
  const [last, setLast] = useState(readLastChoices);
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const begin = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const filled = FIELDS.map((name) => [name, String(form.get(name) ?? "").trim()]).filter(([, value]) => value);
    const given: Record<string, string> = Object.fromEntries(filled);
    setBusy(true);
    try {
      const session = await beginSession(given);
      keepLastChoices(given);
      begun(session);
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  const { runtimes = [], agents = [], models = [], defaults } = choices.value ?? {};
  // Fields that begin anew when what they begin with is known, or forgotten; what was typed into others stays.
  const kept = JSON.stringify(last);
  const offered = `${kept} ${choices.value !== undefined}`;
  return (
    <Dialog title="New session" close={close}>
      <form onSubmit={begin} className="begin">
        <label className="field all">
          <span>Title</span>
          <input name="title" autoFocus maxLength={200} placeholder="by itself, from the first message" />
        </label>
        <Choice
          key={`runtime ${offered}`}
          name="runtime"
          label="Runtime"
          options={runtimes}
          usual={defaults?.runtime}
          last={last}
        />
        <Choice
          key={`agent ${offered}`}
          name="agent"
          label="Agent"
          options={agents}
          usual={defaults?.agent}
          last={last}
        />
        <label className="field">
          <span>Repository</span>
          <input
            key={kept}
            name="repository"
            defaultValue={last["repository"]}
            placeholder="owner/name, an address or a folder"
          />
        </label>
        <label className="field">
          <span>Branch</span>
          <input key={kept} name="branch" defaultValue={last["branch"]} placeholder="its usual one" />
        </label>
        {models.length > 0 && (
          <Choice
            key={`model ${offered}`}
            name="model"
            label="Model"
            options={models.map(({ name }) => name).filter(Boolean)}
            usual={defaults?.model ?? "none"}
            last={last}
          />
        )}
        <label className="field all">
          <span>First message to the agent</span>
          <textarea name="initial_message" rows={3} placeholder="none: you work in the session yourself" />
        </label>
        {problem && <Failure problem={problem} />}
        {choices.problem && <Failure problem={choices.problem} again={choices.again} />}
        <div className="actions all">
          {Object.keys(last).length > 0 && (
            <Button look="quiet" className="from-left" onClick={() => setLast({})}>Forget the last choices</Button>
          )}
          <Button onClick={close}>Cancel</Button>
          <Button look="main" type="submit" disabled={busy}>{busy ? "Beginning …" : "Begin"}</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Choice(
  { name, label, options, usual, last }: {
    name: string;
    label: string;
    options: string[];
    usual?: string | null;
    last: ChoicesOfForm;
  },
) {
  return (
    <label className="field">
      <span>{label}</span>
      <select name={name} defaultValue={options.includes(last[name] ?? "") ? last[name] : ""}>
        <option value="">{usual ? `${usual} (as configured)` : "as configured"}</option>
        {options.filter((each) => each !== usual).map((each) => <option key={each}>{each}</option>)}
      </select>
    </label>
  );
}
