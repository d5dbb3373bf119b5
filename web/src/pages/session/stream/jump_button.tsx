/** Leads to the newest event, and says how many have come since one left the end. */

import { useState } from "react";
import { Button } from "../../../parts/button.tsx";

export function JumpButton({ latest, follow }: { latest: number; follow(): void }) {
  // The button appears when one leaves the end.
  const [seen] = useState(latest);
  const more = latest - seen;
  return (
    <Button onClick={follow}>
      ↓ {more > 0 ? `${more.toLocaleString("en")} new ${more === 1 ? "event" : "events"}` : "latest"}
    </Button>
  );
}
