/** An error of what only the owner may do. */

import type { Problem } from "../../api/client.ts";
import { Failure } from "../../parts/notice.tsx";

export function OwnersFailure({ problem, again, what }: { problem: Problem; again(): void; what: string }) {
  if (problem.code !== "owner_only") return <Failure problem={problem} again={again} />;
  return (
    <p className="lead">Only the owner of the server may {what}: who has the token that it printed when it started.</p>
  );
}
