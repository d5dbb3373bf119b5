/** The ports of a sandbox: who has them, who listens, and who waits to be accepted. */

import { Connection, type End } from "./connection.ts";

/** Somebody who waits for a caller. */
export interface Acceptor {
  server: End;
  accepted(connection: Connection): void;
  /** The port was closed. */
  closed(): void;
}

interface Port {
  owner: unknown;
  /** Whether somebody has ever accepted here: until then callers are refused. */
  listens: boolean;
  callers: Connection[];
  acceptors: Acceptor[];
}

export interface PortLimits {
  loopbackPorts: number;
  loopbackConnections: number;
}

/** Why a port cannot be had. */
export class PortError extends Error {
  constructor(readonly type: "AddressInUse" | "BadRequest" | "TooMany", message: string) {
    super(message);
  }
}

const FIRST_FREE = 32768;
const LAST = 65535;
/** Callers that wait at one port. */
const MOST_CALLERS = 128;

export class Ports {
  readonly #ports = new Map<number, Port>();
  #connections = 0;
  #next = FIRST_FREE;

  constructor(private readonly limits: () => PortLimits) {}

  /** Whether somebody listens there. */
  listens(port: number): boolean {
    return this.#ports.get(port)?.listens === true;
  }

  /** The numbers of the ports where somebody listens. */
  get listening(): number[] {
    return [...this.#ports.keys()].filter((port) => this.listens(port)).sort((a, b) => a - b);
  }

  /** Takes a port, or any with 0, and returns its number. */
  bind(owner: unknown, port: number): number {
    const { loopbackPorts: most } = this.limits();
    if (!Number.isInteger(port) || port < 0 || port > LAST) throw new PortError("BadRequest", `${port} is no port`);
    if (this.#ports.has(port)) throw new PortError("AddressInUse", `port ${port} of this sandbox is taken`);
    if (this.#ports.size >= most) throw new PortError("TooMany", `more than ${most} ports of this sandbox are open`);
    const found = port === 0 ? this.#free() : port;
    this.#ports.set(found, { owner, listens: false, callers: [], acceptors: [] });
    return found;
  }

  /** Waits for the next caller; false if the port is not the owner's. */
  accept(owner: unknown, number: number, acceptor: Acceptor): boolean {
    const port = this.#ports.get(number);
    if (!port || port.owner !== owner) return false;
    port.listens = true;
    port.acceptors.push(acceptor);
    this.#match(port);
    return true;
  }

  /** An acceptor does not wait any more. */
  withdraw(acceptor: Acceptor): void {
    for (const port of this.#ports.values()) port.acceptors = port.acceptors.filter((each) => each !== acceptor);
  }

  /** Calls a port; undefined if nobody listens there, or too many call already. */
  connect(number: number, client: End): Connection | undefined {
    const port = this.#ports.get(number);
    const full = this.#connections >= this.limits().loopbackConnections;
    if (!port?.listens || full || port.callers.length >= MOST_CALLERS) return undefined;
    this.#connections++;
    const connection = new Connection(client, this.#free(), (over) => {
      this.#connections--;
      port.callers = port.callers.filter((each) => each !== over);
    });
    port.callers.push(connection);
    return connection;
  }

  /** Lets callers meet acceptors; the caller of `connect` calls it once it has its connection. */
  match(number: number): void {
    const port = this.#ports.get(number);
    if (port) this.#match(port);
  }

  close(owner: unknown, number: number): void {
    const port = this.#ports.get(number);
    if (!port || port.owner !== owner) return;
    this.#ports.delete(number);
    for (const caller of [...port.callers]) caller.break();
    for (const acceptor of port.acceptors.splice(0)) acceptor.closed();
  }

  /** The owner is gone, with all of its ports. */
  forget(owner: unknown): void {
    for (const number of [...this.#ports.keys()]) this.close(owner, number);
  }

  #match({ callers, acceptors }: Port): void {
    while (callers.length > 0 && acceptors.length > 0) {
      const connection = callers.shift() as Connection;
      const acceptor = acceptors.shift() as Acceptor;
      acceptor.accepted(connection);
      connection.accept(acceptor.server);
    }
  }

  #free(): number {
    do this.#next = this.#next >= LAST ? FIRST_FREE : this.#next + 1; while (this.#ports.has(this.#next));
    return this.#next;
  }
}
