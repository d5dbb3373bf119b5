/** The state of a session in a word and a colour. */

const LOOKS: Record<string, [look: string, words: string]> = {
  stored: ["", "stored"],
  starting: ["info", "starting"],
  loading: ["info", "starting"],
  init: ["good", "ready"],
  running: ["info", "running"],
  awaiting_user_input: ["good", "ready"],
  awaiting_user_confirmation: ["warning", "asks you"],
  paused: ["warning", "paused"],
  stopped: ["", "stopped"],
  finished: ["good", "finished"],
  rejected: ["bad", "rejected"],
  error: ["bad", "error"],
  rate_limited: ["warning", "waits for the model"],
};

export function StateBadge({ state }: { state: string }) {
  const [look, words] = LOOKS[state] ?? ["", state.replaceAll("_", " ")];
  return <span className={`badge ${look}`} title={state}>{words}</span>;
}
