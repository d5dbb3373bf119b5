/** What the agent's model has used so far, of what it may use. */

import { valueAt } from "../../events/wire.ts";

export function Budget({ metrics }: { metrics?: Record<string, unknown> }) {
  if (!metrics) return null;
  const { tokens, cost, most, steps } = readMetrics(metrics);
  const parts = [
    steps > 0 && `step ${steps.toLocaleString("en")}`,
    tokens > 0 && `${tokens.toLocaleString("en")} tokens`,
    (cost > 0 || most > 0) && `${describeCost(cost)}${most > 0 ? ` of ${describeCost(most)}` : ""}`,
  ].filter(Boolean);
  return (
    <span className="budget small faint" title="Steps and tokens of the agent's model so far, and their estimated cost">
      {parts.join(" · ")}
      {most > 0 && (
        <meter min={0} max={most} high={0.8 * most} optimum={0} value={Math.min(cost, most)} aria-label="Budget used" />
      )}
    </span>
  );
}

function readMetrics(metrics: Record<string, unknown>) {
  const number = (...keys: string[]) => Number(valueAt(metrics, ...keys) ?? 0) || 0;
  const usage = "accumulated_token_usage";
  return {
    tokens: number(usage, "prompt_tokens") + number(usage, "completion_tokens"),
    cost: number("accumulated_cost"),
    most: number("max_budget_per_task"),
    steps: number("iterations"),
  };
}

/** The prices are in a currency of the user's choice. */
function describeCost(cost: number): string {
  return cost === 0 ? "0" : cost < 0.1 ? cost.toFixed(4) : cost.toFixed(2);
}
