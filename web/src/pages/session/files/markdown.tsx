/** Markdown as a page: made safe, without scripts, styles, or pictures from elsewhere. */

import DOMPurify from "dompurify";
import { marked } from "marked";
import { useEffect, useRef } from "react";

const SAFE = {
  FORBID_TAGS: ["style", "form", "input", "button", "iframe", "object", "video", "audio"],
  FORBID_ATTR: ["style", "id", "class", "srcset"],
};

export default function MarkdownOf({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.replaceChildren(makeSafe(text)), [text]);
  return <div className="file-markdown" ref={place} tabIndex={0} role="region" aria-label="Preview" />;
}

function makeSafe(text: string): DocumentFragment {
  const made = DOMPurify.sanitize(marked.parse(text, { async: false }), { ...SAFE, RETURN_DOM_FRAGMENT: true });
  for (const link of made.querySelectorAll("a")) {
    link.target = "_blank";
    link.rel = "noreferrer noopener";
  }
  for (const picture of made.querySelectorAll("img")) {
    // The page asks no other server for anything: what it shows stands there in words.
    if (!/^data:image\//.test(picture.getAttribute("src") ?? "")) picture.replaceWith(picture.alt || "(picture)");
  }
  return made;
}
