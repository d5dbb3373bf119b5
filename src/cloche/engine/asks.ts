/** Questions of a worker to the host, and their answers: JSON, and bytes in both directions that flow by credit. */

import type { AskFailure, FromWorker, Question, ToWorker } from "./protocol.ts";

/** Bytes that may be on their way in one direction before the receiver has taken them. */
export const ASK_WINDOW = 4 << 20;
const PIECE = 256 << 10;
const QUESTION_LIMIT = 1 << 20;
const TOO_LONG: AskFailure = { type: "TooLong", message: `a question is longer than ${QUESTION_LIMIT} characters` };

type Sent = Extract<FromWorker, { ask: number }>;
type Received = Extract<ToWorker, { ask: number }>;

/** The host refused, or failed on the way. */
export class AskError extends Error {
  override readonly name = "AskError";

  constructor(readonly type: string, message: string) {
    super(message);
  }
}

/** One question and what comes of it. */
export interface Asked {
  /** What the host answered; rejects with AskError, or when the run is cancelled. */
  readonly data: Promise<unknown>;
  /** The next piece of the answer's bytes, null at their end. */
  read(): Promise<Uint8Array | null>;
  /** Nobody waits for the rest: the host stops. */
  close(): void;
}

/** Makes a wait that a cancel of the run rejects; `start` gets what settles it and returns what cleans up. */
export type AddWait = <T>(start: (resolve: (value: T) => void) => () => void) => Promise<T>;

export class Asks {
  readonly #open = new Map<number, Exchange>();
  #last = 0;

  constructor(
    private readonly post: (message: Sent, transfer?: Transferable[]) => void,
    private readonly wait: AddWait,
  ) {}

  ask(run: number, question: Question, body: Uint8Array | Uint8Array[] | null = null): Asked {
    const ask = ++this.#last;
    const exchange = new Exchange(ask, this.post, this.wait, () => this.#open.delete(ask));
    this.#open.set(ask, exchange);
    const parts = body instanceof Uint8Array ? [body] : body ?? [];
    if (JSON.stringify(question).length > QUESTION_LIMIT) {
      exchange.receive({ op: "end", ask, error: TOO_LONG });
    } else {
      this.post({ op: "ask", id: run, ask, question });
      exchange.upload(parts);
    }
    return exchange;
  }

  receive(message: Received): void {
    this.#open.get(message.ask)?.receive(message);
  }
}

class Exchange implements Asked {
  readonly #pieces: Uint8Array[] = [];
  #answer: { data: unknown } | undefined;
  #failure: AskFailure | undefined;
  #ended = false;
  #closed = false;
  #taken = 0;
  #credit = ASK_WINDOW;
  #outgoing: Generator<Uint8Array<ArrayBuffer>> | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(
    private readonly ask: number,
    private readonly post: (message: Sent, transfer?: Transferable[]) => void,
    private readonly wait: AddWait,
    private readonly forget: () => void,
  ) {}

  get data(): Promise<unknown> {
    return this.#until(() => this.#answer !== undefined || this.#ended).then(() => {
      if (this.#answer === undefined && this.#failure) throw new AskError(this.#failure.type, this.#failure.message);
      return this.#answer?.data ?? null;
    });
  }

  async read(): Promise<Uint8Array | null> {
    await this.#until(() => this.#pieces.length > 0 || this.#ended);
    const piece = this.#pieces.shift();
    if (piece) {
      this.#taken += piece.length;
      if (!this.#ended && this.#taken >= ASK_WINDOW / 4) {
        this.post({ op: "more", ask: this.ask, bytes: this.#taken });
        this.#taken = 0;
      }
      return piece;
    }
    if (this.#failure) throw new AskError(this.#failure.type, this.#failure.message);
    return null;
  }

  close(): void {
    if (!this.#ended && !this.#closed) this.post({ op: "drop", ask: this.ask });
    this.#closed = true;
    this.#pieces.length = 0;
    this.#end({ type: "Closed", message: "the answer was closed" });
  }

  upload(parts: Uint8Array[]): void {
    this.#outgoing = cut(parts);
    this.#send();
  }

  receive(message: Received): void {
    switch (message.op) {
      case "answered":
        this.#answer ??= { data: message.data };
        break;
      case "piece":
        if (!this.#closed) this.#pieces.push(message.data);
        break;
      case "more":
        this.#credit += message.bytes;
        this.#send();
        break;
      case "end":
        return this.#end(message.error);
    }
    this.#wake();
  }

  #send(): void {
    while (this.#outgoing && this.#credit > 0 && !this.#ended) {
      const next = this.#outgoing.next();
      if (next.done) {
        this.#outgoing = undefined;
        this.post({ op: "end", ask: this.ask });
      } else {
        this.#credit -= next.value.length;
        this.post({ op: "piece", ask: this.ask, data: next.value }, [next.value.buffer]);
      }
    }
  }

  #end(error: AskFailure | null): void {
    if (!this.#ended) this.#failure = error ?? undefined;
    this.#ended = true;
    this.#outgoing = undefined;
    this.forget();
    this.#wake();
  }

  #until(met: () => boolean): Promise<void> {
    if (met()) return Promise.resolve();
    return this.wait<void>((resolve) => {
      const look = () => {
        if (met()) resolve();
      };
      this.#waiting.add(look);
      return () => this.#waiting.delete(look);
    });
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look();
  }
}

function* cut(parts: Uint8Array[]): Generator<Uint8Array<ArrayBuffer>> {
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE) yield part.slice(at, at + PIECE) as Uint8Array<ArrayBuffer>;
  }
}
