/** What the agent asks before it does something. */

import { useState } from "react";
import type { Problem } from "../../../api/client.ts";
import { confirmAction } from "../../../api/sessions.ts";
import { asProblem } from "../../../api/use_ask.ts";
import { Button } from "../../../parts/button.tsx";
import { Failure } from "../../../parts/notice.tsx";

export function Question({ sid }: { sid: string }) {
  const [problem, setProblem] = useState<Problem>();
  const [said, setSaid] = useState(false);
  const say = async (yes: boolean) => {
    setSaid(true);
    try {
      await confirmAction(sid, yes);
      setProblem(undefined);
    } catch (error) {
      setProblem(asProblem(error));
      setSaid(false);
    }
  };
  return (
    <div className="question row">
      <strong>The agent asks whether it may do this.</strong>
      <span className="grow" />
      <Button disabled={said} onClick={() => say(false)}>Deny</Button>
      <Button disabled={said} look="main" onClick={() => say(true)}>Allow once</Button>
      {problem && <Failure problem={problem} />}
    </div>
  );
}
