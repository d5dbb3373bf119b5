/** What a rule decides, in a word and a colour. */

const LOOKS: Record<string, string> = { allow: "good", ask: "warning", deny: "bad" };

export function DecisionBadge({ decision, risk }: { decision: string; risk: string }) {
  return <span className={`badge ${LOOKS[decision] ?? ""}`}>{decision}, {risk.toLowerCase()} risk</span>;
}
