/** A line for the command that is still running: what it waits for, or keys that end it. */

import { type FormEvent, useState } from "react";
import type { Problem } from "../../../api/client.ts";
import { sendAction } from "../../../api/sessions.ts";
import { asProblem } from "../../../api/use_ask.ts";
import type { OpenCommand } from "../../../events/cards.ts";
import { Button } from "../../../parts/button.tsx";
import { Failure } from "../../../parts/notice.tsx";
import { makeInput } from "./actions.ts";

export function InputLine({ sid, command }: { sid: string; command: OpenCommand }) {
  const [line, setLine] = useState("");
  const [problem, setProblem] = useState<Problem>();
  const send = async (action: object) => {
    try {
      await sendAction(sid, action);
      setLine("");
      setProblem(undefined);
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  const answer = (event: FormEvent) => {
    // It stands in the form of the composer, which must not be sent.
    event.preventDefault();
    event.stopPropagation();
    void send(makeInput(line));
  };
  return (
    <div className="input-line">
      <p className="small clip">
        <code>{command.command}</code> {command.asks ? "waits for a line" : "is still running"}
      </p>
      <div className="row">
        {command.asks && command.prompt.trim() && <code className="clip">{command.prompt}</code>}
        <input
          className="grow mono"
          aria-label={`A line for ${command.command}`}
          value={line}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setLine(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") answer(event);
          }}
        />
        <Button onClick={answer}>Send</Button>
        <Button onClick={() => send(makeInput("C-d"))} label="End of input, Ctrl+D">^D</Button>
        <Button onClick={() => send(makeInput("C-c"))} label="Stop the command, Ctrl+C">^C</Button>
        {!command.asks && <Button onClick={() => send(makeInput("", false))}>More output</Button>}
      </div>
      {problem && <Failure problem={problem} />}
    </div>
  );
}
