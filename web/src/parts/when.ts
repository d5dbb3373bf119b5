/** Times and sizes as a reader wants them. */

const STEPS: [number, Intl.RelativeTimeFormatUnit][] = [
  [60, "second"],
  [3600, "minute"],
  [86_400, "hour"],
  [604_800, "day"],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

/** How long ago a time in seconds was. */
export function describeAge(seconds: number, now = Date.now() / 1000): string {
  const age = Math.max(0, now - seconds);
  if (age < 5) return "now";
  const step = STEPS.findIndex(([limit]) => age < limit);
  if (step < 0) return new Date(seconds * 1000).toLocaleDateString("en", { dateStyle: "medium" });
  const size = step === 0 ? 1 : STEPS[step - 1]?.[0] ?? 1;
  return relative.format(-Math.floor(age / size), STEPS[step]?.[1] ?? "second");
}

/** A duration in seconds: 12 ms, 1.2 s, 3 min. */
export function describeDuration(seconds: number): string {
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 99.95) return `${seconds.toFixed(1)} s`;
  return `${Math.round(seconds / 60)} min`;
}

export function describeSize(bytes: number): string {
  const units = ["B", "KB", "MB", "GB"];
  let at = 0;
  let size = bytes;
  while (size >= 999.5 && at < units.length - 1) {
    size /= 1024;
    at++;
  }
  return at === 0 ? `${bytes} B` : `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[at]}`;
}

/** The time of day of an event, which says UTC or nothing. */
export function describeTime(timestamp: string): string {
  const at = new Date(timestamp);
  return Number.isNaN(at.getTime()) ? "" : at.toLocaleTimeString("en-GB");
}
