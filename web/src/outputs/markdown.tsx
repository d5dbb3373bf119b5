/** Markdown: its HTML is cleaned of everything but words, lists, tables, links and pictures that are data. */

import DOMPurify from "dompurify";
import { Marked } from "marked";
import { useEffect, useRef } from "react";
import type { renderMath } from "./math.ts";
import { splitMath } from "./math_split.ts";
import "./markdown.css";

const TAGS =
  "a b blockquote br caption code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p pre q s samp small span strong sub summary sup table tbody td tfoot th thead tr tt u ul var"
    .split(" ");
const ATTRIBUTES = ["align", "alt", "checked", "disabled", "height", "href", "src", "start", "title", "type", "width"];
const MARK = "\ue000";

/** What would run is taken out before the HTML is parsed: the browser complains of it in the console otherwise. */
const HANDLER = /\son\w+\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi;
const marked = new Marked({
  gfm: true,
  async: false,
  renderer: { html: ({ text }) => text.replace(HANDLER, "") },
});
const purify = DOMPurify(window);

purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer");
  } else if (node.tagName === "IMG" && !/^data:image\//i.test(node.getAttribute("src") ?? "")) {
    // The page fetches nothing from elsewhere: the words stand for the picture.
    node.replaceWith(document.createTextNode(`[${node.getAttribute("alt") || "picture"}]`));
  } else if (node.tagName === "INPUT" && node.getAttribute("type") !== "checkbox") node.remove();
});

/** With `breaks`, a new line in the text is one on the page too: people and agents write messages so. */
export default function Markdown({ source, breaks = false }: { source: string; breaks?: boolean }) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const here = root.current;
    if (!here) return;
    const { content, formulas } = renderMarkdown(source, breaks);
    here.replaceChildren(content);
    let left = false;
    if (formulas.length > 0) {
      import("./math.ts").then(({ renderMath }) => {
        if (!left) fillMath(here, formulas, renderMath);
      });
    }
    return () => {
      left = true;
    };
  }, [source, breaks]);
  return <div ref={root} className="markdown" />;
}

interface Formula {
  text: string;
  math: "inline" | "display";
}

/** Clean content, with marks where the formulas are. */
function renderMarkdown(source: string, breaks: boolean): { content: DocumentFragment; formulas: Formula[] } {
  const formulas: Formula[] = [];
  const marks = splitOutsideCode(source.replaceAll(MARK, "")).map((part) => {
    if (!part.math) return part.text;
    formulas.push({ text: part.text, math: part.math });
    return `${MARK}${formulas.length - 1}${MARK}`;
  }).join("");
  const content = purify.sanitize(marked.parse(marks, { breaks }) as string, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  return { content, formulas };
}

/** Formulas in code are code. */
function splitOutsideCode(source: string): { text: string; math?: "inline" | "display" }[] {
  return source.split(/(^(?:```|~~~)[\s\S]*?^(?:```|~~~)[^\n]*$|`[^`\n]+`)/m).flatMap((part, at) =>
    at % 2 === 1 ? [{ text: part }] : splitMath(part)
  );
}

/** Puts the formulas where their marks are. */
function fillMath(root: HTMLElement, formulas: Formula[], render: typeof renderMath): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) if (walker.currentNode.nodeValue?.includes(MARK)) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    const parts = (text.nodeValue ?? "").split(MARK);
    text.replaceWith(...parts.map((part, at) => {
      const formula = at % 2 === 1 ? formulas[Number(part)] : undefined;
      if (!formula) return document.createTextNode(part);
      const span = document.createElement("span");
      render(formula.text, formula.math, span);
      return span;
    }));
  }
}
