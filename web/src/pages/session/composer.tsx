/** Where one types: a message for the agent, a command, or code in any language. */

import { type FormEvent, useState } from "react";
import type { Problem } from "../../api/client.ts";
import { listChoices, sendAction, sendMessage } from "../../api/sessions.ts";
import { asProblem, useAsk } from "../../api/use_ask.ts";
import type { SessionState } from "../../events/session_store.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/notice.tsx";
import { makeAction } from "./actions.ts";

export function Composer({ sid, state }: { sid: string; state: SessionState }) {
  const choices = useAsk("choices", listChoices);
  const [kind, setKind] = useState("bash");
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<Problem>();
  const send = async (event?: FormEvent) => {
    event?.preventDefault();
    if (!text.trim()) return;
    try {
      await (kind === "message" ? sendMessage(sid, text) : sendAction(sid, makeAction(kind, text)));
      setText("");
      setProblem(undefined);
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  const languages = choices.value?.languages ?? ["bash", "python"];
  return (
    <form className="composer" onSubmit={send}>
      {problem && <Failure problem={problem} />}
      <textarea
        rows={Math.min(8, Math.max(2, text.split("\n").length))}
        aria-label="What to do"
        spellCheck={false}
        placeholder={kind === "message" ? "What should the agent do?" : `${kind}: Ctrl+Enter runs it`}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send(event);
        }}
      />
      <div className="row">
        <select aria-label="Kind" value={kind} onChange={(event) => setKind(event.target.value)}>
          {languages.map((each) => <option key={each}>{each}</option>)}
          <option value="message">message to the agent</option>
        </select>
        <span className="grow faint small clip">{state.status}</span>
        <Button look="main" type="submit" disabled={!text.trim()}>{kind === "message" ? "Send" : "Run"}</Button>
      </div>
    </form>
  );
}
