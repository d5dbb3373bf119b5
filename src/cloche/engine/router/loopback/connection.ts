/** A connection between two ends in the sandbox: what one side sends, the other receives. */

/** One side of a connection: a worker's request, or the router itself. */
export interface End {
  /** Bytes that it may have sent before the other side has read them; more breaks the connection. */
  readonly window: number;
  /** Takes bytes of the other side; none say that it will send no more. */
  take(data: Uint8Array): void;
  /** The other side has read so many bytes. */
  release(bytes: number): void;
  /** The connection is over. */
  close(): void;
}

const NOTHING = new Uint8Array(0);

export class Connection {
  #server: End | undefined;
  /** What the client has sent before it was accepted. */
  readonly #early: Uint8Array[] = [];
  readonly #unread = new Map<End, number>();
  readonly #ended = new Set<End>();
  #open = true;

  constructor(
    private readonly client: End,
    /** The client's own port. */
    readonly port: number,
    private readonly closed: (connection: Connection) => void,
  ) {}

  accept(server: End): void {
    this.#server = server;
    for (const data of this.#early.splice(0)) server.take(data);
    if (this.#ended.has(this.client)) server.take(NOTHING);
  }

  send(from: End, data: Uint8Array): void {
    if (!this.#open || this.#ended.has(from) || data.length === 0) return;
    const unread = (this.#unread.get(from) ?? 0) + data.length;
    if (unread > from.window) return this.break();
    this.#unread.set(from, unread);
    const other = this.#other(from);
    if (other) other.take(data);
    else this.#early.push(data);
  }

  /** One side has read so many bytes of the other. */
  release(from: End, bytes: number): void {
    const other = this.#other(from);
    if (!this.#open || !other) return;
    const unread = this.#unread.get(other) ?? 0;
    const read = Math.min(Math.max(bytes, 0), unread);
    this.#unread.set(other, unread - read);
    if (read > 0) other.release(read);
  }

  /** One side sends no more; when both have said so, the connection is over. */
  finish(from: End): void {
    if (!this.#open || this.#ended.has(from)) return;
    this.#ended.add(from);
    if (this.#ended.size === 2) this.break();
    else this.#other(from)?.take(NOTHING);
  }

  /** One side is gone. */
  leave(from: End): void {
    const other = this.#other(from);
    this.#close(other ? [other] : []);
  }

  /** It is over for both sides. */
  break(): void {
    this.#close(this.#server ? [this.client, this.#server] : [this.client]);
  }

  #close(ends: End[]): void {
    if (!this.#open) return;
    this.#open = false;
    this.closed(this);
    for (const end of ends) end.close();
  }

  #other(end: End): End | undefined {
    return end === this.client ? this.#server : this.client;
  }
}
