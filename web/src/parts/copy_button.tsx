/** Copies a text; what it is, is asked for when one clicks. */

import { useEffect, useState } from "react";
import { Button } from "./button.tsx";

type Outcome = "" | "copied" | "failed";

export function CopyButton({ text, what }: { text(): string | Promise<string>; what: string }) {
  const [outcome, setOutcome] = useState<Outcome>("");
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(""), 1500);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(await text());
      setOutcome("copied");
    } catch {
      // Browsers give no clipboard to pages that came by plain http from elsewhere.
      setOutcome("failed");
    }
  };
  return (
    <Button look="quiet" className="copy" label={LABELS[outcome] || `Copy ${what}`} onClick={copy}>
      {outcome === "copied" ? "✓" : outcome === "failed" ? "✗" : <CopySign />}
    </Button>
  );
}

const LABELS = { "": "", copied: "Copied", failed: "The browser does not let the page copy" };

function CopySign() {
  return (
    <svg width="14" height="14" viewBox="0 0 14 14" fill="none" stroke="currentColor" aria-hidden="true">
      <rect x="4.5" y="4.5" width="8" height="8" rx="1.5" />
      <path d="M9.5 2.5a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1" />
    </svg>
  );
}
