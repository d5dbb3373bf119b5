/** Code that is only shown, in the colours of its language as soon as they are there. */

import { useEffect, useState } from "react";
import { Recent } from "../parts/recent.ts";
import type { Piece } from "./highlight.ts";
import "./editor.css";

const recent = new Recent<Piece[]>(300);
/** Milliseconds that code is in sight before it gets colours: what only scrolls by needs none. */
const PAUSE = 60;

export function Code({ text, language, className = "" }: { text: string; language: string; className?: string }) {
  const key = `${language}\n${text}`;
  const [, again] = useState("");
  useEffect(() => {
    if (recent.get(key)) return;
    let wanted = true;
    const color = async () => {
      const { highlight } = await import("./highlight.ts");
      const pieces = wanted ? await highlight(text, language) : undefined;
      if (!pieces || !wanted) return;
      recent.set(key, pieces);
      again(key);
    };
    // Without colours it can be read as well.
    const timer = setTimeout(() => color().catch(() => undefined), PAUSE);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [key]);
  return (
    <pre className={`code ${className}`}>
      {recent.get(key)?.map((piece, at) =>
        piece.classes ? <span key={at} className={piece.classes}>{piece.text}</span> : piece.text
      ) ?? text}
    </pre>
  );
}
