/** What could not be done, why, and what to do instead. */

import { textAt } from "../../../events/wire.ts";
import { AnsiText } from "../../../outputs/ansi_text.tsx";
import type { PartProps } from "./part.ts";
import { splitTrace } from "./traces.ts";

export function ErrorText({ event }: PartProps) {
  const { message, trace } = splitTrace(event.content ?? event.message ?? "");
  const id = textAt(event.extras, "error_id");
  return (
    <div className="card-part error-text">
      <p className="plain">{message}</p>
      {trace && (
        <details>
          <summary className="small">Stack trace</summary>
          <AnsiText text={trace} />
        </details>
      )}
      {id && <p className="small faint mono">{id}</p>}
    </div>
  );
}

export function Refusal({ event }: PartProps) {
  return <p className="card-part error-text plain">{event.content || "The user did not allow it."}</p>;
}
