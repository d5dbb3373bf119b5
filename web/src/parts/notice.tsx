/** What stands where there is nothing yet, nothing to show, or something wrong. */

import type { ReactNode } from "react";
import type { Problem } from "../api/client.ts";
import { Button } from "./button.tsx";

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="notice">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Loading({ what = "Loading" }: { what?: string }) {
  return (
    <div className="notice loading" role="status">
      <span className="spinner" aria-hidden="true" />
      {what} …
    </div>
  );
}

/** An error that says what to do; `again` tries once more. */
export function Failure({ problem, again }: { problem: Problem; again?: () => void }) {
  return (
    <div className="failure" role="alert">
      <strong>{sentence(problem.message)}</strong>
      <span>{problem.fix}</span>
      {again && <Button onClick={again}>Try again</Button>}
    </div>
  );
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
