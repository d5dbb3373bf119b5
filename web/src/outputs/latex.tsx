/** Formulas, and the words around them. */

import { useEffect, useMemo, useRef } from "react";
import { renderMath } from "./math.ts";
import { splitLatex } from "./math_split.ts";

export default function Latex({ source }: { source: string }) {
  const parts = useMemo(() => splitLatex(source), [source]);
  return (
    <div className="latex">
      {parts.map(({ text, math }, at) => math ? <Formula key={at} text={text} math={math} /> : text)}
    </div>
  );
}

function Formula({ text, math }: { text: string; math: "inline" | "display" }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (place.current) renderMath(text, math, place.current);
  }, [text, math]);
  return <span ref={place} />;
}
