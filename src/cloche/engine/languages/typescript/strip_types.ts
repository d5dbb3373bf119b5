/** Strips the types from TypeScript; positions stay, or are mapped back where code is generated. */

import { Interrupted } from "../../worker/request_errors.ts";
import { watchMeter } from "../../wasm/meter.ts";
import { elideImports } from "./elide_imports.ts";
import { applyEdits, type Edited } from "../javascript/source/positions.ts";
import { scanSource } from "../javascript/source/scanner.ts";
import { locateBy } from "../javascript/source/source_map.ts";
import { GuestError } from "../javascript/quickjs/vm.ts";

interface Options {
  mode: "strip-only" | "transform";
  module: boolean;
  sourceMap: boolean;
  transform?: Record<string, unknown>;
}

interface Started {
  transform(code: string, options: Options): { code: string; map?: string };
  instance: WebAssembly.Instance;
}

/** The exports of the package's own glue. */
export interface Glue {
  start(module: WebAssembly.Module): Started;
}

interface Complaint {
  code?: string;
  message?: string;
  startLine?: number;
  startColumn?: number;
}

const STRIP: Options = { mode: "strip-only", module: true, sourceMap: false };
const TRANSFORM: Options = {
  mode: "transform",
  module: true,
  sourceMap: true,
  transform: { noEmptyExport: true, nativeClassProperties: true, tsEnumIsMutable: true },
};

export class TypeStripper {
  #started: Started | undefined;

  constructor(
    private readonly glue: Glue,
    private readonly module: WebAssembly.Module,
    private readonly isInterrupted: () => boolean,
  ) {
    this.#start();
  }

  /** Throws a SyntaxError of the guest's for code that cannot be read. */
  strip(code: string, file: string): Edited {
    try {
      const stripped = this.#transform(code, STRIP).code;
      // A later cell may use what a cell imports.
      return { code: file.startsWith("/") ? elideImports(stripped) : stripped };
    } catch (error) {
      if (!isComplaint(error) || error.code !== "UnsupportedSyntax") throw syntaxError(error, file);
    }
    try {
      const { code: made, map } = this.#transform(lasting(code), TRANSFORM);
      return { code: made, locate: map === undefined ? undefined : locateBy(map) };
    } catch (error) {
      throw syntaxError(error, file);
    }
  }

  #start(): Started {
    const started = this.glue.start(this.module);
    watchMeter(started.instance, () => this.isInterrupted() ? 1 : 0);
    return this.#started = started;
  }

  #transform(code: string, options: Options): { code: string; map?: string } {
    const started = this.#started ?? this.#start();
    try {
      return started.transform(code, options);
    } catch (error) {
      if (isComplaint(error)) throw error;
      // A program that has stopped halfway cannot be used any more.
      this.#started = undefined;
      if (this.isInterrupted()) throw new Interrupted("interrupted");
      throw new GuestError("SyntaxError", "the code is too large or nested too deeply to be read");
    }
  }
}

/** Constant enums would be lost with the cell that declares them, so they become normal ones. */
function lasting(code: string): string {
  if (!/\bconst\s+enum\b/.test(code)) return code;
  const { tokens } = scanSource(code);
  const gone = tokens.filter(({ text }, index) => text === "const" && tokens[index + 1]?.text === "enum");
  return applyEdits(code, gone.map(({ start, end, text }) => ({ start, end, text: " ".repeat(text.length) }))).code;
}

function isComplaint(error: unknown): error is Complaint {
  return typeof error === "object" && error !== null && "code" in error && !(error instanceof GuestError);
}

function syntaxError(error: unknown, file: string): unknown {
  if (!isComplaint(error)) return error;
  const { message = "the code cannot be read", startLine, startColumn } = error;
  const made = new GuestError("SyntaxError", message.split("\n")[0].trim());
  const place = file.startsWith("<cell") ? "<cell>" : file;
  if (startLine !== undefined) made.frame = `    at ${place}:${startLine}:${(startColumn ?? 0) + 1}`;
  return made;
}
