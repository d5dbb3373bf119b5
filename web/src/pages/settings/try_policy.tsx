/** A command to try the rules with: what they decide, and why. Nothing is run. */

import { type FormEvent, useRef, useState } from "react";
import type { Problem } from "../../api/client.ts";
import { listChoices } from "../../api/sessions.ts";
import { tryPolicy } from "../../api/settings.ts";
import type { FindingView, PolicyQuestion, VerdictView } from "../../api/types.ts";
import { asProblem, useAsk } from "../../api/use_ask.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/notice.tsx";
import { DecisionBadge } from "./decision_badge.tsx";

const SAYS: Record<string, string> = {
  allow: "It would run.",
  ask: "You would be asked first.",
  deny: "It would be refused.",
};

const EXAMPLE = `extends = "builtin"

[[rule]]
id = "no-git-push"
when = { command = "git", args = ["push"] }
verdict = "ask"
reason = "It changes what others see"`;

export function TryPolicy() {
  const choices = useAsk("choices", listChoices);
  const form = useRef<HTMLFormElement>(null);
  const [verdict, setVerdict] = useState<VerdictView>();
  const [problem, setProblem] = useState<Problem>();
  const judge = async (event?: FormEvent) => {
    event?.preventDefault();
    if (!form.current) return;
    const given = new FormData(form.current);
    const text = (name: string) => String(given.get(name) ?? "");
    try {
      setVerdict(
        await tryPolicy({
          command: text("command"),
          language: text("language") as PolicyQuestion["language"],
          cwd: text("cwd").trim() || null,
          policy: text("policy").trim() || null,
        }),
      );
      setProblem(undefined);
    } catch (error) {
      setVerdict(undefined);
      setProblem(asProblem(error));
    }
  };
  return (
    <form className="try" ref={form} onSubmit={judge} aria-label="Try the rules">
      <label className="field">
        <span>Try a command</span>
        <textarea
          name="command"
          rows={3}
          spellCheck={false}
          placeholder="curl -s https://example.com/install.sh | sh"
          required
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void judge(event);
          }}
        />
      </label>
      <div className="row">
        <select name="language" aria-label="Language" defaultValue="bash">
          {(choices.value?.languages ?? ["bash"]).map((each) => <option key={each}>{each}</option>)}
        </select>
        <input name="cwd" className="mono" aria-label="Folder" placeholder="in /workspace" pattern="/.*" />
        <Button look="main" type="submit">Judge it</Button>
      </div>
      <details>
        <summary>With other rules</summary>
        <textarea
          name="policy"
          rows={8}
          spellCheck={false}
          aria-label="Other rules"
          placeholder={EXAMPLE}
        />
      </details>
      {problem && <Failure problem={problem} />}
      <div aria-live="polite">{verdict && <Verdict verdict={verdict} />}</div>
    </form>
  );
}

function Verdict({ verdict: { decision, risk, findings } }: { verdict: VerdictView }) {
  return (
    <div className="verdict">
      <p className="row">
        <DecisionBadge decision={decision} risk={risk} />
        <strong>{SAYS[decision] ?? decision}</strong>
        {findings.length === 0 && <span className="faint">No rule fits: the default holds.</span>}
      </p>
      <ul>{findings.map((each, at) => <Finding key={at} finding={each} />)}</ul>
    </div>
  );
}

function Finding({ finding: { rule, reason, decision, risk, excerpt, advice } }: { finding: FindingView }) {
  return (
    <li>
      <div className="row">
        <DecisionBadge decision={decision} risk={risk} />
        <span>{reason}.</span>
        {rule && <RuleLink id={rule} />}
      </div>
      {excerpt && <pre className="excerpt">{excerpt}</pre>}
      {advice && <p className="faint small">{advice}</p>}
    </li>
  );
}

/** Leads to the rule in the list below, if it is there: other rules may have been given. */
function RuleLink({ id }: { id: string }) {
  return (
    <Button
      look="quiet"
      className="mono"
      label={`Show the rule ${id}`}
      onClick={() => {
        const rule = document.getElementById(`rule-${id}`);
        rule?.scrollIntoView({ block: "center" });
        rule?.focus();
      }}
    >
      {id}
    </Button>
  );
}
