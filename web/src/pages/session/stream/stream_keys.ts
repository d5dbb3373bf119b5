/** What keys do in the stream, when one is not typing something. */

import { type RefObject, useEffect } from "react";

export interface StreamKeys {
  /** Goes so many cards on, or back. */
  step(by: number): void;
  first(): void;
  last(): void;
  /** Unfolds or folds the card one is at. */
  toggle(): void;
  search(): void;
}

/** Does what a key stands for; false if it stands for nothing here. */
export function pressKey(key: string, keys: StreamKeys): boolean {
  const act = (ACTS as Record<string, (keys: StreamKeys) => void>)[key];
  act?.(keys);
  return act !== undefined;
}

const ACTS = Object.assign(Object.create(null), {
  j: (keys: StreamKeys) => keys.step(1),
  k: (keys: StreamKeys) => keys.step(-1),
  ArrowDown: (keys: StreamKeys) => keys.step(1),
  ArrowUp: (keys: StreamKeys) => keys.step(-1),
  Home: (keys: StreamKeys) => keys.first(),
  g: (keys: StreamKeys) => keys.first(),
  End: (keys: StreamKeys) => keys.last(),
  G: (keys: StreamKeys) => keys.last(),
  Enter: (keys: StreamKeys) => keys.toggle(),
  "/": (keys: StreamKeys) => keys.search(),
});

/** Whether the keys of this element are for itself: a field, an editor, a button. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input, textarea, select, dialog, [role=menu]") !== null;
}

/** A slash anywhere in the page leads to the search, unless one is typing. */
export function useSearchKey(search: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
