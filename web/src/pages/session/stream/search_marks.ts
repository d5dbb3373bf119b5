/** Marks what one searches for in what is shown, without changing it: browsers call it a custom highlight. */

import { useEffect } from "react";
import { makePattern } from "../../../events/choice.ts";

const NAME = "search";
/** More would be slow, and help nobody. */
const MOST = 2000;

/** Marks a text in an element, again whenever what is in it changes. */
export function useSearchMarks(find: () => Element | null, wanted: string): void {
  useEffect(() => {
    if (!("highlights" in CSS)) return;
    const element = find();
    const text = wanted.trim();
    if (!element || !text || text.startsWith("#")) {
      CSS.highlights.delete(NAME);
      return;
    }
    let frame = 0;
    const mark = () => {
      frame = 0;
      CSS.highlights.set(NAME, new Highlight(...findRanges(element, text)));
    };
    const watch = new MutationObserver(() => {
      frame ||= requestAnimationFrame(mark);
    });
    watch.observe(element, { childList: true, subtree: true, characterData: true });
    mark();
    return () => {
      watch.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(NAME);
    };
  }, [wanted]);
}

function findRanges(element: Element, text: string): Range[] {
  const pattern = makePattern(text, "gi");
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const ranges: Range[] = [];
  while (walker.nextNode() && ranges.length < MOST) {
    const node = walker.currentNode as Text;
    for (const found of node.data.matchAll(pattern)) {
      const range = new Range();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      if (ranges.push(range) >= MOST) break;
    }
  }
  return ranges;
}
