/** Keeps the end of a list in sight until one scrolls up, and again when one comes back to the end. */

import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** Pixels from the end within which it counts as in sight. */
const NEAR = 40;

export interface Following {
  following: boolean;
  /** To be called when the list was scrolled. */
  scrolled(): void;
  follow(): void;
  leave(): void;
}

export function useFollowing(scroller: RefObject<HTMLElement | null>): Following {
  const [following, setFollowing] = useState(true);
  const last = useRef(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (following && element) element.scrollTop = last.current = element.scrollHeight - element.clientHeight;
  });
  const scrolled = () => {
    const element = scroller.current;
    if (!element) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    if (scrollHeight - scrollTop - clientHeight < NEAR) setFollowing(true);
    // Only who goes up leaves: content that grows moves the end away too.
    else if (scrollTop < last.current - 1) setFollowing(false);
    last.current = scrollTop;
  };
  return { following, scrolled, follow: () => setFollowing(true), leave: () => setFollowing(false) };
}
