/** A value as JSON, folded until one wants to see it. */

import { useState } from "react";
import { Code } from "../../../editor/code.tsx";
import { CopyButton } from "../../../parts/copy_button.tsx";

export function Json({ label, value, begin = false }: { label: string; value: unknown; begin?: boolean }) {
  const [shown, setShown] = useState(begin);
  return (
    <details className="card-json" open={shown} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary className="small">{label}</summary>
      {shown && <JsonText value={value} />}
    </details>
  );
}

export function JsonText({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2) ?? "";
  return (
    <div className="with-copy">
      <Code text={text} language="json" />
      <CopyButton text={() => text} what="the JSON" />
    </div>
  );
}
