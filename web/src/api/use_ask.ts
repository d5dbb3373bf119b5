/** What a component shows of an answer: while it comes, when it is there, when it failed. */

import { useCallback, useEffect, useState } from "react";
import { Problem } from "./client.ts";
import { useReach } from "./reach.ts";

export interface Answer<T> {
  value?: T;
  /** The answer to what was asked before, while the new one comes. */
  before?: T;
  problem?: Problem;
  loading: boolean;
  /** Asks again; what is shown stays until the answer comes. */
  again(): void;
  /** Shows this instead, as after a change whose outcome is known. */
  set(value: T): void;
}

/**
 * Asks when the component appears, whenever `key` changes, and when the server is back after it was away; an answer that
 * is no longer wanted is dropped.
 */
export function useAsk<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Answer<T> {
  const [state, setState] = useState<Asking<T>>({ key, loading: true });
  const [round, setRound] = useState(0);
  const returned = useReach((state) => state.round);
  useEffect(() => {
    const leaving = new AbortController();
    setState((state) => ({ ...turnTo(state, key), loading: true }));
    load(leaving.signal).then(
      (value) => !leaving.signal.aborted && setState({ key, value, loading: false }),
      (error) =>
        !leaving.signal.aborted &&
        setState((before) => ({ ...before, key, problem: asProblem(error), loading: false })),
    );
    return () => leaving.abort();
    // `load` is made anew with each render; `key` says when it means something else.
  }, [key, round, returned]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  const set = useCallback((value: T) => setState({ key, value, loading: false }), [key]);
  return { ...turnTo(state, key), again, set };
}

type Asking<T> = Pick<Answer<T>, "value" | "before" | "problem" | "loading"> & { key: string };

/** What is known of a question: if it is another one than before, only what was shown so far. */
function turnTo<T>(state: Asking<T>, key: string): Asking<T> {
  return state.key === key ? state : { key, loading: true, before: state.value ?? state.before };
}

export function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem({ status: -1, detail: String(error) });
}
