/** Shows an event as JSON if what shows its kind fails: no event breaks the stream. */

import { Component, type ReactNode } from "react";
import type { WireEvent } from "../../../events/wire.ts";
import { Json } from "./json.tsx";

interface Guarded {
  event: WireEvent;
  children: ReactNode;
}

export class BodyGuard extends Component<Guarded, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    return (
      <div className="card-part">
        <p className="faint">This event has an unusual shape.</p>
        <Json label="Event" value={this.props.event} />
      </div>
    );
  }
}
