/** What a page and a worker say to each other that share no memory. */

import type { ExecuteResult } from "../../client/base_runtime.ts";
import type { Display } from "../../protocol.ts";

type FileContents = Record<string, Uint8Array<ArrayBuffer>>;

export type ToAlone =
  | { op: "load" }
  | { op: "run"; code: string; files: FileContents }
  | { op: "line"; line: string | null };

export type FromAlone =
  | { op: "loaded"; error: string | null; memory: number }
  | { op: "output"; stream: "stdout" | "stderr"; text: string }
  | { op: "display"; display: Display }
  | { op: "question"; prompt: string; password: boolean }
  | { op: "done"; result: ExecuteResult; files: FileContents; memory: number };
