/** What Python asks of the system beside files and processes. */

import { ERRNO, FileError } from "../../fs/files.ts";
import { Tree } from "../../fs/tree.ts";
import type { LanguageWorker } from "../language.ts";
import { type Derivation, deriveKey } from "./derived_keys.ts";

/** The functions that Python gets. */
export function systemServices(worker: LanguageWorker, heap: () => number) {
  const tree = new Tree(worker.folders);
  return {
    alarm: (ms: number, every: number) => worker.setAlarm(ms, every),
    heap,
    /** The number of the error; 0 if there is none. */
    link(from: string, to: string): number {
      try {
        tree.hardLink(from, to);
        return 0;
      } catch (error) {
        if (error instanceof FileError) return ERRNO[error.code];
        throw error;
      }
    },
    derive_key: (wanted: string) => deriveKey(JSON.parse(wanted) as Derivation),
  };
}
