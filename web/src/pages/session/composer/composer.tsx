/** Where one types: a message for the agent, a command, or code in any language. */

import { type FormEvent, useState } from "react";
import { ask } from "../../../api/client.ts";
import type { Problem } from "../../../api/client.ts";
import { listChoices, sendAction, sendMessage } from "../../../api/sessions.ts";
import type { Choices, Completion, SessionView } from "../../../api/types.ts";
import { asProblem, useAsk } from "../../../api/use_ask.ts";
import type { Complete } from "../../../editor/completion.ts";
import { Editor } from "../../../editor/editor.tsx";
import { type SessionStore, useSessionPart } from "../../../events/session_store.ts";
import { Button } from "../../../parts/button.tsx";
import { Failure } from "../../../parts/notice.tsx";
import { makeAction, MESSAGE } from "./actions.ts";
import { InputLine } from "./input_line.tsx";
import { recall, remember } from "./remembered.ts";
import { useHistory } from "./use_history.ts";

export function Composer({ store, view }: { store: SessionStore; view?: SessionView }) {
  const { sid } = store;
  const choices = useAsk("choices", listChoices);
  const status = useSessionPart(store, (state) => state.status);
  const openCommand = useSessionPart(store, (state) => state.open);
  const [chosen, setChosen] = useState(() => recall("kind"));
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const history = useHistory(store);
  const kinds = [...(choices.value?.languages ?? ["bash", "python"])].sort(byUse);
  const hasModel = canTalk(choices.value, view);
  const usual = hasModel && !recall("kind") ? MESSAGE : "bash";
  const kind = (chosen === MESSAGE ? hasModel : kinds.includes(chosen)) ? chosen : usual;

  const choose = (wanted: string) => {
    setChosen(wanted);
    remember("kind", wanted);
  };
  const send = async (event?: FormEvent) => {
    event?.preventDefault();
    if (!text.trim() || busy) return;
    setBusy(true);
    try {
      await (kind === MESSAGE ? sendMessage(sid, text) : sendAction(sid, makeAction(kind, text)));
      setText("");
      history.leave();
      setProblem(undefined);
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const complete: Complete = (code, cursor, signal) =>
    ask<Completion>(`/sessions/${sid}/complete`, { body: { code, cursor, language: kind }, signal });
  const callBack = (direction: "up" | "down") => {
    const found = history.step(direction, { kind, text });
    if (!found) return false;
    if (found.kind !== MESSAGE || hasModel) setChosen(found.kind);
    setText(found.text);
    return true;
  };

  return (
    <form className="composer" onSubmit={send}>
      {openCommand && <InputLine sid={sid} command={openCommand} />}
      {problem && <Failure problem={problem} />}
      <Editor
        value={text}
        language={kind === MESSAGE ? "markdown" : kind}
        label={kind === MESSAGE ? "Message to the agent" : `Code in ${kind}`}
        placeholder={kind === MESSAGE ? "What should the agent do?" : `${kind}: Ctrl+Enter runs it`}
        onChange={(value) => {
          if (value !== text) setText(value);
        }}
        onSubmit={send}
        onEdge={callBack}
        complete={kind === MESSAGE ? undefined : complete}
      />
      <div className="row">
        <select aria-label="Kind" value={kind} onChange={(event) => choose(event.target.value)}>
          {hasModel && <option value={MESSAGE}>message to the agent</option>}
          {kinds.map((each) => <option key={each}>{each}</option>)}
        </select>
        <span className="grow faint small clip">{status}</span>
        <Button look="main" type="submit" disabled={!text.trim() || busy}>{kind === MESSAGE ? "Send" : "Run"}</Button>
      </div>
    </form>
  );
}

/** Whether a model is configured that the agent could ask. */
function canTalk(choices: Choices | undefined, view: SessionView | undefined): boolean {
  return Boolean(view?.model || choices?.defaults.model || choices?.models.some(({ model }) => model));
}

/** The shell and Python first, the others as they come. */
function byUse(left: string, right: string): number {
  const rank = (kind: string) => ["bash", "python"].indexOf(kind) + 1 || 3;
  return rank(left) - rank(right);
}
