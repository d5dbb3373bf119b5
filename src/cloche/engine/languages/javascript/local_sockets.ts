/** Sockets of a program: connections to other programs of the sandbox, and ports where it accepts them. */

import { OPEN, type OpenRequest } from "../../worker/requests.ts";
import { RequestError } from "../../worker/request_errors.ts";
import type { LanguageWorker } from "../language.ts";
import { checkBytes, checkNumber } from "./file_calls.ts";
import type { Answer, OutsideJob, SendReport } from "./pending_work.ts";
import { GuestError, type HostFunction } from "./quickjs/vm.ts";

/** A server outlives the calls that interrupts end. */
const CALM = { calm: true };

export class LocalSockets {
  readonly #open = new Map<number, OpenRequest>();
  #last = 0;

  constructor(
    private readonly worker: LanguageWorker,
    private readonly run: () => number,
  ) {}

  jobs(): Record<string, OutsideJob> {
    return {
      listen: ({ port }, _body, signal, send) => this.#listen(Number(port), signal, send),
      connect: ({ port }) => this.#connect(Number(port)),
      receive: ({ socket }) => this.#receive(Number(socket)),
      room: async ({ socket }) => ({
        data: await this.#open.get(Number(socket))?.until("room", CALM),
      }),
    };
  }

  functions(): Record<string, HostFunction> {
    return {
      /** Returns how many bytes still wait, -1 if the other side is gone. */
      socketWrite: (socket, data) => {
        const open = this.#open.get(checkNumber(socket));
        return !open || open.ended ? -1 : open.write(checkBytes(data).slice());
      },
      socketEnd: (socket) => this.#open.get(checkNumber(socket))?.finish(),
      socketClose: (socket) => this.#close(checkNumber(socket)),
    };
  }

  closeAll(): void {
    for (const socket of [...this.#open.keys()]) this.#close(socket);
  }

  async #listen(
    wanted: number,
    signal: AbortSignal,
    send: SendReport,
  ): Promise<Answer> {
    const { blocking } = this.worker;
    const port = taken(() => blocking.changePort({ kind: "bind", port: wanted }));
    const ask = () => this.worker.openRequest(this.run(), { kind: "accept", port }, OPEN);
    // A program that is told of the port may call it at once.
    let next = ask();
    signal.addEventListener("abort", () => next.close());
    try {
      await send({ data: { port } });
      for (;;) {
        await next.until("answered", CALM);
        if (signal.aborted) return {};
        const { port: peer } = await next.data as { port: number };
        const socket = this.#keep(next);
        next = ask();
        await send({ data: { socket, peer } });
      }
    } finally {
      next.close();
      taken(() => blocking.changePort({ kind: "unbind", port }));
    }
  }

  async #connect(port: number): Promise<Answer> {
    const asked = this.worker.openRequest(
      this.run(),
      { kind: "connect", port },
      OPEN,
    );
    try {
      await asked.until("answered", CALM);
      const { port: own } = await asked.data as { port: number };
      return { data: { socket: this.#keep(asked), own } };
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      throw new GuestError(
        "Error",
        `connect ECONNREFUSED 127.0.0.1:${port}`,
        "ECONNREFUSED",
      );
    }
  }

  /** The next bytes; none at the end. */
  async #receive(socket: number): Promise<Answer> {
    const open = this.#open.get(socket);
    if (!open) return {};
    await open.until("bytes", CALM);
    try {
      return { bytes: open.next() ?? null };
    } catch (error) {
      if (error instanceof RequestError) return {};
      throw error;
    }
  }

  #keep(asked: OpenRequest): number {
    this.#open.set(++this.#last, asked);
    return this.#last;
  }

  #close(socket: number): void {
    this.#open.get(socket)?.closeWhenSent();
    this.#open.delete(socket);
  }
}

function taken(act: () => number): number {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const code = { AddressInUse: "EADDRINUSE", TooMany: "EMFILE" }[error.type] ?? "EINVAL";
    throw new GuestError("Error", error.message, code);
  }
}
