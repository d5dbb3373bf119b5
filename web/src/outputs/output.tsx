/** What code shows, by its richest known type. */

import { memo } from "react";
import { AnsiText } from "./ansi_text.tsx";
import { asText, type Bundle, chooseType } from "./bundle.ts";
import { OutputGuard } from "./output_guard.tsx";
import { Picture } from "./picture.tsx";
import "./outputs.css";

export interface Shown {
  bundle: Bundle;
  /** By type, as in notebooks. */
  metadata?: Record<string, unknown>;
}

/** Broken content shows a message and leaves what stands around it alone. */
export const Output = memo(function Output(shown: Shown) {
  return (
    <div className="output-view">
      <OutputGuard bundle={shown.bundle}>
        <Richest {...shown} />
      </OutputGuard>
    </div>
  );
});

function Richest({ bundle, metadata }: Shown) {
  const chosen = chooseType(bundle);
  const content = chosen && bundle[chosen.type];
  if (chosen?.renderer === "picture") {
    return <Picture type={chosen.type} content={asText(content)} metadata={metadata?.[chosen.type]} />;
  }
  return <AnsiText text={asText(content ?? bundle["text/plain"] ?? "")} />;
}
