/** What runs code: this browser, or a session at the server. */

import type { Bundle } from "../../outputs/bundle.ts";
import type { Progress } from "./site.ts";
import type { RunError } from "./engine_types.ts";

export type Stream = "stdout" | "stderr" | "value" | "error" | "input" | "info";

export interface RunHooks {
  /** The program waits until its output is taken. */
  output(text: string, stream: Stream): void | Promise<void>;
  display(bundle: Bundle, metadata?: Record<string, unknown>): void;
  /** Null at the end of input. */
  ask(prompt: string, password: boolean): Promise<string | null>;
  progress: Progress;
  /** Called when the code begins. */
  begun(): void;
}

export interface RunEnd {
  ok: boolean;
  stopped: boolean;
  exitCode: number;
  error: RunError | null;
  /** Milliseconds, without loading. */
  duration: number;
  /** Bytes that the interpreter uses; 0 if unknown. */
  memory: number;
  state: "kept" | "lost";
}

export interface Runner {
  run(language: string, code: string, hooks: RunHooks): Promise<RunEnd>;
  /** Stops what runs, or what is being loaded to run. */
  stop(): void;
}

/** The lines of an error that the reader has not seen. */
export function describeError({ type, message, traceback }: RunError): string {
  return traceback.trimEnd() || `${type}: ${message}`;
}
