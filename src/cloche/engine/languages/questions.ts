/** Python's questions to the host: handles and numbers, and bytes that are copied from and into its own buffers. */

import { type Asked, AskError } from "../asks.ts";
import type { Question } from "../protocol.ts";
import type { PyBuffer } from "../pyodide/types.ts";

interface Open {
  asked: Asked;
  /** What is left of the piece that was read last. */
  piece: Uint8Array;
}

const INTERRUPTED = JSON.stringify({ interrupted: true });
const EMPTY = new Uint8Array(0);

export class Questions {
  readonly #open = new Map<number, Open>();
  #last = 0;

  constructor(private readonly ask: (question: Question, body: Uint8Array | null) => Asked) {}

  /** The functions that Python gets. */
  services() {
    return {
      ask: (question: string, body: PyBuffer | null) => this.#ask(JSON.parse(question) as Question, body),
      answer: (handle: number) => this.#answer(handle),
      piece: (handle: number) => this.#piece(handle),
      take: (handle: number, into: PyBuffer) => this.#take(handle, into),
      drop: (handle: number) => this.#drop(handle),
    };
  }

  #ask(question: Question, body: PyBuffer | null): number {
    const handle = ++this.#last;
    this.#open.set(handle, { asked: this.ask(question, body ? copyOf(body) : null), piece: EMPTY });
    return handle;
  }

  async #answer(handle: number): Promise<string> {
    try {
      return JSON.stringify({ data: await this.#open.get(handle)?.asked.data ?? null });
    } catch (error) {
      return failureOf(error);
    }
  }

  /** How many bytes are there to take; 0 at the end. */
  async #piece(handle: number): Promise<string> {
    const open = this.#open.get(handle);
    try {
      if (open && open.piece.length === 0) open.piece = await open.asked.read() ?? EMPTY;
      return JSON.stringify({ data: open?.piece.length ?? 0 });
    } catch (error) {
      return failureOf(error);
    }
  }

  #take(handle: number, into: PyBuffer): number {
    const open = this.#open.get(handle);
    if (!open) return 0;
    const view = into.getBuffer("u8");
    try {
      const part = open.piece.subarray(0, view.data.length);
      view.data.set(part);
      open.piece = open.piece.subarray(part.length);
      return part.length;
    } finally {
      view.release();
    }
  }

  #drop(handle: number): void {
    this.#open.get(handle)?.asked.close();
    this.#open.delete(handle);
  }
}

function copyOf(buffer: PyBuffer): Uint8Array {
  const view = buffer.getBuffer("u8");
  try {
    return view.data.slice();
  } finally {
    view.release();
  }
}

function failureOf(error: unknown): string {
  if (!(error instanceof AskError)) return INTERRUPTED;
  return JSON.stringify({ error: { type: error.type, message: error.message } });
}
