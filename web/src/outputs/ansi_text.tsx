/** Text as a terminal shows it; of very long text a part, and more when one asks. */

import { type CSSProperties, memo, useMemo, useState } from "react";
import { Button } from "../parts/button.tsx";
import { type Look, parseAnsi, type Piece } from "./ansi.ts";
import { cutText } from "./long_text.ts";
import "./outputs.css";

/** `className` is that of the <pre>. */
export const AnsiText = memo(function AnsiText({ text, className = "" }: { text: string; className?: string }) {
  const [room, setRoom] = useState(1);
  const { shown, left } = useMemo(() => cutText(text, room), [text, room]);
  const pieces = useMemo(() => parseAnsi(shown), [shown]);
  return (
    <>
      <pre className={`ansi ${className}`}>{pieces.map((piece, at) => <AnsiPiece key={at} piece={piece} />)}</pre>
      {left > 0 && (
        <Button look="quiet" onClick={() => setRoom(room * 4)}>
          Show more: {left.toLocaleString("en")} characters are left
        </Button>
      )}
    </>
  );
});

function AnsiPiece({ piece: { text, look } }: { piece: Piece }) {
  const names = classesOf(look);
  const style = styleOf(look);
  return names || style ? <span className={names} style={style}>{text}</span> : text;
}

function classesOf(look: Look): string {
  const [color, ground] = look.inverse ? [look.ground, look.color] : [look.color, look.ground];
  return [
    typeof color === "number" && `ansi-color-${color}`,
    typeof ground === "number" && `ansi-ground-${ground}`,
    look.inverse && color === undefined && "ansi-inverse-color",
    look.inverse && ground === undefined && "ansi-inverse-ground",
    look.bold && "ansi-bold",
    look.faint && "ansi-faint",
    look.italic && "ansi-italic",
    look.underline && "ansi-underline",
    look.strike && "ansi-strike",
  ].filter(Boolean).join(" ");
}

function styleOf(look: Look): CSSProperties | undefined {
  const [color, ground] = look.inverse ? [look.ground, look.color] : [look.color, look.ground];
  if (typeof color !== "string" && typeof ground !== "string") return undefined;
  return {
    ...(typeof color === "string" && { color }),
    ...(typeof ground === "string" && { backgroundColor: ground }),
  };
}
