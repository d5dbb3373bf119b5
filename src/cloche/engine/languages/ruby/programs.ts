/** Programs that Ruby has run: system(), backticks, spawn, Open3. */

import type { ExecRequest } from "../../protocol.ts";
import { decodeField } from "./field_lists.ts";

/** Words without anything that only a shell understands, quotes aside. */
const WORD = /[ \t]*((?:[\w./=:,@%+-]|'[^']*'|"[^"$`\\]*")+)(?=[ \t]|$)/y;

export interface ProgramCall {
  request: ExecRequest;
  /** Whether Ruby wants the output. */
  kept: boolean;
}

/** Fields: form, flags, folder, input, number of words, words, then names and values of the environment. */
export function readCall(fields: Uint8Array[]): ProgramCall {
  const [form, flags, cwd] = [0, 1, 2].map((at) => decodeField(fields[at]));
  const count = Number(decodeField(fields[4])) || 0;
  const words = fields.slice(5, 5 + count).map((field) => decodeField(field));
  const pairs = fields.slice(5 + count).map((field) => decodeField(field));
  const env: Record<string, string> = {};
  for (let at = 0; at + 1 < pairs.length; at += 2) env[pairs[at]] = pairs[at + 1];
  const program = form === "argv" ? { argv: words } : { script: words[0] ?? "" };
  const stdin = flags.includes("i") ? fields[3]?.slice() ?? null : null;
  return {
    request: { ...program, stdin, cwd: cwd || "/workspace", env, live: false, merge: flags.includes("m") },
    kept: flags.includes("k"),
  };
}

/** The words of a Ruby program: it is started here, because the language's worker is blocked. */
export function localProgram({ argv, script }: ExecRequest): string[] | null {
  const words = argv ?? splitWords((script ?? "").trim());
  return words?.[0] === "ruby" ? words : null;
}

function splitWords(script: string): string[] | null {
  const words: string[] = [];
  const word = new RegExp(WORD);
  while (word.lastIndex < script.length) {
    const found = word.exec(script);
    if (!found) return null;
    words.push(found[1].replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double));
  }
  return words;
}
