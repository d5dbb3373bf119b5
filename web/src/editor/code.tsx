/** Code that is only shown, in the colours of its language as soon as they are there. */

import { useEffect, useState } from "react";
import type { Piece } from "./highlight.ts";
import "./editor.css";

export function Code({ text, language, className = "" }: { text: string; language: string; className?: string }) {
  const [shown, setShown] = useState<{ text: string; pieces: Piece[] | undefined }>();
  useEffect(() => {
    let wanted = true;
    import("./highlight.ts").then(({ highlight }) => highlight(text, language)).then(
      (pieces) => wanted && setShown({ text, pieces }),
      // Without colours it can be read as well.
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [text, language]);
  const pieces = shown?.text === text ? shown.pieces : undefined;
  return (
    <pre className={`code ${className}`}>
      {pieces
        ? pieces.map(({ text, classes }, at) => (classes ? <span key={at} className={classes}>{text}</span> : text))
        : text}
    </pre>
  );
}
