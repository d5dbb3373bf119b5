/** The event that the page is asked to show in the stream. */

import { create } from "zustand";

export const useShownEvent = create<{ id: number | undefined }>(() => ({ id: undefined }));

/** Asks the stream to scroll to an event. */
export function showEvent(id: number): void {
  useShownEvent.setState({ id }, true);
}
