/** The ports of a sandbox: who listens, who waits to be accepted, and the bytes between two ends of a connection. */

/** One side of a connection: a worker's request, or the router itself. */
export interface End {
  /** Takes bytes of the other side; none say that it will send no more. */
  receive(data: Uint8Array): void;
  /** The other side has read so many bytes. */
  release(bytes: number): void;
  /** The connection is over. */
  close(): void;
}

/** A connection: what one side sends, the other receives. */
export class Connection {
  readonly #ended = new Set<End>();
  #open = true;

  constructor(private readonly client: End, private readonly server: End) {}

  send(from: End, data: Uint8Array): void {
    if (this.#open && !this.#ended.has(from) && data.length > 0) this.#other(from).receive(data);
  }

  release(from: End, bytes: number): void {
    if (this.#open) this.#other(from).release(bytes);
  }

  /** One side sends no more; when both have said so, the connection is over. */
  finish(from: End): void {
    if (!this.#open || this.#ended.has(from)) return;
    this.#ended.add(from);
    if (this.#ended.size === 2) return this.#close([this.client, this.server]);
    this.#other(from).receive(new Uint8Array(0));
  }

  /** One side is gone. */
  leave(from: End): void {
    if (this.#open) this.#close([this.#other(from)]);
  }

  #close(ends: End[]): void {
    this.#open = false;
    for (const end of ends) end.close();
  }

  #other(end: End): End {
    return end === this.client ? this.server : this.client;
  }
}

/** Somebody who wants to be accepted. */
interface Caller {
  client: End;
  accepted(connection: Connection): void;
  refused(): void;
}

/** Somebody who waits for a caller. */
interface Acceptor {
  server: End;
  accepted(connection: Connection): void;
}

interface Listener {
  owner: unknown;
  callers: Caller[];
  acceptors: Acceptor[];
}

/** Why a port cannot be had, by the names of system errors. */
export class PortError extends Error {
  constructor(readonly code: "EADDRINUSE" | "EINVAL" | "EMFILE", message: string) {
    super(message);
  }
}

const FIRST_FREE = 32768;
const LAST = 65535;
const MOST_PORTS = 64;
const MOST_CALLERS = 128;

export class Ports {
  readonly #listeners = new Map<number, Listener>();
  #next = FIRST_FREE;

  has(port: number): boolean {
    return this.#listeners.has(port);
  }

  get open(): number[] {
    return [...this.#listeners.keys()].sort((a, b) => a - b);
  }

  /** Opens a port, or any with 0, and returns its number. */
  listen(owner: unknown, port: number): number {
    if (!Number.isInteger(port) || port < 0 || port > LAST) throw new PortError("EINVAL", `${port} is no port`);
    if (this.#listeners.has(port)) throw new PortError("EADDRINUSE", `port ${port} is taken`);
    if (this.#listeners.size >= MOST_PORTS) throw new PortError("EMFILE", `more than ${MOST_PORTS} ports are open`);
    const found = port === 0 ? this.#free() : port;
    this.#listeners.set(found, { owner, callers: [], acceptors: [] });
    return found;
  }

  /** Waits for the next caller; false if the owner does not listen there. */
  accept(owner: unknown, port: number, acceptor: Acceptor): boolean {
    const listener = this.#listeners.get(port);
    if (!listener || listener.owner !== owner) return false;
    listener.acceptors.push(acceptor);
    this.#match(listener);
    return true;
  }

  /** An acceptor does not wait any more. */
  withdraw(server: End): void {
    for (const listener of this.#listeners.values()) {
      listener.acceptors = listener.acceptors.filter((each) => each.server !== server);
    }
  }

  /** Calls a port; false if nobody listens there, or too many wait already. */
  connect(port: number, caller: Caller): boolean {
    const listener = this.#listeners.get(port);
    if (!listener || listener.callers.length >= MOST_CALLERS) return false;
    listener.callers.push(caller);
    this.#match(listener);
    return true;
  }

  close(owner: unknown, port: number): void {
    const listener = this.#listeners.get(port);
    if (!listener || listener.owner !== owner) return;
    this.#listeners.delete(port);
    for (const caller of listener.callers) caller.refused();
  }

  /** The owner is gone, with all of its ports. */
  forget(owner: unknown): void {
    for (const port of this.open) this.close(owner, port);
  }

  #match({ callers, acceptors }: Listener): void {
    while (callers.length > 0 && acceptors.length > 0) {
      const caller = callers.shift() as Caller;
      const acceptor = acceptors.shift() as Acceptor;
      const connection = new Connection(caller.client, acceptor.server);
      acceptor.accepted(connection);
      caller.accepted(connection);
    }
  }

  #free(): number {
    while (this.#listeners.has(this.#next)) this.#next = this.#next >= LAST ? FIRST_FREE : this.#next + 1;
    const found = this.#next;
    this.#next = found >= LAST ? FIRST_FREE : found + 1;
    return found;
  }
}
