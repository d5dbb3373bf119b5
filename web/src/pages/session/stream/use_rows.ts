/** The rows of a session that one wants to see; of a long one, some more with each turn. */

import { useEffect, useReducer, useState } from "react";
import type { Choice } from "../../../events/choice.ts";
import { RowList } from "../../../events/rows.ts";
import type { SessionState } from "../../../events/session_store.ts";

export function useRows(state: SessionState, choice: Choice): { list: RowList; done: boolean } {
  const [list] = useState(() => new RowList());
  const [, again] = useReducer((turn: number) => turn + 1, 0);
  const done = list.update(state.list, choice);
  useEffect(() => {
    if (done) return;
    const timer = setTimeout(again, 0);
    return () => clearTimeout(timer);
  });
  return { list, done };
}
