/** Which cards show all that they have: also after they were out of sight. */

import { useCallback, useState } from "react";

export function useOpenCards() {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const toggle = useCallback((id: number, wanted: boolean) => {
    setOpen((before) => {
      const after = new Set(before);
      if (wanted) after.add(id);
      else after.delete(id);
      return after;
    });
  }, []);
  return { open, toggle };
}
