/** An event that this page does not know: what it says, and all of it as JSON. */

import { Json } from "./json.tsx";
import type { PartProps } from "./part.ts";

export function UnknownEvent({ event }: PartProps) {
  const text = event.message || event.content;
  return (
    <div className="card-part">
      {typeof text === "string" && text && <p className="plain">{text}</p>}
      <Json label="All of the event" value={event} />
    </div>
  );
}
