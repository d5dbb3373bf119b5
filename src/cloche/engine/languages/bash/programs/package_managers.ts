/** `npm`, `gem`... in the shell: the host does the work and sends its output. */

import type { Command, ResolvedCommandContext } from "just-bash";
import type { OpenRequest } from "../../../worker/requests.ts";
import { RequestError } from "../../../worker/request_errors.ts";
import type { HostRequest } from "../../../protocol.ts";
import { CATALOG } from "../../catalog.ts";
import { outputOf } from "../just_bash/output.ts";

const INTERRUPTED = 130;
/** What people install packages of other languages with. */
const TOOLS = Object.values(CATALOG).flatMap(({ packageTools = [] }) => packageTools);

/** The host's answer to a tool; the tool's output comes before it. */
export interface ToolAnswer {
  exit?: unknown;
  /** A requirement that has no wheel, and why: its source may be built. */
  source?: unknown;
  error?: unknown;
}

/** Asks the host and passes on what it prints; `write` is called with each piece. */
export async function askTool(
  asked: OpenRequest,
  signal: AbortSignal | undefined,
  write: (piece: Uint8Array) => void | Promise<void>,
): Promise<ToolAnswer | { exit: number; error: string }> {
  const stop = () => asked.close();
  signal?.addEventListener("abort", stop);
  try {
    if (signal?.aborted) stop();
    for (let piece = await asked.read(); piece; piece = await asked.read()) await write(piece);
    return await asked.data as ToolAnswer;
  } catch (error) {
    const refused = error instanceof RequestError && !signal?.aborted;
    return refused ? { exit: 1, error: `ERROR: ${error.message}\n` } : { exit: INTERRUPTED, error: "" };
  } finally {
    signal?.removeEventListener("abort", stop);
    asked.close();
  }
}

/** The exit code in an answer. */
export function exitCode({ exit }: ToolAnswer): number {
  return Number.isInteger(exit) ? Number(exit) : 1;
}

/** The commands, for a shell that may ask the host; `flush` sends what was written so far. */
export function toolCommands(ask: (question: HostRequest) => OpenRequest, flush: () => void): Command[] {
  const execute = async (tool: string, args: string[], ctx: ResolvedCommandContext) => {
    const output = outputOf(ctx);
    const answer = await askTool(ask({ kind: "registry", tool, args, cwd: ctx.cwd }), ctx.signal, (piece) => {
      output.stdout(piece);
      flush();
    });
    return { stdout: "", stderr: typeof answer.error === "string" ? answer.error : "", exitCode: exitCode(answer) };
  };
  return TOOLS.map((tool) => ({ name: tool, trusted: true, execute: (args, ctx) => execute(tool, args, ctx) }));
}
