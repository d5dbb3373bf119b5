/** Takes the stack trace out of the text of an error. */

const BEGIN = /^(?:Traceback \(most recent call last\):|Stack trace:|stack backtrace:)/m;

/** What happened, and the trace, which may be empty; a text that is only a trace ends with what happened. */
export function splitTrace(text: string): { message: string; trace: string } {
  const at = text.search(BEGIN);
  if (at < 0) return { message: text, trace: "" };
  const trace = text.slice(at).trimEnd();
  const message = text.slice(0, at).trim();
  return { message: message || trace.slice(trace.lastIndexOf("\n") + 1), trace };
}
