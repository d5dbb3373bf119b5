/** Code of a language, what it printed, and what it showed. */

import { textAt, valueAt, type WireEvent } from "../../../events/wire.ts";
import type { Bundle } from "../../../outputs/bundle.ts";
import { Output } from "../../../outputs/output.tsx";
import { readDataUrl } from "./data_url.ts";
import { Given } from "./given.tsx";
import type { PartProps } from "./part.ts";
import { ResultText } from "./result_text.tsx";

/** What is added after the output of a cell, for agents. */
const EXTRA = /\n?\[Jupyter (?:current working directory|Python interpreter): [^\n]*\]/g;

export function GivenCode({ event, open, setOpen }: PartProps) {
  const language = event.action === "run_ipython" ? "python" : textAt(event.args, "language");
  return <Given text={textAt(event.args, "code")} language={language} open={open} setOpen={setOpen} />;
}

export function CodeOutput(props: PartProps) {
  const { event } = props;
  const shown = findDisplays(event);
  const isLost = valueAt(event.extras, "state") === "lost";
  return (
    <>
      <ResultText {...props} text={event.content?.replace(EXTRA, "") ?? ""} />
      {shown.length > 0 && (
        <div className="card-part displays">{shown.map((each, at) => <Output key={at} {...each} />)}</div>
      )}
      {isLost && <p className="card-part note">The interpreter had to be ended: its variables are gone.</p>}
    </>
  );
}

interface Display {
  bundle: Bundle;
  metadata?: Record<string, unknown>;
}

/** What code has shown: whole bundles, and pictures, which stand apart. */
function findDisplays(event: WireEvent): Display[] {
  const bundles = valueAt(event, "cloche", "displays");
  const pictures = valueAt(event.extras, "image_urls");
  return [
    ...(Array.isArray(bundles) ? bundles.map(readDisplay) : []),
    ...(Array.isArray(pictures) ? pictures.map(readPicture) : []),
  ].filter((each) => each !== undefined);
}

function readDisplay(given: unknown): Display | undefined {
  const bundle = valueAt(given, "data");
  if (typeof bundle !== "object" || bundle === null) return undefined;
  return { bundle: bundle as Bundle, metadata: valueAt(given, "metadata") as Display["metadata"] };
}

export function readPicture(address: unknown): Display | undefined {
  const read = typeof address === "string" ? readDataUrl(address) : undefined;
  return read && { bundle: { [read.type]: read.content } };
}
