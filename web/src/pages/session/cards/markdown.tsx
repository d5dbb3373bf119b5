/** Markdown of an agent; loaded when the first is shown. */

import DOMPurify from "dompurify";
import { Marked } from "marked";
import { memo, useMemo } from "react";
import { Recent } from "../../../parts/recent.ts";

const READER = new Marked({ gfm: true, breaks: true });
/** Plain elements only: an agent's text is not trusted, and has no business with the rest of the page. */
const ALLOWED = {
  ALLOWED_TAGS: ("p br hr em strong del code pre blockquote ul ol li a h1 h2 h3 h4 h5 h6 table thead tbody tr th td " +
    "input sup sub").split(" "),
  ALLOWED_ATTR: ["href", "title", "align", "type", "checked", "disabled", "start"],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
};
const CLEANER = DOMPurify(window);
CLEANER.addHook("afterSanitizeAttributes", (element) => {
  if (element.tagName === "A") {
    element.setAttribute("target", "_blank");
    element.setAttribute("rel", "noopener noreferrer nofollow");
  }
  // A list of tasks has boxes, and nothing else may be typed into.
  if (element.tagName === "INPUT") {
    if (element.getAttribute("type") !== "checkbox") element.remove();
    else element.setAttribute("disabled", "");
  }
});

const recent = new Recent<string>(300);

function makeHtml(text: string): string {
  const html = recent.get(text) ?? CLEANER.sanitize(READER.parse(text, { async: false }), ALLOWED);
  recent.set(text, html);
  return html;
}

export default memo(function Markdown({ text }: { text: string }) {
  const html = useMemo(() => makeHtml(text), [text]);
  // deno-lint-ignore react-no-danger -- DOMPurify has cleaned it
  return <div className="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
});
