/**
 * The sandbox's own loopback: requests to one of its ports are answered here, by the worker that listens there. All others
 * are the host's, which knows nothing of these ports.
 */

import type { FromWorker, HostRequest, RequestFailure } from "../../protocol.ts";
import { LOOPBACK_WINDOW } from "../../worker/requests.ts";
import type { Connection, End } from "./connection.ts";
import type { Answer } from "./http_fetch.ts";
import { FULL, LocalFetch } from "./local_fetch.ts";
import { isLoopback } from "./addresses.ts";
import { type Acceptor, PortError, type PortLimits, Ports } from "./ports.ts";

/** What the asker sends after its request. */
export type Following = Extract<FromWorker, { op: "chunk" | "end" | "credit" | "abort" }>;

/** A request that is answered here. */
export interface LocalRequest {
  receive(message: Following): void;
}

interface Asked {
  /** Who asks; ports belong to it. */
  owner: unknown;
  content: HostRequest;
  /** Whether no bytes follow. */
  complete: boolean;
  answer: Answer;
  /** Asks the host this instead. */
  pass(content: HostRequest): void;
}

const DONE: LocalRequest = { receive: () => {} };
const REFUSED: RequestFailure = { type: "ConnectFailed", message: "Connection refused" };
const CLOSED: RequestFailure = { type: "Closed", message: "the port was closed" };
/** Reasons of the host that mean, for an address of the loopback, that nobody listens there. */
const NOT_REACHED = new Set(["NotAllowed", "PrivateAddress", "Unavailable"]);

export class Loopback {
  readonly #ports: Ports;

  constructor(limits: () => PortLimits) {
    this.#ports = new Ports(limits);
  }

  /** Answers a request; undefined if that is the host's. */
  open(asked: Asked): LocalRequest | undefined {
    const { content, answer, owner } = asked;
    const port = Number(content.port);
    switch (content.kind) {
      case "bind":
        return this.#bind(owner, port, answer);
      case "unbind":
        this.#ports.close(owner, port);
        answer({ op: "end", error: null });
        return DONE;
      case "ports":
        answer({ op: "end", error: null, data: this.#ports.listening });
        return DONE;
      case "accept":
        return this.#accept(asked, port);
      case "connect":
        return this.#connect(asked, port);
      case "reach":
        if (!isLoopback(content.host) || !this.#ports.listens(port)) return undefined;
        answer({ op: "end", error: null });
        return DONE;
      case "fetch":
        return this.#fetch(asked);
      default:
        return undefined;
    }
  }

  /** The owner is gone, with all of its ports. */
  forget(owner: unknown): void {
    this.#ports.forget(owner);
  }

  #bind(owner: unknown, port: number, answer: Answer): LocalRequest {
    try {
      answer({ op: "end", error: null, data: this.#ports.bind(owner, port) });
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      answer({ op: "end", error: { type: error.type, message: error.message } });
    }
    return DONE;
  }

  #accept({ owner, answer }: Asked, port: number): LocalRequest {
    const end = new WorkerEnd(answer);
    const acceptor: Acceptor = {
      server: end,
      accepted: (connection) => end.begin(connection, connection.port),
      closed: () => answer({ op: "end", error: CLOSED }),
    };
    end.onAbort = () => this.#ports.withdraw(acceptor);
    if (!this.#ports.accept(owner, port, acceptor)) answer({ op: "end", error: CLOSED });
    return end;
  }

  #connect({ answer }: Asked, port: number): LocalRequest {
    const end = new WorkerEnd(answer);
    const connection = this.#ports.connect(port, end);
    if (!connection) {
      answer({ op: "end", error: this.#ports.listens(port) ? FULL : REFUSED });
      return DONE;
    }
    end.begin(connection, connection.port);
    this.#ports.match(port);
    return end;
  }

  #fetch({ content, complete, answer, pass }: Asked): LocalRequest | undefined {
    const fetch = LocalFetch.read(content, this.#ports, answer, pass);
    if (!fetch?.begin(complete)) return undefined;
    return {
      receive: (message) => {
        if (message.op === "chunk") fetch.input(message.data);
        else if (message.op === "end") fetch.endInput();
        else if (message.op === "credit") fetch.credit(message.bytes);
        else fetch.abort();
      },
    };
  }
}

/** The host's reason why a request failed, as programs expect it of an address of their own machine. */
export function explainFailure(content: HostRequest, error: RequestFailure): RequestFailure {
  const place = readPlace(content);
  if (!place || !NOT_REACHED.has(error.type) || !isLoopback(place.host)) return error;
  const message = `Connection refused: nothing in this sandbox listens on port ${place.port} (${error.message})`;
  return { type: "ConnectFailed", message };
}

function readPlace({ kind, host, port, url }: HostRequest): { host: string; port: number } | undefined {
  if (kind === "reach") return { host: String(host), port: Number(port) };
  if (kind !== "fetch" || typeof url !== "string" || !URL.canParse(url)) return undefined;
  const { hostname, port: given, protocol } = new URL(url);
  return { host: hostname, port: Number(given || (protocol === "https:" ? 443 : 80)) };
}

/** A worker's end of a connection. */
class WorkerEnd implements End, LocalRequest {
  readonly window = 2 * LOOPBACK_WINDOW;
  #connection: Connection | undefined;
  onAbort = () => {};

  constructor(private readonly answer: Answer) {}

  begin(connection: Connection, port: number): void {
    this.#connection = connection;
    this.answer({ op: "response", data: { port } });
  }

  receive(message: Following): void {
    if (message.op === "chunk") this.#connection?.send(this, message.data);
    else if (message.op === "end") this.#connection?.finish(this);
    else if (message.op === "credit") this.#connection?.release(this, message.bytes);
    else {
      this.onAbort();
      this.#connection?.leave(this);
    }
  }

  take(data: Uint8Array): void {
    // The bytes are handed over, so even none of them are new ones.
    if (data.length === 0) this.answer({ op: "chunk", data: new Uint8Array(0), last: true });
    else this.answer({ op: "chunk", data: data as Uint8Array<ArrayBuffer> });
  }

  release(bytes: number): void {
    this.answer({ op: "credit", bytes });
  }

  close(): void {
    this.answer({ op: "end", error: null });
  }
}
