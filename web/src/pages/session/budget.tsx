/** What the agent's model has used so far. */

import { valueAt } from "../../events/wire.ts";

export function Budget({ metrics }: { metrics?: Record<string, unknown> }) {
  if (!metrics) return null;
  const cost = valueAt(metrics, "accumulated_cost");
  const usage = valueAt(metrics, "accumulated_token_usage");
  const tokens = Number(valueAt(usage, "prompt_tokens") ?? 0) + Number(valueAt(usage, "completion_tokens") ?? 0);
  return (
    <span className="small faint" title="Tokens of the model so far, and an estimate of their cost">
      {tokens > 0 && `${tokens.toLocaleString("en")} tokens`}
      {typeof cost === "number" && cost > 0 && ` · about $${cost.toFixed(cost < 0.1 ? 4 : 2)}`}
    </span>
  );
}
