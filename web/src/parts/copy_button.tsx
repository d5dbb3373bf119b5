/** A button that copies a text, and says that it has. */

import { useEffect, useState } from "react";
import { Button } from "./button.tsx";

/** Milliseconds for which it says so. */
const SAYS = 2000;

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSaid(""), SAYS);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <Button onClick={() => copyText(text).then(() => setSaid("Copied"), () => setSaid("Not copied"))}>
      <span aria-live="polite">{said || label}</span>
    </Button>
  );
}

async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return await navigator.clipboard.writeText(text);
  // Without https a page has no clipboard, other than by what is selected in it.
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (!copied) throw new Error("nothing was copied");
}
