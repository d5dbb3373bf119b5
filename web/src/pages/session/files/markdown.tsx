/** Markdown as a page: made safe, without scripts, styles, or pictures from elsewhere. */

import makePurifier from "dompurify";
import { marked } from "marked";
import { useEffect, useRef } from "react";

const purifier = makePurifier(window);
// The page asks no other server for anything: of other pictures their names are shown.
purifier.addHook("uponSanitizeAttribute", ({ nodeName }, given) => {
  if (nodeName === "IMG" && given.attrName === "src") given.keepAttr = /^data:image\//.test(given.attrValue);
});

/** Handlers would be removed anyway; before that, the policy of the page calls each an error. */
const HANDLERS = /\son\w+\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi;

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
  const html = marked.parse(text, { async: false }).replace(/<[^>]*>/g, (tag) => tag.replace(HANDLERS, ""));
  const made = purifier.sanitize(html, { ...SAFE, RETURN_DOM_FRAGMENT: true });
  for (const link of made.querySelectorAll("a")) {
    link.target = "_blank";
    link.rel = "noreferrer noopener";
  }
  return made;
}
