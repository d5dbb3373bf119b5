/** Gives all events of a session as a file: one event a line. */

import { useState } from "react";
import type { WireEvent } from "../../../events/wire.ts";
import { Button } from "../../../parts/button.tsx";
import { writeLines } from "./write_lines.ts";

export function ExportButton({ sid, events }: { sid: string; events: readonly WireEvent[] }) {
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    const address = URL.createObjectURL(new Blob(await writeLines(events), { type: "application/jsonl" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = `${sid}.jsonl`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    setBusy(false);
  };
  return <Button onClick={save} disabled={busy}>{busy ? "Writing …" : "Export JSONL"}</Button>;
}
