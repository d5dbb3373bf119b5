/** Work that a program has started outside: each piece has a number; its end is reported when the program is idle. */

import { RequestError } from "../../worker/request_errors.ts";
import type { GuestError } from "./quickjs/vm.ts";

/** A report to the program; `more` says that it is not the last. */
interface WorkReport {
  id: number;
  failure: string | null;
  data: string | null;
  bytes: Uint8Array | null;
  more: boolean;
}

export interface Answer {
  data?: unknown;
  bytes?: Uint8Array | null;
}

/** Sends a report before the end; settles when the program has it. */
export type SendReport = (answer: Answer) => Promise<void>;

/** Begins a piece of work. */
export type OutsideJob = (
  question: Record<string, unknown>,
  body: Uint8Array | null,
  signal: AbortSignal,
  send: SendReport,
) => Promise<Answer>;

/** More than any program needs, but a bounded number. */
const MOST = 1024;

export class PendingWork {
  readonly #open = new Map<number, AbortController>();
  readonly #reports: { report: WorkReport; taken: () => void }[] = [];
  /** Work that does not keep the program from ending. */
  readonly #idle = new Set<number>();
  #last = 0;

  constructor(private readonly jobs: Record<string, OutsideJob>, private readonly wake: () => void) {}

  /** How much work keeps the program from ending. */
  get open(): number {
    return this.#open.size - this.#idle.size + this.#reports.length;
  }

  begin(what: string, question: Record<string, unknown>, body: Uint8Array | null, error: () => GuestError): number {
    if (!Object.hasOwn(this.jobs, what) || this.#open.size >= MOST) throw error();
    const id = ++this.#last;
    const stop = new AbortController();
    this.#open.set(id, stop);
    const send = (answer: Answer, more: boolean): Promise<void> => {
      if (!this.#open.has(id)) return Promise.resolve();
      return new Promise((taken) => this.#put({ id, failure: null, ...encoded(answer), more }, taken));
    };
    this.jobs[what](question, body, stop.signal, (answer) => send(answer, true)).then(
      (answer) => void send(answer, false),
      (reason) => {
        if (this.#open.has(id)) this.#put({ id, ...failed(reason), data: null, bytes: null, more: false }, () => {});
      },
    );
    return id;
  }

  stop(id: number): void {
    this.#open.get(id)?.abort();
    this.#open.delete(id);
    this.#idle.delete(id);
  }

  setIdle(id: number, idle: boolean): void {
    if (idle && this.#open.has(id)) this.#idle.add(id);
    else this.#idle.delete(id);
  }

  stopAll(): void {
    for (const id of [...this.#open.keys()]) this.stop(id);
    for (const { taken } of this.#reports.splice(0)) taken();
  }

  next(): WorkReport | undefined {
    const next = this.#reports.shift();
    next?.taken();
    return next?.report;
  }

  #put(report: WorkReport, taken: () => void): void {
    if (!report.more) {
      this.#open.delete(report.id);
      this.#idle.delete(report.id);
    }
    this.#reports.push({ report, taken });
    this.wake();
  }
}

function encoded({ data, bytes }: Answer): { data: string | null; bytes: Uint8Array | null } {
  return { data: data === undefined ? null : JSON.stringify(data), bytes: bytes ?? null };
}

function failed(reason: unknown): { failure: string } {
  if (reason instanceof RequestError) return { failure: JSON.stringify(["Error", reason.message, reason.type]) };
  const { name, message, code } = reason as Partial<GuestError>;
  const known = name !== undefined && "final" in (reason as object);
  return { failure: JSON.stringify(known ? [name, message, code] : ["Error", "interrupted", "ABORT_ERR"]) };
}
