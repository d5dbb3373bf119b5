/**
 * Requests of a language that cannot wait for messages: the worker blocks until the main thread has put the answer
 * into memory that both share.
 */

import type { Code } from "../fs/files.ts";
import type { Package } from "../fs/packages.ts";
import type {
  ExecRequest,
  ExecResult,
  HostFileChange,
  HostRequest,
  Language,
  PortRequest,
  ProgramRequest,
} from "../protocol.ts";
import { type BlockingReply, decodeBlockingReply } from "./reply_codec.ts";
import { Interrupted, RequestError } from "./request_errors.ts";
import type { ReplyPatience, SharedMemory } from "./shared_memory.ts";

/** Changing a file or a port is a system call: no interrupt ends it, and it is answered at once. */
const SYSTEM_CALL: ReplyPatience = { ms: 5000, uninterrupted: true };

type PostRequest = (request: number, run: number, content: HostRequest) => void;

export class BlockingRequests {
  #last = 0;

  constructor(
    private readonly shared: SharedMemory,
    private readonly post: PostRequest,
    private readonly readNext: () => void,
    private readonly setPackages: (packages: Package[]) => void,
  ) {}

  /** Asks the host; throws RequestError if it refuses. */
  request(run: number, content: HostRequest): { data: unknown; body: Uint8Array } {
    const reply = this.#send(run, content);
    if (!reply) throw new Interrupted("interrupted");
    const { data, error, packages, body } = reply;
    if (packages) this.setPackages(packages);
    if (error) throw new RequestError(error.type, error.message);
    return { data, body };
  }

  exec(run: number, language: Language, program: ExecRequest): ExecResult {
    const { data, body } = this.request(run, { kind: "program", language, program } satisfies ProgramRequest);
    const { exitCode, stdout } = data as { exitCode: number; stdout: number };
    return { exitCode, stdout: body.subarray(0, stdout), stderr: body.subarray(stdout) };
  }

  /** Null at the end of input. */
  input(run: number, prompt: string, password: boolean, session = false): string | null {
    return this.request(run, { kind: "input", prompt, password, ...session ? { session } : {} }).data as string | null;
  }

  /** The code of the error, or null. */
  changeFile(change: HostFileChange): Code | null {
    const reply = this.#send(0, change, SYSTEM_CALL);
    if (reply?.error?.type === "TooLong") return "ENAMETOOLONG";
    return !reply || reply.error ? "EIO" : reply.data as Code | null;
  }

  /** Takes a port of the sandbox, any with 0, or gives it back; returns its number. */
  changePort(change: PortRequest): number {
    const reply = this.#send(0, change, SYSTEM_CALL);
    if (!reply || reply.error) throw new RequestError(reply?.error?.type ?? "Timeout", reply?.error?.message ?? "");
    return reply.data as number;
  }

  #send(run: number, content: HostRequest, patience?: ReplyPatience): BlockingReply | null {
    const request = ++this.#last;
    this.shared.clearReply();
    this.post(request, run, content);
    const parts: Uint8Array[] = [];
    for (;;) {
      const part = this.shared.awaitReply(request, patience);
      if (!part) return null;
      parts.push(part.data);
      if (part.last) return decodeBlockingReply(parts);
      this.readNext();
    }
  }
}
