/** What each part of a card is given: an action or an observation, and the card around it. */

import type { ComponentType } from "react";
import type { Card } from "../../../events/cards.ts";
import type { WireEvent } from "../../../events/wire.ts";

export interface PartProps {
  event: WireEvent;
  card: Card;
  sid: string;
  /** Whether all of a long text is shown. */
  open: boolean;
  setOpen(open: boolean): void;
}

export type Part = ComponentType<PartProps>;
