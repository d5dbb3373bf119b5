/** The rules that judge actions, and a place to try them. */

import { useState } from "react";
import { showPolicy } from "../../api/settings.ts";
import type { PolicyView, RuleView } from "../../api/types.ts";
import { useAsk } from "../../api/use_ask.ts";
import { Failure, Loading } from "../../parts/notice.tsx";
import { DecisionBadge } from "./decision_badge.tsx";
import { TryPolicy } from "./try_policy.tsx";

export function PolicySection() {
  const { value, problem, again } = useAsk("policy", showPolicy);
  return (
    <>
      <h1>Policy rules</h1>
      <p className="lead">
        The analyzer <code>rules</code>{" "}
        takes an action apart into facts. For each fact the first rule that fits decides, and the most severe verdict
        counts. It is advice: what holds code is the sandbox.
      </p>
      <TryPolicy />
      {problem && <Failure problem={problem} again={again} />}
      {!value && !problem && <Loading />}
      {value && <Rules policy={value} />}
    </>
  );
}

function Rules({ policy: { file, verdict, rules } }: { policy: PolicyView }) {
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const shown = rules.filter((each) => JSON.stringify(each).toLowerCase().includes(wanted));
  return (
    <>
      <h2>
        {file
          ? (
            <>
              The rules of <code>{file}</code>
            </>
          )
          : "The rules that come with Cloche"}
      </h2>
      <p className="lead">
        {rules.length} rules, in this order. If none fits: {verdict}. <code>[security] policy</code>{" "}
        names a file with others, and <code>cloche policy show</code> prints one to begin with.
      </p>
      <input
        type="search"
        aria-label="Search in the rules"
        placeholder="Search in the rules"
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <ol className="rules">{shown.map((rule) => <OneRule key={rule.id} rule={rule} />)}</ol>
      {shown.length === 0 && <p className="faint nothing">No rule has that in it.</p>}
    </>
  );
}

function OneRule({ rule: { id, when, verdict, risk, reason, advice } }: { rule: RuleView }) {
  return (
    <li id={`rule-${id}`} className="rule" tabIndex={-1}>
      <div className="row">
        <strong className="mono">{id}</strong>
        <DecisionBadge decision={verdict} risk={risk} />
        <span>{reason}.</span>
      </div>
      <div className="faint small">
        {Object.entries(when).map(([key, value]) => (
          <div key={key} className="mono">
            {key}: {Array.isArray(value) ? value.join(", ") : String(value)}
          </div>
        ))}
        {advice}
      </div>
    </li>
  );
}
