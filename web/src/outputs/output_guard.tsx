/** Keeps what is broken in its place: a message and the plain text instead of what could not be shown. */

import { Component, type ReactNode } from "react";
import { AnsiText } from "./ansi_text.tsx";
import { asText, type Bundle } from "./bundle.ts";

interface State {
  error?: string;
  bundle?: Bundle;
}

export class OutputGuard extends Component<{ bundle: Bundle; children: ReactNode }, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error.message : String(error) };
  }

  /** Something else is to be shown: it may be whole. */
  static getDerivedStateFromProps({ bundle }: { bundle: Bundle }, state: State): State | null {
    return state.bundle === bundle ? null : { bundle, error: undefined };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return <Broken what={this.state.error} bundle={this.props.bundle} />;
  }
}

/** Says what is wrong with content, and shows its plain text if there is any. */
export function Broken({ what, bundle = {} }: { what: string; bundle?: Bundle }) {
  const text = asText(bundle["text/plain"]);
  return (
    <>
      <p className="output-broken" role="note">This cannot be shown: {what}</p>
      {text && <AnsiText text={text} />}
    </>
  );
}
