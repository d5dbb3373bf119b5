/** Keeps the end of a list in sight until one scrolls up, and again when one comes back to the end. */

import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Pixels from the end within which it counts as in sight. */
const NEAR = 40;
/** Milliseconds for which a list goes on moving after a turn of the wheel, a key or a finger. */
const MOVING = 1000;

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
  const isMoved = useHand(scroller);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (following && element) element.scrollTop = last.current = element.scrollHeight - element.clientHeight;
  });
  const scrolled = () => {
    const element = scroller.current;
    if (!element) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    if (scrollHeight - scrollTop - clientHeight < NEAR) setFollowing(true);
    // Only who goes up leaves: cards that grow and shrink while they load move the end too.
    else if (scrollTop < last.current - 1 && isMoved()) setFollowing(false);
    last.current = scrollTop;
  };
  return { following, scrolled, follow: () => setFollowing(true), leave: () => setFollowing(false) };
}

/** Tells whether somebody moves the list: by wheel, keys, a finger, or the bar beside it. */
function useHand(scroller: RefObject<HTMLElement | null>): () => boolean {
  const hand = useRef({ at: -MOVING, holds: false });
  useEffect(() => {
    const element = scroller.current;
    const left = new AbortController();
    const options = { signal: left.signal, passive: true };
    const touch = () => {
      hand.current.at = performance.now();
    };
    for (const kind of ["wheel", "touchmove", "keydown"]) element?.addEventListener(kind, touch, options);
    element?.addEventListener("pointerdown", () => {
      hand.current.holds = true;
    }, options);
    addEventListener("pointerup", () => {
      if (hand.current.holds) touch();
      hand.current.holds = false;
    }, options);
    return () => left.abort();
  }, [scroller]);
  return () => hand.current.holds || performance.now() - hand.current.at < MOVING;
}
