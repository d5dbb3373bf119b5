/** What Ruby may ask for while it runs: other programs, and gems that are missing. */

import { Interrupted, RequestError } from "../../worker/request_errors.ts";
import { FileError } from "../../fs/files.ts";
import type { Tree } from "../../fs/tree.ts";
import type { LanguageWorker } from "../language.ts";
import type { ExecRequest, ExecResult, Stream } from "../../protocol.ts";
import { decodeField } from "./field_lists.ts";
import type { RubyServices } from "./interpreter.ts";
import { localProgram, type ProgramCall, readCall } from "./programs.ts";

type Answer = (string | Uint8Array)[];

export interface ProgramContext {
  worker: LanguageWorker;
  tree: Tree;
  run: number;
  /** Whether output goes straight to the run. */
  live: boolean;
  output(stream: Stream, data: Uint8Array): void;
  input(max: number): Uint8Array;
  /** Runs another Ruby program. */
  start(argv: string[], request: ExecRequest): ExecResult;
  /** Whether gems have changed since the last call. */
  changed(): boolean;
  /** The folders of all gems. */
  paths(): string[];
}

export function makeServices(context: ProgramContext): RubyServices {
  return {
    output: context.output,
    input: context.input,
    answer(question, fields) {
      if (question === "exec") return exec(context, readCall(fields));
      if (question === "provide") return provide(context, decodeField(fields[0]));
      if (question === "paths") return context.changed() ? ["changed", ...context.paths()] : [];
      if (question === "chmod") return chmod(context.tree, decodeField(fields[1]), Number(decodeField(fields[0])));
      return [];
    },
  };
}

function exec(context: ProgramContext, { request, kept }: ProgramCall): Answer {
  const { worker, run, live, output } = context;
  worker.outputBuffer.flush();
  const direct = live && !kept;
  const whole = { ...request, live: direct };
  const argv = localProgram(whole);
  const result = argv ? context.start(argv, whole) : worker.blocking.exec(run, "bash", whole);
  // An interrupt that ended it may be meant for this program too.
  if (worker.shared.interrupted) throw new Interrupted("interrupted");
  if (kept) return [String(result.exitCode), result.stdout, result.stderr];
  if (result.stdout.length > 0) output("stdout", result.stdout);
  if (result.stderr.length > 0) output("stderr", result.stderr);
  return [String(result.exitCode), "", ""];
}

/** Empty on success, otherwise the name of the error. */
function chmod(tree: Tree, path: string, mode: number): Answer {
  try {
    tree.chmod(path, mode & 0o7777);
    return [];
  } catch (error) {
    if (error instanceof FileError) return [error.code];
    throw error;
  }
}

/** Whether it was installed, followed by all folders or by the reason; empty if installing is not wanted. */
function provide({ worker, run, paths }: ProgramContext, name: string): Answer {
  if (!worker.init.config.autoInstall) return [];
  worker.outputBuffer.flush();
  try {
    worker.blocking.request(run, { kind: "provide", language: "ruby", name });
    return ["yes", ...paths()];
  } catch (error) {
    if (error instanceof RequestError) return ["no", error.message];
    throw error;
  }
}
