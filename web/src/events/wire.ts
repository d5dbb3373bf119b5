/** Events as the server sends them: docs/events.md describes the format. */

export interface WireEvent {
  id: number;
  timestamp: string;
  source?: string;
  message?: string;
  /** The id of the action that an observation answers. */
  cause?: number | null;
  timeout?: number;
  action?: string;
  args?: Record<string, unknown>;
  observation?: string;
  content?: string;
  extras?: Record<string, unknown>;
  status?: string;
  level?: string;
  cloche?: Record<string, unknown>;
  llm_metrics?: Record<string, unknown>;
  tool_call_metadata?: Record<string, unknown>;
}

/** A text at a path of keys, or "". */
export function textAt(from: unknown, ...keys: string[]): string {
  const found = valueAt(from, ...keys);
  return typeof found === "string" ? found : "";
}

export function valueAt(from: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    from,
  );
}
