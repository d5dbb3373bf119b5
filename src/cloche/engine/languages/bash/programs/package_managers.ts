/** `pip`, `npm`, `gem`... in the shell: the host does the work and sends its output. */

import type { Command, ResolvedCommandContext } from "just-bash";
import type { OpenRequest } from "../../../worker/requests.ts";
import { RequestError } from "../../../worker/request_errors.ts";
import type { HostRequest } from "../../../protocol.ts";
import { CATALOG } from "../../catalog.ts";
import { outputOf } from "../just_bash/output.ts";

const INTERRUPTED = 130;
/** What people install packages of other languages with. */
const TOOLS = Object.values(CATALOG).flatMap(({ packageTools = [] }) => packageTools);

/** The commands, for a shell that may ask the host; `flush` sends what was written so far. */
export function pipCommands(ask: (question: HostRequest) => OpenRequest, flush: () => void): Command[] {
  const run = async (asked: OpenRequest, ctx: ResolvedCommandContext) => {
    const output = outputOf(ctx);
    const stop = () => asked.close();
    ctx.signal?.addEventListener("abort", stop);
    try {
      if (ctx.signal?.aborted) stop();
      for (let piece = await asked.read(); piece; piece = await asked.read()) {
        output.stdout(piece);
        flush();
      }
      const { exit } = await asked.data as { exit?: unknown };
      return ended(Number.isInteger(exit) ? Number(exit) : 1);
    } catch (error) {
      const refused = error instanceof RequestError && !ctx.signal?.aborted;
      return refused ? ended(1, `ERROR: ${error.message}\n`) : ended(INTERRUPTED);
    } finally {
      ctx.signal?.removeEventListener("abort", stop);
      asked.close();
    }
  };
  const command = (name: string, question: HostRequest): Command => ({
    name,
    trusted: true,
    execute: (args, ctx) => run(ask({ ...question, args, cwd: ctx.cwd }), ctx),
  });
  const pip = ["pip", "pip3"].map((name) => command(name, { kind: "pip" }));
  return [...pip, ...TOOLS.map((tool) => command(tool, { kind: "registry", tool }))];
}

function ended(exitCode: number, stderr = "") {
  return { stdout: "", stderr, exitCode };
}
