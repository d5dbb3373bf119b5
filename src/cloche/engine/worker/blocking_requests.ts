/**
 * What a language that cannot wait for messages has others do: the worker stands still until the main thread has put the
 * answer into memory that both share.
 */

import type { Package } from "../fs/packages.ts";
import type { BlockingRequest, ExecRequest, ExecResult, HostRequest, Language } from "../protocol.ts";
import { decodeBlockingReply } from "./reply_codec.ts";
import { Interrupted, RequestError } from "./request_errors.ts";
import type { SharedMemory } from "./shared_memory.ts";

export class BlockingRequests {
  constructor(
    private readonly shared: SharedMemory,
    private readonly post: (run: number, request: BlockingRequest) => void,
    private readonly read: () => void,
    private readonly setPackages: (packages: Package[]) => void,
  ) {}

  /** Asks the host; throws RequestError when it refuses. */
  ask(run: number, content: HostRequest): { data: unknown; body: Uint8Array } {
    return this.#run(run, { kind: "request", content });
  }

  exec(run: number, language: Language, request: ExecRequest): ExecResult {
    const { data, body } = this.#run(run, { kind: "program", language, request });
    const { exitCode, stdout } = data as { exitCode: number; stdout: number };
    return { exitCode, stdout: body.subarray(0, stdout), stderr: body.subarray(stdout) };
  }

  /** Null at the end of input. */
  input(run: number, prompt: string, password: boolean): string | null {
    return this.#run(run, { kind: "input", prompt, password }).data as string | null;
  }

  #run(run: number, request: BlockingRequest): { data: unknown; body: Uint8Array } {
    this.shared.clearReply();
    this.post(run, request);
    const parts: Uint8Array[] = [];
    for (;;) {
      const part = this.shared.awaitReply();
      if (!part) throw new Interrupted("interrupted");
      parts.push(part.data);
      if (part.last) break;
      this.read();
    }
    const { data, error, packages, body } = decodeBlockingReply(parts);
    if (packages) this.setPackages(packages);
    if (error) throw new RequestError(error.type, error.message);
    return { data, body };
  }
}
